"""The way to the API server: requests go out as values, answers come back as bytes.

The only file that knows an HTTP library. Whoever has another way (memory, another library) offers the
same three calls; nothing above can tell the difference.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from podgrouper.kube.access.cluster import Cluster
from podgrouper.kube.access.credentials import Source, source_of
from podgrouper.kube.access.tls import TlsContexts
from podgrouper.kube.errors import ApiError, unreachable
from podgrouper.kube.requests import Request

SILENCE_SECONDS = 90.0
"""Bookmarks come about once a minute; a connection that is silent for longer is dead, reset or not."""
CONNECT_SECONDS = 10.0
CONNECTIONS = 256
"""Requests are bounded before they come here (`pace`); watches hold one connection each."""
BUFFER = 1 << 17
"""Bytes read ahead of the reader; beyond twice that the server has to wait. So much is decoded at once."""
HEADER_LIMIT = 1 << 16
"""`Warning` headers of webhooks grow beyond what HTTP libraries expect."""


_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.ClientHttpProxyError)
_FAILURES = (aiohttp.ClientError, OSError)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. Headers are asked for in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Stream(Protocol):
    """An answer that goes on: iterate over it for chunks of bytes, cut anywhere.

    The iteration ends when the server ends it; it raises `Unavailable` when the connection breaks or
    nothing comes for `SILENCE_SECONDS`.
    """

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    def __aiter__(self) -> AsyncIterator[bytes]: ...


class Transport(Protocol):
    """One API server. Any status is an answer; only the lack of one raises (`Unavailable`)."""

    async def send(self, request: Request) -> Answer: ...

    def stream(self, request: Request) -> AbstractAsyncContextManager[Stream]: ...

    async def close(self) -> None: ...


class AiohttpTransport:
    """HTTP/1.1 over TLS with kept connections; made and closed inside a running loop.

    Whoever is told 401 reads the credentials once more and asks again, once.
    """

    def __init__(
        self, cluster: Cluster, *, silence: float = SILENCE_SECONDS, source: Source | None = None
    ) -> None:
        self._cluster = cluster
        self._silence = silence
        self._source = source or source_of(cluster)
        self._tls = TlsContexts(cluster)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=CONNECTIONS, keepalive_timeout=30),
            cookie_jar=aiohttp.DummyCookieJar(),
            read_bufsize=BUFFER,
            max_line_size=HEADER_LIMIT,
            max_field_size=HEADER_LIMIT,
        )

    async def send(self, request: Request) -> Answer:
        limits = _limits(request.timeout)
        try:
            response = await self._opened(request, limits)
            async with response:
                return Answer(response.status, response.headers, await response.read())
        except _FAILURES as error:
            raise _translated(error, request) from error

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Stream]:
        limits = aiohttp.ClientTimeout(
            total=request.timeout, sock_connect=CONNECT_SECONDS, sock_read=self._silence
        )
        try:
            response = await self._opened(request, limits)
        except _FAILURES as error:
            raise _translated(error, request) from error
        try:
            yield _AiohttpStream(request, response)
        finally:
            response.close()

    async def close(self) -> None:
        await self._session.close()

    async def _opened(self, request: Request, limits: aiohttp.ClientTimeout) -> aiohttp.ClientResponse:
        """The answer up to its headers. Whoever is told 401 shows newly read credentials, once."""
        response = await self._asked(request, limits)
        if response.status != 401:
            return response
        async with response:
            self._source.forget()
        return await self._asked(request, limits)

    async def _asked(self, request: Request, limits: aiohttp.ClientTimeout) -> aiohttp.ClientResponse:
        credential = await self._source.credential()
        headers = CIMultiDict(request.headers)
        headers.extend(self._cluster.headers)
        if credential.authorization:
            headers["Authorization"] = credential.authorization
        return await self._session.request(
            request.method,
            URL(self._cluster.server + request.target, encoded=True),
            data=request.body or None,
            headers=headers,
            timeout=limits,
            allow_redirects=False,
            ssl=self._tls.context(credential),
            server_hostname=self._cluster.tls_server_name or None,
            proxy=self._cluster.proxy or None,
        )


class _AiohttpStream:
    def __init__(self, request: Request, response: aiohttp.ClientResponse) -> None:
        self._request = request
        self._response = response

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def headers(self) -> Mapping[str, str]:
        return self._response.headers

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            chunk = await self._response.content.readany()
        except _FAILURES as error:
            raise _translated(error, self._request) from error
        if not chunk:
            raise StopAsyncIteration
        return chunk


@lru_cache(maxsize=16)
def _limits(seconds: float) -> aiohttp.ClientTimeout:
    """There are few different ones."""
    return aiohttp.ClientTimeout(total=seconds, sock_connect=CONNECT_SECONDS)


def _translated(error: Exception, request: Request) -> ApiError:
    """What the library raises becomes `Unavailable`, in one place."""
    return unreachable(request.asked, _why(error), sent=not isinstance(error, _NOT_SENT))


def _why(error: Exception) -> str:
    return str(error) or f"no answer in time ({type(error).__name__})"
