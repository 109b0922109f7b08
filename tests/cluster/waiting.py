"""Waiting on a condition with a deadline, the only way in which tests let time pass."""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

_PAUSE = 0.05
_LONGEST_VALUE = 2000


def eventually(probe: Callable[[], T], holds: Callable[[T], object] = bool, *, within: float = 10.0) -> T:
    """The first value of `probe` that `holds`, asked for again and again; the last one is shown on failure.

    A probe that raises does not hold yet: what it raised is the value that is shown.

        eventually(lambda: links(pods()), lambda links: len(links) == 1000, within=60)
    """
    looks = _Looks(probe, holds, within)
    for _ in looks.until_good():
        time.sleep(_PAUSE)
    return looks.value


async def eventually_async(
    probe: Callable[[], T], holds: Callable[[T], object] = bool, *, within: float = 10.0
) -> T:
    """The same for tests with an event loop, which goes on turning between two looks."""
    looks = _Looks(probe, holds, within)
    for _ in looks.until_good():
        await asyncio.sleep(_PAUSE)
    return looks.value


class _Looks(Generic[T]):
    value: T

    def __init__(self, probe: Callable[[], T], holds: Callable[[T], object], within: float) -> None:
        self._probe = probe
        self._holds = holds
        self._within = within

    def until_good(self) -> Iterator[None]:
        """Ends when the value is good, raises at the deadline. There is always one look after it."""
        deadline = time.monotonic() + self._within
        while True:
            late = time.monotonic() >= deadline
            try:
                self.value = self._probe()
                if self._holds(self.value):
                    return
                shown, error = repr(self.value), None
            except Exception as raised:
                shown, error = f"{type(raised).__name__}: {raised}", raised
            if late:
                raise AssertionError(f"not so within {self._within:g} s: {_shortened(shown)}") from error
            yield


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
