"""The proxy proves itself: what each rule does to a request, and that without rules it is not there."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from aiohttp import web
from yarl import URL

from podgrouper.kube.client import Client
from podgrouper.kube.config import Cluster
from podgrouper.kube.errors import Conflict, Gone, TooMany, Unavailable
from podgrouper.kube.requests import Request, plain_get
from podgrouper.kube.transport import AiohttpTransport
from tests.faults.background import Background
from tests.faults.proxy import Answer, Cut, ErrorEvent, Proxy, Silence, Stage, stage_of

GOODBYE_SECONDS = 0.05
"""TLS connections that were closed say goodbye first, which nobody can wait for by name."""
PODS = "/api/v1/pods"
LINES = b'{"type":"ADDED"}\n{"type":"MODIFIED"}\n'
WATCH = Request("GET", PODS, (("watch", "true"), ("resourceVersion", "7")))
WRITE = Request("PATCH", f"{PODS}/a", body=b"{}")


class Server:
    """Answers with lines to everything, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(f"{request.method} {request.rel_url}")
        return web.Response(body=LINES)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    with Background(server.answer) as behind, Proxy(behind.url, behind.certificate, page=5) as proxy:
        yield proxy


@pytest.fixture
async def client(proxy: Proxy) -> AsyncIterator[Client]:
    client = Client(AiohttpTransport(Cluster(proxy.url, proxy.certificate.encode()), silence=0.5))
    yield client
    await client.close()
    await asyncio.sleep(GOODBYE_SECONDS)


async def lines(client: Client, request: Request) -> bytes:
    """Raises what breaks the stream, after whatever came before it."""
    async with client.stream(request) as stream:
        return b"".join([chunk async for chunk in stream])


async def test_without_rules_it_hands_on_every_byte(client, server):
    assert await lines(client, WATCH) == LINES
    assert server.asked == [f"GET {PODS}?watch=true&resourceVersion=7"]


async def test_pages_are_as_small_as_it_is_told(client, server):
    await client.send(Request("GET", PODS, (("limit", "500"), ("continue", "x/y="))))

    assert [URL(asked.split()[1]).query for asked in server.asked] == [{"limit": "5", "continue": "x/y="}]


@pytest.mark.parametrize(
    ("act", "error"),
    [
        pytest.param(Answer(409, "Conflict"), Conflict, id="409"),
        pytest.param(Answer(410, "Expired"), Gone, id="410"),
        pytest.param(Answer(429, "TooManyRequests", retry_after=1), TooMany, id="429"),
        pytest.param(Cut(), Unavailable, id="cut"),
    ],
)
async def test_a_refusal_comes_from_itself_and_the_server_hears_nothing(proxy, client, server, act, error):
    proxy.obey({Stage.WRITE: act})

    with pytest.raises(error):
        await client.send(WRITE)

    assert (server.asked, proxy.met[Stage.WRITE]) == ([], 1)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(Answer(504, "Timeout", after_doing=True), id="answered otherwise"),
        pytest.param(Cut(halfway=True), id="cut in the middle"),
    ],
)
async def test_what_was_done_may_not_be_heard_of(proxy, client, server, act):
    proxy.obey({Stage.WRITE: act})

    with pytest.raises(Unavailable):
        await client.send(WRITE)

    assert server.asked == [f"PATCH {PODS}/a"]


async def test_a_stream_may_end_in_the_middle_of_a_line_as_if_it_were_over(proxy, client):
    proxy.obey({Stage.WATCH: Cut(halfway=True, politely=True)})

    assert await lines(client, WATCH) == LINES[: len(LINES) // 2]


async def test_a_stream_may_begin_with_an_error(proxy, client):
    proxy.obey({Stage.WATCH: ErrorEvent(410, "Expired")})

    found = await lines(client, WATCH)

    assert found.startswith(b'{"type": "ERROR"')
    assert found.endswith(b"\n")


async def test_silence_is_noticed_by_nothing_but_the_time(proxy, client, server):
    proxy.obey({Stage.WATCH: Silence()})

    with pytest.raises(Unavailable, match="Timeout"):
        await lines(client, WATCH)

    assert server.asked == []


@pytest.mark.parametrize(
    ("expected", "request_"),
    [
        (Stage.DISCOVERY, plain_get("/apis")),
        (Stage.DISCOVERY, plain_get("/apis/apps/v1")),
        (Stage.LIST, Request("GET", PODS, (("limit", "500"),))),
        (Stage.PAGE, Request("GET", PODS, (("limit", "500"), ("continue", "x")))),
        (Stage.INITIAL, Request("GET", PODS, (("watch", "true"), ("sendInitialEvents", "true")))),
        (Stage.WATCH, WATCH),
        (Stage.READ, plain_get("/api/v1/namespaces/ns/pods/a")),
        (Stage.WRITE, WRITE),
    ],
)
def test_what_a_request_is_for(expected, request_):
    assert stage_of(request_.method, URL(request_.target)) is expected
