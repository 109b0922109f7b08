"""podgrouper at rest beside a server: what it weighs, and what its start cost."""

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from urllib.error import URLError
from urllib.request import urlopen

from bench import machine
from tests.cluster.processes import Child, free_port
from tests.cluster.waiting import eventually

START_SECONDS = 300.0
STEP_SECONDS = 0.5
IDLE_CORES = 0.02
"""Who uses less has done what there was to do."""
REST_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes and seconds of CPU since the start, and what the program says of itself."""

    rss: int
    private: int
    peak: int
    cpu: float
    pods: int
    groups: int
    stall: float
    """The longest time that its event loop kept others waiting, in seconds."""


class Resident:
    """`podgrouper run` as a child, as long as the context is open."""

    def __init__(self, kubeconfig: Path, folder: Path, *flags: str) -> None:
        self._address = f"127.0.0.1:{free_port()}"
        settings = (f"--kubeconfig={kubeconfig}", f"--health-address={self._address}")
        command = [sys.executable, "-m", "podgrouper", "run", *settings, *flags]
        self._child = Child("podgrouper", command, folder / "podgrouper.log")

    def __enter__(self) -> "Resident":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.stop()

    @property
    def pid(self) -> int:
        return self._child.pid

    def settled(self, pods: int) -> Weight:
        """Its weight once it knows so many pods, has decided everything and rested for a while."""
        eventually(lambda: not self._child.running or self._knows(pods), within=START_SECONDS)
        self._child.expect_running()
        eventually(self._idle, within=START_SECONDS)
        spent = machine.cpu_seconds(self.pid)
        time.sleep(REST_SECONDS)
        memory, samples = machine.memory(self.pid), self.samples()
        return Weight(
            memory["rss"],
            memory["private"],
            memory["peak"],
            spent,
            int(samples["podgrouper_pods"]),
            int(sum(count for name, count in samples.items() if name.startswith("podgrouper_groups{"))),
            samples.get("podgrouper_loop_stall_seconds", 0.0),
        )

    def samples(self) -> Mapping[str, float]:
        """What /metrics says."""
        with urlopen(f"http://{self._address}/metrics", timeout=60) as answer:
            return samples_in(answer.read().decode())

    def _knows(self, pods: int) -> bool:
        try:
            found = self.samples()
        except (URLError, ConnectionError):
            return False
        return found["podgrouper_ready"] == 1 and found["podgrouper_pods"] == pods

    def _idle(self) -> bool:
        before = machine.cpu_seconds(self.pid)
        time.sleep(STEP_SECONDS)
        used = (machine.cpu_seconds(self.pid) - before) / STEP_SECONDS
        return used < IDLE_CORES and self.samples()["podgrouper_queue_depth"] == 0


def samples_in(page: str) -> Mapping[str, float]:
    """Name with labels, and value, of every line that is no comment."""
    lines = (line.rpartition(" ") for line in page.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines if name}
