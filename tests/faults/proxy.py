"""A proxy between the program and the API server, which does to them whatever a network can do.

It understands what is asked (`Stage`), so that a fault can meet the list and not the watch. Without rules it
hands on every byte as it comes.
"""

import asyncio
import json
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import TypeAlias

import aiohttp
import yaml
from aiohttp import web
from yarl import URL

from tests.faults.background import Background

_NOT_HANDED_ON = ("transfer-encoding", "content-length", "connection", "host")


class Stage(Enum):
    """What a request is for."""

    DISCOVERY = "discovery"
    INITIAL = "first watch"
    LIST = "list"
    PAGE = "page 2"
    WATCH = "watch start"
    READ = "read"
    WRITE = "write"


EVERYTHING = frozenset(Stage)
LISTING = frozenset({Stage.INITIAL, Stage.LIST})


@dataclass(frozen=True, slots=True)
class Answer:
    """The proxy answers instead of the server, as the server would."""

    status: int
    reason: str
    retry_after: int = 0
    after_doing: bool = False
    """The server did it, and nobody hears of it."""


@dataclass(frozen=True, slots=True)
class Delay:
    """Every answer comes later."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks before the server hears of it, or in the middle of what it says."""

    halfway: bool = False
    politely: bool = False
    """As if the answer were over."""


@dataclass(frozen=True, slots=True)
class Silence:
    """Takes everything and says nothing, as long as the rule stands and after it: nobody is told."""


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """The stream begins with an ERROR event."""

    status: int
    reason: str


Act: TypeAlias = Answer | Delay | Cut | Silence | ErrorEvent
Rules: TypeAlias = Mapping[Stage, Act]
NO_RULES: Rules = {}


@dataclass(slots=True, eq=False)
class _Line:
    """One request on its way."""

    request: web.BaseRequest
    dead: bool = False
    """Nothing comes through any more, and nobody says so."""


class Proxy:
    """From `with` to its end. Its rules hold for whatever is asked after they were set."""

    def __init__(self, url: str, certificate: str, *, page: int = 0) -> None:
        self._server = Background(self._take)
        self._upstream = url
        self._trusts = ssl.create_default_context(cadata=certificate)
        self._page = page
        """So many objects stand on a page, where there is a number: then nothing is listed by a watch."""
        self._rules = NO_RULES
        self.met: Counter[Stage] = Counter()
        """How many requests met the present rules."""
        self._lines: set[_Line] = set()

    def __enter__(self) -> "Proxy":
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def certificate(self) -> str:
        return self._server.certificate

    def obey(self, rules: Rules) -> None:
        self.met = Counter()
        self._rules = rules

    def cut(self) -> None:
        """Breaks everything that is open, with a reset."""
        self._server.call(self._cut)

    def go_dead(self) -> None:
        """What is open stays open, and nothing comes through any more."""
        self._server.call(self._go_dead)

    def _cut(self) -> None:
        for line in self._lines:
            _broken(line.request)

    def _go_dead(self) -> None:
        for line in self._lines:
            line.dead = True

    async def _take(self, request: web.BaseRequest) -> web.StreamResponse:
        line = _Line(request)
        self._lines.add(line)
        try:
            return await self._answered(line)
        finally:
            self._lines.discard(line)

    async def _answered(self, line: _Line) -> web.StreamResponse:
        request, stage = line.request, stage_of(line.request.method, line.request.rel_url)
        if self._page and stage is Stage.INITIAL:
            return _refusal(Answer(422, "Invalid"))
        act = self._rules.get(stage)
        self.met[stage] += act is not None
        match act:
            case Answer(after_doing=False):
                return _refusal(act)
            case ErrorEvent():
                return web.Response(body=_error_line(act), content_type="application/json")
            case Silence():
                await _for_ever()
            case Delay(seconds):
                await asyncio.sleep(seconds)
            case Cut(halfway=False):
                return _broken(request)
            case _:
                pass
        try:
            return await self._handed_on(line, act)
        except (aiohttp.ClientError, OSError):
            return _broken(request)

    async def _handed_on(self, line: _Line, act: Act | None) -> web.StreamResponse:
        async with self._upstream_answer(line.request) as answer:
            if isinstance(act, Answer):
                await answer.read()
                return _refusal(act)
            response = web.StreamResponse(status=answer.status, headers=_kept(answer.headers))
            await response.prepare(line.request)
            async for chunk in answer.content.iter_any():
                if line.dead:
                    await _for_ever()
                if isinstance(act, Cut):
                    await response.write(chunk[: len(chunk) // 2])
                    if not act.politely:
                        _broken(line.request)
                    break
                await response.write(chunk)
            await response.write_eof()
            return response

    @asynccontextmanager
    async def _upstream_answer(self, request: web.BaseRequest) -> AsyncIterator[aiohttp.ClientResponse]:
        """On a connection of its own, so that one request that breaks is no matter of another."""
        target = request.rel_url
        if self._page and "limit" in target.query:
            target = target.update_query(limit=str(self._page))
        async with (
            aiohttp.ClientSession(auto_decompress=False, timeout=aiohttp.ClientTimeout()) as session,
            session.request(
                request.method,
                URL(self._upstream + str(target), encoded=True),
                headers=_kept(request.headers),
                data=await request.read() or None,
                ssl=self._trusts,
            ) as answer,
        ):
            yield answer


def by_proxy(kubeconfig: Path, proxy: Proxy, folder: Path) -> Path:
    """The same user of the same server, by way of the proxy."""
    settings = yaml.safe_load(kubeconfig.read_text())
    authority = folder / f"{kubeconfig.stem}-proxy.crt"
    authority.write_text(proxy.certificate)
    for cluster in settings["clusters"]:
        cluster["cluster"] = {"server": proxy.url, "certificate-authority": str(authority)}
    path = folder / f"{kubeconfig.stem}-by-proxy.kubeconfig"
    path.write_text(yaml.safe_dump(settings))
    return path


def stage_of(method: str, url: URL) -> Stage:
    """What a request of the program is for, as its query tells."""
    if method != "GET":
        return Stage.WRITE
    if url.query.get("watch"):
        return Stage.INITIAL if "sendInitialEvents" in url.query else Stage.WATCH
    if "continue" in url.query:
        return Stage.PAGE
    if "limit" in url.query:
        return Stage.LIST
    places = len(url.path.strip("/").split("/"))
    return Stage.DISCOVERY if places <= (3 if url.path.startswith("/apis") else 2) else Stage.READ


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in _NOT_HANDED_ON}


def _refusal(answer: Answer) -> web.Response:
    headers = {"Retry-After": str(answer.retry_after)} if answer.retry_after else {}
    body = json.dumps(_status(answer.status, answer.reason))
    return web.Response(status=answer.status, text=body, content_type="application/json", headers=headers)


def _error_line(error: ErrorEvent) -> bytes:
    event = {"type": "ERROR", "object": _status(error.status, error.reason)}
    return json.dumps(event).encode() + b"\n"


def _status(code: int, reason: str) -> Mapping[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Status",
        "status": "Failure",
        "message": f"{reason}, says the proxy",
        "reason": reason,
        "code": code,
    }


def _broken(request: web.BaseRequest) -> web.Response:
    """Resets the connection; the answer is for nobody."""
    if request.transport:
        request.transport.abort()
    return web.Response()


async def _for_ever() -> None:
    await asyncio.Event().wait()
