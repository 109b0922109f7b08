"""An event loop whose time passes only when nobody has anything to do: a minute of waiting takes no time.

Everything runs in one order that depends on nothing outside, so what failed once fails again.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import TypeVar

Result = TypeVar("Result")


class Stuck(Exception):
    """Everybody waits and nothing will ever happen."""


class _NoSockets(selectors.DefaultSelector):  # type: ignore[misc,valid-type]  # the platform's own class
    """Instead of waiting for sockets lets the time pass that the loop would have waited."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise Stuck
        self.now += timeout
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """Starts at time 0."""

    def __init__(self) -> None:
        self._clock = _NoSockets()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def run(work: Coroutine[object, object, Result]) -> Result:
    """As `asyncio.run`, in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
