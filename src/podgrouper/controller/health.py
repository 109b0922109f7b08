"""/healthz, /readyz and /metrics."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@asynccontextmanager
async def health_server(
    address: str, ready: Callable[[], bool], metrics: Callable[[], bytes]
) -> AsyncIterator[str]:
    """Serves on `host:port` while the context is open; gives the address that it got (port 0: any).

    An empty host is every address; an empty address is no server.
    """
    if not address:
        yield ""
        return
    host, _, port = address.rpartition(":")

    async def healthz(_: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def readyz(_: web.Request) -> web.Response:
        return web.Response(text="ok\n") if ready() else web.Response(text="not yet\n", status=503)

    async def page(_: web.Request) -> web.Response:
        return web.Response(body=metrics(), headers={"Content-Type": METRICS_TYPE})

    app = web.Application()
    app.add_routes([web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", page)])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host.strip("[]") or None, int(port))
        await site.start()
        yield "{}:{}".format(*runner.addresses[0][:2])
    finally:
        await runner.cleanup()
