"""A small HTTPS server of a test's own: it answers from a thread while the test waits for something."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from types import TracebackType

from aiohttp import web

from tests.kube.authority import Authority

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

_START_SECONDS = 10.0
_READ_AHEAD = 1 << 20


class Background:
    """From `with` to its end; whoever trusts `certificate` may speak to it at `url`."""

    def __init__(self, answer: Handler) -> None:
        authority = Authority()
        self.certificate = authority.certificate.decode()
        self.port = 0
        self._tls = authority.server().context()
        self._answer = answer
        self._up = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._over: asyncio.Event
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="background", daemon=True
        )

    def __enter__(self) -> "Background":
        self._thread.start()
        assert self._up.wait(_START_SECONDS), "the server of the test did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.call(self._over.set)
        self._thread.join()

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def call(self, what: Callable[[], None]) -> None:
        """Does this in the server's own thread, soon."""
        self._loop.call_soon_threadsafe(what)

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        server = web.Server(self._answer, handler_cancellation=True, read_bufsize=_READ_AHEAD)
        runner = web.ServerRunner(server, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=self._tls).start()
        self.port = runner.addresses[0][1]
        self._up.set()
        await self._over.wait()
        await runner.cleanup()
