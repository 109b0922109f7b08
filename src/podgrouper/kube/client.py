"""Verbs for whoever wants objects: discovery, requests, pace and errors put together.

Nothing is tried twice here (the transport alone repeats a 401): whether an attempt is worth another one is
known only to who made it.
"""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from podgrouper.core.model import Json, Kind, Ref
from podgrouper.kube import requests
from podgrouper.kube.decoding import Decoder, object_of
from podgrouper.kube.discovery import ASK_AGAIN_SECONDS, Discovery
from podgrouper.kube.errors import (
    ApiError,
    Conflict,
    Gone,
    Invalid,
    NotFound,
    Unavailable,
    error_of,
    unknown_kind,
    unreachable,
)
from podgrouper.kube.pace import Pace
from podgrouper.kube.readiness import Readiness
from podgrouper.kube.requests import Request, Resource, WatchSpec
from podgrouper.kube.transport import Answer, Stream, Transport

_REFUSAL_LIMIT = 1 << 16

Hears = Callable[[Request, ApiError | None], None]
"""Told how every request ended: None when the server did what was asked for."""


class Client:
    """One API server. Every method raises the `ApiError` family and nothing else."""

    def __init__(
        self,
        transport: Transport,
        pace: Pace | None = None,
        *,
        ask_again_seconds: float = ASK_AGAIN_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._transport = transport
        self._pace = pace or Pace()
        self._readiness = Readiness(self._sent, now)
        self._discovery = Discovery(self.send, ask_again_seconds=ask_again_seconds, now=now)
        self._hears: Hears = lambda _request, _error: None

    def report_to(self, hears: Hears) -> None:
        """Somebody keeps book on what the server allows."""
        self._hears = hears

    async def resource(self, kind: Kind) -> Resource:
        """How the kind is served. Raises `UnknownKind`."""
        return await self._discovery.resource(kind)

    async def called(self, word: str) -> tuple[Resource, ...]:
        """The resources that people call so; empty when there is none."""
        return await self._discovery.called(word)

    def forget(self, kind: Kind) -> None:
        """The server did not know a path of this kind: ask anew how it is served."""
        self._discovery.forget(kind)

    async def get(
        self, kind: Kind, namespace: str, name: str, *, metadata_only: bool = False
    ) -> dict[str, object]:
        resource = await self.resource(kind)
        found = await self._object(kind, requests.get(resource, namespace, name, metadata_only=metadata_only))
        if metadata_only:
            found["apiVersion"], found["kind"] = resource.kind.api_version, resource.kind.kind
        return found

    async def list(self, spec: WatchSpec) -> tuple[Json, ...]:
        """All objects of all pages, with their kinds. When the pages expire, all at once."""
        resource = await self.resource(spec.kind)
        try:
            return await self._pages(resource, spec, requests.PAGE)
        except Gone:
            return await self._pages(resource, spec, 0)

    async def create(self, kind: Kind, namespace: str, obj: Json) -> dict[str, object]:
        return await self._object(kind, requests.create(await self.resource(kind), namespace, obj))

    async def merge_patch(self, ref: Ref, patch: Json, *, subresource: str = "") -> dict[str, object]:
        resource = await self.resource(ref.kind)
        request = requests.merge_patch(resource, ref, patch, subresource=subresource)
        return await self._object(ref.kind, request)

    async def strategic_patch(self, ref: Ref, patch: Json) -> dict[str, object]:
        return await self._object(
            ref.kind, requests.strategic_patch(await self.resource(ref.kind), ref, patch)
        )

    async def json_patch(
        self, ref: Ref, operations: Sequence[Json], decoder: Decoder | None = None
    ) -> dict[str, object]:
        """All operations or none. Raises `Conflict` when a test among them failed.

        The answer is what the decoder's shape keeps of the object; all of it without one.
        """
        request = requests.json_patch(await self.resource(ref.kind), ref, operations)
        try:
            return await self._object(ref.kind, request, decoder.one if decoder else object_of)
        except Invalid as error:
            if not error.failed_test:
                raise
            raise Conflict(error.message, status=error.status, reason=error.reason) from error

    async def delete(self, ref: Ref, *, version: str = "") -> dict[str, object]:
        """What the server says to it: the object while something still holds it, else a Status."""
        return await self._object(
            ref.kind, requests.delete(await self.resource(ref.kind), ref, version=version)
        )

    async def evict(self, pod: Ref) -> None:
        """Raises `Protected` where a PodDisruptionBudget says no."""
        await self._object(pod.kind, requests.evict(await self.resource(pod.kind), pod))

    async def send(self, request: Request) -> Answer:
        """The answer to any request; an answer of 300 or more is raised."""
        if request.method != "GET":
            return await self._sent(request)
        return await self._readiness.believed(lambda: self._sent(request))

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Stream]:
        """An answer that goes on. It waits for no turn and takes none from others."""
        async with AsyncExitStack() as ends:
            try:
                yield await self._readiness.believed(lambda: self._opened(request, ends))
            except Unavailable as error:
                self._doubt(error)
                raise

    async def close(self) -> None:
        await self._transport.close()

    async def _sent(self, request: Request) -> Answer:
        async with self._pace.turn():
            try:
                answer = await self._transport.send(request)
            except Unavailable as error:
                self._doubt(error)
                raise
        if answer.status >= 300:
            raise self._refused(request, error_of(answer.status, answer.headers, answer.body, request.asked))
        self._pace.went_well()
        self._hears(request, None)
        return answer

    async def _opened(self, request: Request, ends: AsyncExitStack) -> Stream:
        stream = await ends.enter_async_context(self._transport.stream(request))
        if stream.status != 200:
            said = await _beginning(stream)
            raise self._refused(request, error_of(stream.status, stream.headers, said, request.asked))
        self._hears(request, None)
        return stream

    def _doubt(self, error: Unavailable) -> None:
        """Whoever answers after a broken connection may be another server, or the same in another life."""
        if not error.status:
            self._readiness.doubt()

    def _refused(self, request: Request, error: ApiError) -> ApiError:
        self._pace.obey(error)
        self._hears(request, error)
        return error

    async def _object(
        self, kind: Kind, request: Request, read: Callable[[bytes], dict[str, object]] = object_of
    ) -> dict[str, object]:
        try:
            answer = await self.send(request)
        except NotFound as error:
            if error.reason:
                raise
            self.forget(kind)
            raise unknown_kind(kind) from error
        try:
            return read(answer.body)
        except ValueError as error:
            raise unreachable(request.asked, f"the answer is {error}", sent=True) from error

    async def _pages(self, resource: Resource, spec: WatchSpec, limit: int) -> tuple[Json, ...]:
        decoder = Decoder()
        found: list[Json] = []
        token = ""
        while True:
            request = requests.list_page(resource, spec, limit=limit, continue_token=token)
            answer = await self.send(request)
            try:
                page = decoder.page(answer.body)
            except ValueError as error:
                raise unreachable(request.asked, f"the answer is no list ({error})", sent=True) from error
            kind = {"apiVersion": resource.kind.api_version, "kind": resource.kind.kind}
            found.extend({**item, **kind} for item in page.items)
            token = page.continue_token
            if not token:
                return tuple(found)


async def _beginning(stream: Stream) -> bytes:
    """Enough of a refusal to understand it."""
    found = b""
    async for chunk in stream:
        found += chunk
        if len(found) > _REFUSAL_LIMIT:
            break
    return found
