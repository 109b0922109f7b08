"""The loader's process, as seen by whoever gives the orders."""

import os
import subprocess
import sys
from collections import Counter
from types import TracebackType
from typing import TypeVar

import msgspec

from bench.asked import Ask
from bench.orders import (
    Answer,
    Asked,
    Clear,
    Done,
    Failed,
    Kubelet,
    Linked,
    Make,
    NotYet,
    Orders,
    Seen,
    Tally,
    Where,
)
from tests.cluster.processes import LEASH

T = TypeVar("T", bound=Answer)


class LoaderFailed(Exception):
    """The loader could not do what it was told, and this is why."""


class Loading:
    """`python -m bench.loader`, from `with` to its end. Start it in the main thread."""

    def __init__(self, where: Where) -> None:
        leash = [sys.executable, "-I", "-S", str(LEASH), str(os.getpid())]
        command = [*leash, sys.executable, "-m", "bench.loader"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._write(msgspec.json.encode(where))

    def __enter__(self) -> "Loading":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def pid(self) -> int:
        return self._process.pid

    def make(self, order: Make) -> Done:
        return self._told(order, Done)

    def linked(self, order: Linked) -> Seen | None:
        """None when it has not happened in time."""
        answer = self._answer(order)
        return None if isinstance(answer, NotYet) else _expected(answer, Seen)

    def play_kubelet(self, order: Kubelet) -> Done:
        return self._told(order, Done)

    def clear(self, order: Clear) -> Done:
        return self._told(order, Done)

    def tally(self) -> Counter[Ask]:
        """Its own requests so far."""
        return Counter(dict(self._told(Tally(), Asked).counts))

    def _told(self, order: Orders, kind: type[T]) -> T:
        return _expected(self._answer(order), kind)

    def _answer(self, order: Orders) -> Answer:
        self._write(msgspec.json.encode(order))
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return msgspec.json.decode(line, type=Answer) if line else Failed("it has ended")

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()


def _expected(answer: Answer, kind: type[T]) -> T:
    if isinstance(answer, kind):
        return answer
    raise LoaderFailed(answer.why if isinstance(answer, Failed) else f"this is no {kind.__name__}: {answer}")
