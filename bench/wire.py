"""The least that one needs to speak with an API server: for the loader and for the lone client."""

import ssl
from collections.abc import AsyncIterator

import aiohttp

from bench.orders import Where

_BUFFER = 1 << 20
_FOR_THE_WHOLE_RUN = 3600


def session_of(where: Where) -> aiohttp.ClientSession:
    """Kept connections over TLS."""
    tls = ssl.create_default_context(cadata=where.certificate)
    return aiohttp.ClientSession(
        where.url,
        connector=aiohttp.TCPConnector(limit=256, ssl=tls),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Authorization": f"Bearer {where.token}", "Accept": "application/json"},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
        read_bufsize=_BUFFER,
    )


async def watched(session: aiohttp.ClientSession, path: str, selector: str) -> AsyncIterator[bytes]:
    """Whole lines of watches, some at a time: first everything there is, then what happens.

    A server that thinks us too slow ends the watch; the next one shows once more what there is.
    """
    query = (
        f"{selector}&watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
        f"&resourceVersionMatch=NotOlderThan&timeoutSeconds={_FOR_THE_WHOLE_RUN}"
    )
    headers = {"Accept-Encoding": "identity"}
    while True:
        async with session.get(f"{path}?{query}", headers=headers, raise_for_status=True) as response:
            rest = b""
            while chunk := await response.content.readany():
                lines, newline, rest = (rest + chunk).rpartition(b"\n")
                if newline:
                    yield lines
