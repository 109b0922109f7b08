"""What can happen between a controller and its API server, made up from one number.

Lines of watches come late, so that kinds overtake each other; some come again, some are lost and everything
is listed anew; requests fail before or after they did what they asked for. And the controller may die right
behind any of its writes.
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
REFUSED, UNHEARD = 0.05, 0.03
"""How many requests."""
_GONE = b'{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired"}}\n'
_NOT_NOW = Answer(503, {}, b"{}")
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

    def __init__(self, api: Api, luck: Random, writes: int | None) -> None:
        self._inner = MemoryTransport(api)
        self._luck = luck
        self._left = writes
        self.dead = asyncio.Event()

    async def send(self, request: Request) -> Answer:
        await asyncio.sleep(self._luck.choice(LATE))
        await self._alive()
        fate = self._luck.random()
        if fate < REFUSED:
            return _NOT_NOW
        answer = await self._inner.send(request)
        if request.method != "GET":
            self._count()
        await self._alive()
        if fate > 1 - UNHEARD:
            raise unreachable(request.asked, "reset", sent=True)
        return answer

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Stream]:
        async with self._inner.stream(request) as stream:
            yield _Stream(stream.status, self._disturbed(stream))

    async def close(self) -> None:
        await self._inner.close()

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
                await asyncio.sleep(self._luck.choice(LATE))
                await self._alive()
                fate = self._luck.random()
                if fate < LOST:
                    yield _GONE
                    return
                if fate < LOST + BROKEN:
                    return
                last = [*last[-2:], line]
                yield line
                if fate > 1 - REPEATED:
                    yield b"".join(last)


@dataclass(frozen=True)
class _Stream:
    status: int
    chunks: AsyncIterator[bytes]
    headers = JSON_HEADERS

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self.chunks
