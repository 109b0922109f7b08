"""How long the event loop kept others waiting: a tick that comes late tells.

Whoever computes without a break holds up everybody: watches, writes, the renewal of the Lease.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

SHORT_SECONDS = 0.01
"""Between ticks while there is work. A stall may have been longer by as much."""
LONG_SECONDS = 0.1
"""While there is none: a hundred ticks a second would take half a percent of a core from whoever rests."""
BUSY = 0.1
"""The part of a pause that was computed in, from which on there is work."""


class Clocks(NamedTuple):
    """Seconds that passed, and seconds that this process computed."""

    now: Callable[[], float] = time.monotonic
    computed: Callable[[], float] = time.process_time


REAL = Clocks()


@contextmanager
def longest_stall(tell: Callable[[float], None], clocks: Clocks = REAL) -> Iterator[None]:
    """While the context is open, `tell` hears of each stall that is longer than all before it, in seconds.

    Less than a short pause is no stall. What begins while the loop rests is seen less exactly.
    """
    ticks = _Ticks(tell, clocks)
    try:
        yield
    finally:
        ticks.stop()


class _Ticks:
    def __init__(self, tell: Callable[[float], None], clocks: Clocks) -> None:
        self._loop = asyncio.get_running_loop()
        self._tell = tell
        self._clocks = clocks
        self._longest = SHORT_SECONDS
        self._last, self._computed = clocks.now(), clocks.computed()
        self._begin(SHORT_SECONDS)

    def stop(self) -> None:
        self._due.cancel()

    def _begin(self, pause: float) -> None:
        self._pause = pause
        self._due = self._loop.call_later(pause, self._tick)

    def _tick(self) -> None:
        now, computed = self._clocks.now(), self._clocks.computed()
        passed, used = now - self._last, computed - self._computed
        self._last, self._computed = now, computed
        if passed - self._pause > self._longest:
            self._longest = passed - self._pause
            self._tell(self._longest)
        self._begin(SHORT_SECONDS if used > BUSY * passed else LONG_SECONDS)
