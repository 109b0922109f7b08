"""The embedded API on a port of this machine: plain HTTP on the loopback, for demos and tests.

Anything that speaks to Kubernetes can be pointed at it: `kubeconfig` is all it needs. There is no
authentication: whoever reaches the port may do everything, which is why it listens on 127.0.0.1 alone.
"""

import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qsl

from aiohttp import web

from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer
from podgrouper.memory.store import Store
from podgrouper.sandbox.api import Api
from podgrouper.sandbox.cleaning import collecting
from podgrouper.sandbox.feeds import Feed
from podgrouper.sandbox.forms import JSON_HEADERS
from podgrouper.sandbox.seeds import seed
from podgrouper.sandbox.transport import chunks

HOST = "127.0.0.1"
_LARGEST_BODY = 3 << 20
"""Bytes of a request; a real server refuses more as well."""
_STOP_SECONDS = 1.0


def store() -> Store:
    """A store with the clock and the randomness of this machine, and what every cluster has from birth."""
    made = Store(now=lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), uid=lambda: str(uuid.uuid4()))
    seed(made)
    return made


class Server:
    """The API on a port. Made by `running` and `serving`."""

    def __init__(self, api: Api, url: str) -> None:
        self.api = api
        self.url = url

    @property
    def store(self) -> Store:
        return self.api.store

    def write_kubeconfig(self, path: Path) -> Path:
        """A kubeconfig for this server; JSON, which every reader of YAML reads."""
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "sandbox",
            "clusters": [{"name": "sandbox", "cluster": {"server": self.url}}],
            "users": [{"name": "sandbox", "user": {}}],
            "contexts": [{"name": "sandbox", "context": {"cluster": "sandbox", "user": "sandbox"}}],
        }
        path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        return path


@asynccontextmanager
async def running(api: Api, *, port: int = 0) -> AsyncIterator[Server]:
    """Serves, and collects garbage, until it is left."""
    async with serving(api, port=port) as server:
        with collecting(api.store):
            yield server


@asynccontextmanager
async def serving(api: Api, *, port: int = 0) -> AsyncIterator[Server]:
    """Only serves until it is left; port 0 takes a free one. Open watches end when it is left."""
    app = web.Application(client_max_size=_LARGEST_BODY)
    app.router.add_route("*", "/{path:.*}", _handler(api))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=_STOP_SECONDS)
    await runner.setup()
    site = web.TCPSite(runner, HOST, port)
    await site.start()
    address = runner.addresses[0]
    try:
        yield Server(api, f"http://{HOST}:{address[1]}")
    finally:
        await runner.cleanup()


def _handler(api: Api) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def respond(incoming: web.Request) -> web.StreamResponse:
        found = api.answer(await _read(incoming))
        if isinstance(found, Answer):
            return web.Response(status=found.status, headers=found.headers, body=found.body)
        return await _stream(incoming, found, api.store)

    return respond


async def _read(incoming: web.Request) -> Request:
    """The request as a value. The path stays as it was sent: routing splits before it decodes."""
    path, _, query = incoming.raw_path.partition("?")
    return Request(
        incoming.method,
        path,
        tuple(parse_qsl(query, keep_blank_values=True)),
        dict(incoming.headers),
        await incoming.read(),
    )


async def _stream(incoming: web.Request, feed: Feed, store: Store) -> web.StreamResponse:
    """A watch, chunk by chunk; a client that goes away ends it."""
    response = web.StreamResponse(headers=JSON_HEADERS)
    await response.prepare(incoming)
    lines = chunks(feed, store)
    with suppress(ConnectionResetError):
        try:
            async for chunk in lines:
                await response.write(chunk)
            await response.write_eof()
        finally:
            await lines.aclose()
    return response
