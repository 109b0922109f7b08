"""What can happen between a controller and its API server, made up from one number.

Lines of watches come late, so that kinds overtake each other; some come again, some are lost and everything
is listed anew; requests fail before or after they did what they asked for, or nothing is heard of them and
they are done when nobody waits any more. And the controller may die right behind any of its writes.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random

from podgrouper.kube.errors import unreachable
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer, Stream
from podgrouper.sandbox.api import Api
from podgrouper.sandbox.forms import JSON_HEADERS
from podgrouper.sandbox.transport import MemoryTransport

LATE = (0.0, 0.0, 0.0, 0.05, 0.5, 3.0)
"""Seconds that a line of a watch may be late; those behind it wait too."""
REPEATED, LOST, BROKEN = 0.1, 0.04, 0.02
"""How many lines of a watch."""
REFUSED, UNHEARD, SILENT = 0.05, 0.03, 0.02
"""How many requests."""
SERVED = (0.0, 45.0, None)
"""When a request is done of which nothing is heard: at once, when nobody waits for it any more, never."""
_GONE = b'{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired"}}\n'
_REFUSALS = (
    Answer(503, {}, b"{}"),
    Answer(500, {}, b"{}"),
    Answer(504, {}, b"{}"),
    Answer(429, {"Retry-After": "1"}, b"{}"),
)
_TOO_OLD = Answer(410, {}, b"{}")
QUIET_SECONDS = 300.0
"""Longer than any line is late and any retry waits."""


@dataclass(frozen=True)
class Disorder:
    """What hypothesis shows of it; the rest follows from the seed."""

    seed: int
    crashes: tuple[int, ...]
    """After so many writes each life of the controller ends; the last one does not."""


class DisorderlyTransport:
    """The API in memory, seen through a bad network. Dead: nothing goes out or comes in any more."""

    def __init__(self, api: Api, luck: Random, writes: int | None, calm: asyncio.Event | None = None) -> None:
        self._inner = MemoryTransport(api)
        self._luck = luck
        self._left = writes
        self._calm = calm or asyncio.Event()
        """From then on the network does nothing odd any more."""
        self._under_way: set[asyncio.Task[None]] = set()
        self.dead = asyncio.Event()
        self.oddities = 0
        """What went wrong: requests that failed, lines that were repeated or lost."""

    async def send(self, request: Request) -> Answer:
        if self._calm.is_set():
            return await self._inner.send(request)
        await asyncio.sleep(self._luck.choice(LATE))
        await self._alive()
        fate = self._luck.random()
        self.oddities += fate < REFUSED + SILENT or fate > 1 - UNHEARD
        if fate < REFUSED:
            return self._luck.choice(_REFUSALS)
        if fate < REFUSED + SILENT:
            return await self._silence(request)
        answer = await self._inner.send(request)
        if request.method != "GET":
            self._count()
        await self._alive()
        if fate > 1 - UNHEARD:
            raise unreachable(request.asked, "reset", sent=True)
        return answer

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Stream]:
        if not self._calm.is_set() and self._luck.random() < REFUSED:
            self.oddities += 1
            refusal = self._luck.choice((*_REFUSALS, _TOO_OLD))
            yield _Stream(refusal.status, _once(refusal.body))
            return
        async with self._inner.stream(request) as stream:
            yield _Stream(stream.status, self._disturbed(stream))

    async def close(self) -> None:
        await self._inner.close()

    async def _silence(self, request: Request) -> Answer:
        """What is under way is done even if whoever sent it is dead by then."""
        seconds = self._luck.choice(SERVED)
        if seconds is not None:
            late = asyncio.create_task(self._served(request, seconds))
            self._under_way.add(late)
            late.add_done_callback(self._under_way.discard)
        await asyncio.sleep(request.timeout)
        await self._alive()
        raise unreachable(request.asked, "timed out", sent=True)

    async def _served(self, request: Request, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._inner.send(request)

    def _count(self) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                self.dead.set()

    async def _alive(self) -> None:
        """Comes back unless the controller is dead: then it is never heard of again."""
        if self.dead.is_set():
            await asyncio.Event().wait()

    async def _disturbed(self, stream: Stream) -> AsyncIterator[bytes]:
        last: list[bytes] = []
        async for chunk in stream:
            for line in chunk.splitlines(keepends=True):
                if self._calm.is_set():
                    yield line
                    continue
                await asyncio.sleep(self._luck.choice(LATE))
                await self._alive()
                fate = self._luck.random()
                self.oddities += fate < LOST + BROKEN or fate > 1 - REPEATED
                if fate < LOST:
                    yield _GONE
                    return
                if fate < LOST + BROKEN:
                    return
                last = [*last[-2:], line]
                yield line
                if fate > 1 - REPEATED:
                    yield b"".join(last)


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


@dataclass(frozen=True)
class _Stream:
    status: int
    chunks: AsyncIterator[bytes]
    headers = JSON_HEADERS

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self.chunks
