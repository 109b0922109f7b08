"""Child processes of tests: a log file each, an orderly end, and no way to outlive the tests."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

LEASH = Path(__file__).parent / "leash.py"

_TAIL_BYTES = 64 * 1024


class Died(Exception):
    """A child ended, or did not do what it should in time. The message ends with the tail of its log."""


class Child:
    """A running program. Start it from the main thread: it is tied to the thread that starts it."""

    def __init__(
        self, name: str, command: Sequence[str], log: Path, environ: Mapping[str, str] = os.environ
    ) -> None:
        self.name = name
        self.log = log
        leashed = [sys.executable, "-I", "-S", str(LEASH), str(os.getpid()), *command]
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                leashed,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(environ),
                start_new_session=True,  # a Ctrl-C is for the tests, which then end their children in order
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """None while it runs; minus the number of the signal that ended it."""
        return self._process.poll()

    def ask_to_stop(self) -> None:
        """SIGTERM; nothing if it has ended already."""
        self.signal(signal.SIGTERM)

    def signal(self, number: signal.Signals) -> None:
        """Nothing if it has ended already."""
        self._process.send_signal(number)

    def wait(self, within: float) -> int:
        """The exit code. Raises `Died`, and kills, when it does not end in time."""
        try:
            return self._process.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Died(f"{self.name} did not end within {within:g} s\n{self.tail()}") from None

    def kill(self) -> None:
        """SIGKILL, and waits until it is gone. Idempotent."""
        self._process.kill()
        self._process.wait()

    def stop(self, within: float = 10.0) -> None:
        """SIGTERM, and SIGKILL for one that does not obey. Never raises, idempotent."""
        self._process.terminate()
        try:
            self._process.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()

    def expect_running(self) -> None:
        """Raises `Died` with the tail of the log if it has ended."""
        if not self.running:
            raise Died(f"{self.name} ended with exit code {self.exit_code}\n{self.tail()}")

    def tail(self, lines: int = 30) -> str:
        """The end of the log, under a line that says where all of it is."""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - _TAIL_BYTES))
            text = log.read().decode("utf-8", "replace")
        return "\n".join([f"--- {self.name}, end of {self.log}", *text.splitlines()[-lines:]])


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on. Its user may find it taken: try again then."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
