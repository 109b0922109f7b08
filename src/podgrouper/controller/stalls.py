"""How long the event loop kept others waiting: a tick that comes late tells.

Whoever computes without a break holds up everybody: watches, writes, the renewal of the Lease.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TICK_SECONDS = 0.01
"""A stall may have been longer by as much. A hundred ticks a second cost a tenth of a percent of a core."""


@contextmanager
def longest_stall(tell: Callable[[float], None], now: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """While the context is open, `tell` hears of each stall that is longer than all before it, in seconds.

    Less than a tick is no stall.
    """
    loop = asyncio.get_running_loop()
    longest = TICK_SECONDS
    last = now()
    due: asyncio.TimerHandle

    def tick() -> None:
        nonlocal longest, last, due
        moment = now()
        late = moment - last - TICK_SECONDS
        last = moment
        if late > longest:
            longest = late
            tell(late)
        due = loop.call_later(TICK_SECONDS, tick)

    due = loop.call_later(TICK_SECONDS, tick)
    try:
        yield
    finally:
        due.cancel()
