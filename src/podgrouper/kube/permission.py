"""A transport that writes only as long as it is ours to write."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from podgrouper.kube.errors import Withheld
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer, Stream, Transport


class WithPermission:
    """Asks for permission at the last moment before a write leaves: after it has waited for its turn."""

    def __init__(self, transport: Transport, may_write: Callable[[], bool]) -> None:
        self._transport = transport
        self._may_write = may_write

    async def send(self, request: Request) -> Answer:
        if request.method != "GET" and not self._may_write():
            raise Withheld(f"{request.asked}: not sent, to write is another replica's task")
        return await self._transport.send(request)

    def stream(self, request: Request) -> AbstractAsyncContextManager[Stream]:
        return self._transport.stream(request)

    async def close(self) -> None:
        await self._transport.close()
