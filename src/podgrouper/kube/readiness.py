"""Whether a refusal means what it says.

An API server that has just started has not read the roles yet, and forbids everybody everything. Who takes
that for the state of things sees owners disappear behind it. It calls itself ready once it has read them.
Only reads are doubted: nothing is decided because a write was refused, it is just tried again.
"""

import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from podgrouper.kube.errors import ApiError, Forbidden, Internal, TooMany, Unavailable
from podgrouper.kube.requests import Request, plain_get
from podgrouper.kube.transport import Answer

READY = "/readyz"
BELIEVED_SECONDS = 10.0
"""A server that goes on forbidding for so long means it, also where we may not ask whether it is ready."""
_NOT_READY = (Forbidden, Internal, TooMany, Unavailable)

Came = TypeVar("Came")


class Readiness:
    """Remembers that the server is ready, as long as no connection to it breaks."""

    def __init__(
        self, send: Callable[[Request], Awaitable[Answer]], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._send = send
        self._now = now
        self._sure = False
        self._forbidden_since: float | None = None

    def doubt(self) -> None:
        """It may be another life of the server that answers next."""
        self._sure = False
        self._forbidden_since = None

    async def believed(self, attempt: Callable[[], Awaitable[Came]]) -> Came:
        """What the attempt comes to. A refusal counts when the server was known to be ready before.

        Raises `Unavailable` instead of a refusal by a server that is not ready.
        """
        was_sure = self._sure
        try:
            return await attempt()
        except Forbidden as refusal:
            if was_sure:
                raise
            await self._make_sure(refusal)
        return await attempt()

    async def _make_sure(self, refusal: Forbidden) -> None:
        if self._forbidden_since is None:
            self._forbidden_since = self._now()
        if not await self._ready() and self._now() - self._forbidden_since < BELIEVED_SECONDS:
            raise Unavailable(f"{refusal.message}, says a server that is not ready", status=503) from refusal
        self._sure = True

    async def _ready(self) -> bool:
        """Whoever does not know the question is no server that starts."""
        try:
            await self._send(plain_get(READY))
        except _NOT_READY:
            return False
        except ApiError:
            return True
        return True
