"""The stub on a port: shelves that stream, and the embedded API for everything else."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, suppress
from urllib.parse import parse_qsl

import msgspec
from aiohttp import web

from bench.stub.shelves import VERSION, Shelf, Wanted
from podgrouper.core.model import Kind
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer
from podgrouper.memory.refusals import Refused
from podgrouper.memory.refusals import not_found as no_such_object
from podgrouper.sandbox.api import Api
from podgrouper.sandbox.feeds import Feed
from podgrouper.sandbox.forms import JSON_HEADERS, Form, form_of, refusal
from podgrouper.sandbox.routing import Route, route
from podgrouper.sandbox.transport import chunks

BOOKMARK_SECONDS = 60.0
LONGEST_SECONDS = 1800.0
SELECTOR = "spec.schedulerName="
EXPIRED = (
    b'{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",'
    b'"message":"too old resource version","reason":"Expired","code":410}}\n'
)


class Stub:
    """Answers requests. Counts them by method and collection, so that nobody has to believe anybody."""

    def __init__(self, api: Api, shelves: Mapping[Kind, Shelf]) -> None:
        self._api = api
        self._shelves = shelves
        self._expired = asyncio.Event()
        self.asked: Counter[str] = Counter()

    def application(self) -> web.Application:
        app = web.Application(client_max_size=3 << 20)
        app.router.add_get("/stub/asked", self._tell)
        app.router.add_post("/stub/expire", self._expire)
        app.router.add_route("*", "/{path:.*}", self._respond)
        return app

    async def _tell(self, _: web.Request) -> web.Response:
        return web.json_response(self.asked)

    async def _expire(self, _: web.Request) -> web.Response:
        """Every version so far is too old: whoever watches has to list again."""
        expired, self._expired = self._expired, asyncio.Event()
        expired.set()
        return web.Response()

    async def _respond(self, incoming: web.Request) -> web.StreamResponse:
        path, _, query = incoming.raw_path.partition("?")
        where = route(path, self._api.store.catalog)
        watching = " watch" if "watch=true" in query else ""
        if not isinstance(where, Route):
            self.asked[f"{incoming.method} {path}"] += 1
            return await self._elsewhere(incoming, path, query)
        self.asked[f"{incoming.method} {where.resource.plural}{watching}"] += 1
        shelf = self._shelves.get(where.resource.kind)
        if shelf is None or incoming.method != "GET":
            return await self._elsewhere(incoming, path, query)
        try:
            return await self._shown(incoming, where, shelf)
        except Refused as refused:
            return _plain(refusal(refused))

    async def _elsewhere(self, incoming: web.Request, path: str, query: str) -> web.StreamResponse:
        asked = tuple(parse_qsl(query, keep_blank_values=True))
        request = Request(incoming.method, path, asked, dict(incoming.headers), await incoming.read())
        found = self._api.answer(request)
        if isinstance(found, Answer):
            return _plain(found)
        return await self._streamed(incoming, self._feed(found))

    async def _feed(self, feed: Feed) -> AsyncIterator[bytes]:
        async with aclosing(chunks(feed, self._api.store)) as lines:
            async for line in lines:
                yield line

    async def _shown(self, incoming: web.Request, where: Route, shelf: Shelf) -> web.StreamResponse:
        accept, query = incoming.headers.get("Accept", ""), incoming.query
        if where.name:
            found = shelf.one(where.namespace, where.name, form_of(accept, of_list=False))
            if found is None:
                raise no_such_object(where.resource, where.name)
            return web.Response(body=found, headers=JSON_HEADERS)
        selector = query.get("fieldSelector", "")
        wanted = Wanted(where.namespace, selector.removeprefix(SELECTOR))
        if query.get("watch") == "true":
            form = form_of(accept, of_list=False)
            return await self._streamed(incoming, self._watch(where, shelf, form, wanted, query))
        form = form_of(accept, of_list=True)
        start, limit = int(query.get("continue", "0")), int(query.get("limit", "0"))
        return _page(where, form, *shelf.items(_of_item(form), wanted, start, limit))

    async def _watch(
        self, where: Route, shelf: Shelf, form: Form, wanted: Wanted, query: Mapping[str, str]
    ) -> AsyncIterator[bytes]:
        """Everything there is, where that is asked for; then bookmarks, until the versions expire."""
        loop = asyncio.get_running_loop()
        end = loop.time() + float(query.get("timeoutSeconds", LONGEST_SECONDS))
        expired = self._expired
        if query.get("sendInitialEvents") == "true":
            for lines in shelf.lines(form, wanted):
                yield lines
            yield _bookmark(where, {"k8s.io/initial-events-end": "true"})
        while (left := end - loop.time()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, BOOKMARK_SECONDS)):
                    await expired.wait()
                yield EXPIRED
                return
            yield _bookmark(where, {})

    async def _streamed(self, incoming: web.Request, lines: AsyncIterator[bytes]) -> web.StreamResponse:
        response = web.StreamResponse(headers=JSON_HEADERS)
        await response.prepare(incoming)
        with suppress(ConnectionError):
            async for line in lines:
                await response.write(line)
            await response.write_eof()
        return response


def _plain(answer: Answer) -> web.Response:
    return web.Response(status=answer.status, headers=answer.headers, body=answer.body)


def _of_item(form: Form) -> Form:
    return Form.WHOLE if form is Form.WHOLE else Form.METADATA


def _page(where: Route, form: Form, items: bytes, rest: int) -> web.Response:
    kind = where.resource.list_kind if form is Form.WHOLE else str(form)
    version = where.resource.kind.api_version if form is Form.WHOLE else "meta.k8s.io/v1"
    metadata = {"resourceVersion": VERSION} | ({"continue": str(rest)} if rest else {})
    head = msgspec.json.encode({"kind": kind, "apiVersion": version, "metadata": metadata})
    return web.Response(body=b'%s,"items":[%s]}' % (head[:-1], items), headers=JSON_HEADERS)


def _bookmark(where: Route, annotations: Mapping[str, str]) -> bytes:
    kind = where.resource.kind
    metadata = {"resourceVersion": VERSION} | ({"annotations": annotations} if annotations else {})
    obj = {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata}
    return msgspec.json.encode({"type": "BOOKMARK", "object": obj}) + b"\n"
