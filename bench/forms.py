"""How much is measured: enough for a glance, or enough to rely on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    """The sizes of one form of the bench."""

    name: str
    pairs: int
    """Runs beside the lone client that count."""
    runs: int
    """Runs without it that count."""
    spare: int
    """Runs more that are tried when others disturb them."""
    gangs: int
    """Workloads of a backlog."""
    seconds: int
    """So long pods come at an even rate."""
    few: int
    """Workloads where a handful shows what there is to see."""
    big: tuple[int, ...]
    """Pods of one big gang."""
    depths: tuple[int, ...]
    """Owners above a pod."""
    members: int = 10
    """Pods of a workload."""
    size: int = 5000
    """Bytes of a stored pod."""
    rest: float = 10.0
    """Seconds without work before anything is weighed."""


QUICK = Form(
    "quick", pairs=1, runs=1, spare=0, gangs=60, seconds=3, few=10, big=(600,), depths=(1, 5), rest=2.0
)
FULL = Form(
    "full",
    pairs=5,
    runs=3,
    spare=5,
    gangs=400,
    seconds=20,
    few=100,
    big=(1000, 10_000),
    depths=(1, 2, 3, 4, 5),
)
