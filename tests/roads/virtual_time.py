"""An event loop whose time passes only when nobody has anything to do: a minute of waiting takes no time.

Everything runs in one order that depends on nothing outside, so what failed once fails again.
"""

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
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

    def spend(self, seconds: float) -> None:
        """Lets time pass although nobody waits: somebody computes."""
        self._clock.now += seconds


def run(work: Coroutine[object, object, Result]) -> Result:
    """As `asyncio.run`, in virtual time. What a callback or a forgotten task raised is raised at the end."""
    faults: list[Exception] = []
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.get_loop().set_exception_handler(lambda _, fault: faults.append(_error(fault)))
        result = runner.run(work)
    if faults:
        raise ExceptionGroup("nobody was told", faults)
    return result


def _error(fault: dict[str, object]) -> Exception:
    error = fault.get("exception")
    return error if isinstance(error, Exception) else RuntimeError(fault["message"])


def in_virtual_time(
    test: Callable[Arguments, Coroutine[object, object, Result]],
) -> Callable[Arguments, Result]:
    """A test that waits, as one that takes no time."""

    @functools.wraps(test)
    def timeless(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return run(test(*args, **kwargs))

    return timeless
