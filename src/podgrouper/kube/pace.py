"""How fast we may ask: so many at once, so many a second, and not at all while the server wants a pause.

First come, first served. Watches are not counted: they last.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from podgrouper.kube.errors import ApiError, TooMany, Unavailable

IN_FLIGHT = 16
LONGEST_PAUSE_SECONDS = 60.0


class Pace:
    """Shared by all requests to one API server."""

    def __init__(
        self,
        in_flight: int = IN_FLIGHT,
        qps: float | None = None,
        burst: int | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if in_flight < 1 or (qps is not None and qps <= 0) or (burst is not None and burst < 1):
            raise ValueError(f"a pace of {in_flight} in flight, {qps} a second, {burst} at once never ends")
        self._places = asyncio.Semaphore(in_flight)
        self._interval = 1 / qps if qps else 0.0
        self._ahead = self._interval * ((burst or max(1, int(qps or 1))) - 1)
        """How far requests may run ahead of an even pace."""
        self._even = now()
        """When the next request would be due at an even pace."""
        self._quiet_until = now()
        self._now = now
        self._sleep = sleep

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Waits until one more request may be made; it is in flight until the block ends."""
        async with self._places:
            await self._in_time()
            while (rest := self._quiet_until - self._now()) > 0:
                await self._sleep(rest)
            yield

    def obey(self, error: ApiError) -> None:
        """A pause for everybody where an overloaded server asks for one."""
        if isinstance(error, TooMany | Unavailable) and error.retry_after:
            pause = min(error.retry_after, LONGEST_PAUSE_SECONDS)
            self._quiet_until = max(self._quiet_until, self._now() + pause)

    async def _in_time(self) -> None:
        if not self._interval:
            return
        due = max(self._even, self._now())
        self._even = due + self._interval
        wait = due - self._ahead - self._now()
        if wait > 0:
            await self._sleep(wait)
