"""The controller of the demo: `podgrouper run` of this installation, as a process of its own."""

import asyncio
import os
import socket
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from podgrouper.cli.complaints import Failure

STOP_SECONDS = 10.0
_LAST_WORDS = 5


class Controller:
    """The running process."""

    def __init__(self, process: asyncio.subprocess.Process, health: str, log: Path) -> None:
        self._process = process
        self.health = health
        self.log = log

    @property
    def pid(self) -> int:
        return self._process.pid

    async def watch_over(self) -> None:
        """Raises `Failure` when the process ends. Until then it waits."""
        code = await self._process.wait()
        raise Failure(
            f"the controller (process {self.pid}) has ended with exit code {code}: without it no pod becomes "
            f"part of a group. Its log ends with:\n{self._last_words()}"
        )

    async def stop(self) -> None:
        """SIGTERM, and SIGKILL for one that does not obey."""
        if self._process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            self._process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def _last_words(self) -> str:
        with self.log.open(encoding="utf-8", errors="replace") as lines:
            return "".join(f"  {line}" for line in deque(lines, _LAST_WORDS)) or "  (nothing)"


@asynccontextmanager
async def controller(kubeconfig: Path, folder: Path) -> AsyncIterator[Controller]:
    """Runs while the context is open. A Ctrl-C in the terminal is for us alone: we end it in order."""
    health = f"127.0.0.1:{_free_port()}"
    log = folder / "controller.log"
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "podgrouper",
            "run",
            f"--kubeconfig={kubeconfig}",
            f"--health-address={health}",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            process_group=0,
        )
    running = Controller(process, health, log)
    try:
        yield running
    finally:
        await running.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
