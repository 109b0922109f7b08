"""Who links the pods: podgrouper as its users run it, or the lone client. Each is a process of its own."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from bench.lone import READY, Task
from tests.cluster.processes import Child
from tests.cluster.program import Program
from tests.cluster.waiting import eventually

_READY_SECONDS = 60.0


class Contender(Protocol):
    """A running one."""

    @property
    def pid(self) -> int: ...

    def wait_until_ready(self) -> None:
        """Until it has seen what there is. Raises when it ends instead."""

    def expect_running(self) -> None: ...

    def stop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody who may link pods, and how to start it."""

    name: str
    start: Callable[[], Contender]


class Client:
    """A module that links by a task, and says when it has seen what there is: `bench.lone`."""

    def __init__(self, module: str, task: Task, folder: Path) -> None:
        path, self._log = folder / f"{module}.json", folder / f"{module}.log"
        path.write_bytes(msgspec.json.encode(task))
        self._log.unlink(missing_ok=True)
        self._child = Child(module, [sys.executable, "-m", module, str(path)], self._log, _environ())

    @property
    def pid(self) -> int:
        return self._child.pid

    def wait_until_ready(self) -> None:
        eventually(lambda: not self._child.running or READY in self._log.read_text(), within=_READY_SECONDS)
        self._child.expect_running()

    def expect_running(self) -> None:
        self._child.expect_running()

    def stop(self) -> None:
        self._child.stop()


def ours(kubeconfig: Path, folder: Path, *flags: str) -> Program:
    """podgrouper. Started only: it may not be ready yet."""
    return Program(kubeconfig, folder, *flags)


@contextmanager
def running(entry: Entry) -> Iterator[Contender]:
    """From its start until the block ends. One that ended by itself meanwhile is a failure."""
    contender = entry.start()
    try:
        yield contender
    finally:
        try:
            contender.expect_running()
        finally:
            contender.stop()


def _environ() -> Mapping[str, str]:
    return {"PATH": os.environ["PATH"]}
