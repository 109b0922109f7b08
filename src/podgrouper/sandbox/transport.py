"""The API in memory as a `Transport`: the client of a real cluster, without a socket.

Streams live in the running event loop and wait for the store; time is the loop's.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer, Stream
from podgrouper.memory.store import Store
from podgrouper.sandbox.api import Api
from podgrouper.sandbox.feeds import Feed
from podgrouper.sandbox.forms import JSON_HEADERS

BOOKMARK_SECONDS = 60.0
LAST_BOOKMARK_SECONDS = 1.5
"""Before the end of a watch the server says once more how far it came."""
LONGEST_SECONDS = 1800
"""How long a watch lasts that names no time."""


class MemoryTransport:
    """Every request is answered at once, on the loop of whoever asks."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def send(self, request: Request) -> Answer:
        await asyncio.sleep(0)
        found = self._api.answer(request)
        if isinstance(found, Answer):
            return found
        return Answer(200, JSON_HEADERS, b"".join([chunk async for chunk in chunks(found, self._api.store)]))

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Stream]:
        found = self._api.answer(request)
        if isinstance(found, Answer):
            yield _Stream(found.status, found.headers, _once(found.body))
            return
        lines = chunks(found, self._api.store)
        try:
            yield _Stream(200, JSON_HEADERS, lines)
        finally:
            await lines.aclose()

    async def close(self) -> None:
        """Nothing is held open."""


@dataclass(frozen=True, slots=True)
class _Stream:
    status: int
    headers: Mapping[str, str]
    chunks: AsyncIterator[bytes]

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self.chunks


async def _once(body: bytes) -> AsyncGenerator[bytes, None]:
    yield body


async def chunks(feed: Feed, store: Store) -> AsyncGenerator[bytes, None]:
    """A watch as it goes over the wire, until its time is over or it is too far behind."""
    loop = asyncio.get_running_loop()
    end = loop.time() + (feed.seconds or LONGEST_SECONDS)
    news = asyncio.Event()
    unsubscribe = store.subscribe(lambda _: news.set())
    try:
        yield feed.beginning()
        last_word = end - LAST_BOOKMARK_SECONDS
        while not feed.ended and loop.time() < end:
            until = last_word if loop.time() < last_word else end
            waited = min(until - loop.time(), BOOKMARK_SECONDS)
            try:
                async with asyncio.timeout(waited):
                    await news.wait()
            except TimeoutError:
                line = feed.bookmark() if loop.time() < end else b""
            else:
                news.clear()
                line = feed.news()
            if line:
                yield line
    finally:
        unsubscribe()
