"""How fast we may ask: so many at once, so many a second, and not at all while the server wants a pause.

First come, first served. Watches are not counted: they last.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

from podgrouper.kube.errors import ApiError, TooMany, Unavailable

IN_FLIGHT = 16
"""Reaches an API server's full rate; more only wait inside it (measured)."""
LONGEST_PAUSE_SECONDS = 60.0
ONE_SIGN_SECONDS = 1.0
"""Refusals so close together are one sign of overload, however many requests were under way."""


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
        self._places = _Places(in_flight)
        self._interval = 1 / qps if qps else 0.0
        self._ahead = self._interval * ((burst or max(1, int(qps or 1))) - 1)
        """How far requests may run ahead of an even pace."""
        self._even = now()
        """When the next request would be due at an even pace."""
        self._quiet_until = now()
        self._one_sign_until = now()
        self._now = now
        self._sleep = sleep

    @property
    def in_flight(self) -> int:
        """Requests that may be under way at once now."""
        return int(self._places.limit)

    def turn(self) -> "_Turn":
        """A context: waits until one more request may be made; it is in flight until the block ends."""
        return _Turn(self)

    async def begin(self) -> None:
        await self._places.take()
        try:
            await self._in_time()
            while (rest := self._quiet_until - self._now()) > 0:
                await self._sleep(rest)
        except BaseException:
            self._places.give_back()
            raise

    def end(self) -> None:
        self._places.give_back()

    def went_well(self) -> None:
        """A request was answered as asked: a few more of those, and one more may be under way."""
        self._places.grow()

    def obey(self, error: ApiError) -> None:
        """A pause for everybody where an overloaded server asks for one, and half as many afterwards."""
        if not isinstance(error, TooMany | Unavailable):
            return
        if error.retry_after:
            pause = min(error.retry_after, LONGEST_PAUSE_SECONDS)
            self._quiet_until = max(self._quiet_until, self._now() + pause)
        if isinstance(error, TooMany) and self._now() >= self._one_sign_until:
            self._one_sign_until = max(self._quiet_until, self._now() + ONE_SIGN_SECONDS)
            self._places.halve()

    async def _in_time(self) -> None:
        if not self._interval:
            return
        due = max(self._even, self._now())
        self._even = due + self._interval
        wait = due - self._ahead - self._now()
        if wait > 0:
            await self._sleep(wait)


class _Turn:
    """One request. A class of its own, because a generator costs twice as much, for each request."""

    __slots__ = ("_pace",)

    def __init__(self, pace: Pace) -> None:
        self._pace = pace

    async def __aenter__(self) -> None:
        await self._pace.begin()

    async def __aexit__(self, *_: object) -> None:
        self._pace.end()


class _Places:
    """A semaphore whose size changes while it is held."""

    def __init__(self, most: int) -> None:
        self.limit: float = most
        self._most = most
        self._taken = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        if not self._waiting and self._taken < int(self.limit):
            self._taken += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        self._taken -= 1
        self._admit()

    def grow(self) -> None:
        """By one for each full round of requests."""
        if self.limit < self._most:
            self.limit = min(self._most, self.limit + 1 / self.limit)
            self._admit()

    def halve(self) -> None:
        self.limit = max(1.0, self.limit / 2)

    def _admit(self) -> None:
        while self._waiting and self._taken < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self._taken += 1
                turn.set_result(None)
