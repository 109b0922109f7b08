"""The program under test as what it is for its users: a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from urllib.error import URLError
from urllib.request import urlopen

from tests.cluster.processes import Child, free_port
from tests.cluster.pulse import Pulse
from tests.cluster.waiting import eventually

_READY_SECONDS = 30.0


class Program:
    """`podgrouper run`, until the test ends or ends it."""

    def __init__(self, kubeconfig: Path, folder: Path, *flags: str) -> None:
        self._health = f"127.0.0.1:{free_port()}"
        settings = [f"--kubeconfig={kubeconfig}", f"--health-address={self._health}"]
        command = [sys.executable, "-m", "podgrouper", "run", *settings, *flags]
        log = folder / f"podgrouper-{self._health.rpartition(':')[2]}.log"
        self._child = Child("podgrouper", command, log, {"PATH": os.environ["PATH"], "HOME": str(folder)})

    def wait_until_ready(self) -> None:
        """Raises with the end of its log when it ends instead."""
        eventually(lambda: not self._child.running or self._says_ready(), within=_READY_SECONDS)
        self.expect_running()

    def expect_running(self) -> None:
        """Raises with the end of its log if it has ended."""
        self._child.expect_running()

    def terminate(self, within: float) -> int:
        """SIGTERM; the exit code. Raises when it takes longer."""
        self._child.ask_to_stop()
        return self._child.wait(within)

    def kill(self) -> None:
        """SIGKILL: as an out-of-memory kill or a lost node ends it."""
        self._child.kill()

    def stand_still(self) -> None:
        """SIGSTOP: as a node that swaps, or a hypervisor that has forgotten it."""
        self._child.signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._child.signal(signal.SIGCONT)

    def exit_code(self, within: float) -> int:
        """How it ended by itself. Raises when it has not by then."""
        return self._child.wait(within)

    def stop(self) -> None:
        self._child.signal(signal.SIGCONT)
        self._child.stop()

    @property
    def running(self) -> bool:
        return self._child.running

    @property
    def pid(self) -> int:
        return self._child.pid

    def logs(self) -> str:
        return self._child.tail()

    def memory(self) -> float:
        """Of its pages in memory, in MiB."""
        lines = Path(f"/proc/{self._child.pid}/status").read_text().splitlines()
        kilobytes = next(line.split()[1] for line in lines if line.startswith("VmRSS:"))
        return int(kilobytes) / 1024

    def pulse(self) -> Pulse:
        """Asks for /healthz again and again while it is open."""
        return Pulse(f"http://{self._health}/healthz")

    def number(self, sample: str) -> float:
        """What /metrics says under this name with these labels; 0 where it says nothing."""
        return self.samples().get(sample, 0.0)

    def samples(self) -> Mapping[str, float]:
        """All that /metrics says, by name with labels."""
        with urlopen(f"http://{self._health}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        told = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        return {name: float(value) for name, _, value in told}

    def _says_ready(self) -> bool:
        try:
            with urlopen(f"http://{self._health}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, ConnectionError):
            return False


class Programs:
    """The programs of one test, in the order of their starts. All of them end with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[Program] = []

    def __enter__(self) -> "Programs":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for program in self._started:
            program.stop()

    def launch(self, kubeconfig: Path, *flags: str) -> Program:
        """One more, which has only just been started."""
        program = Program(kubeconfig, self._folder, *flags)
        self._started.append(program)
        return program

    def start(self, kubeconfig: Path, *flags: str) -> Program:
        """One more, ready to work when it is returned."""
        program = self.launch(kubeconfig, *flags)
        program.wait_until_ready()
        return program

    def logs(self) -> str:
        return "\n".join(program.logs() for program in self._started)


def output_of(*arguments: str) -> str:
    """What `podgrouper …` prints. Raises with its words on stderr when it fails."""
    command = [sys.executable, "-m", "podgrouper", *arguments]
    done = subprocess.run(command, text=True, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, f"podgrouper {' '.join(arguments)}: {done.stderr}"
    return done.stdout
