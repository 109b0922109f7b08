"""How much is measured: enough for a glance, or enough to rely on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    """The sizes of one form of the bench."""

    name: str
    pairs: int
    """Runs of each kind that count."""
    spare: int
    """Runs more that are tried when others disturb them."""
    gangs: int
    """Workloads of a backlog."""
    members: int = 10
    """Pods of a workload."""
    size: int = 5000
    """Bytes of a stored pod."""


QUICK = Form("quick", pairs=1, spare=0, gangs=60)
FULL = Form("full", pairs=5, spare=5, gangs=400)
