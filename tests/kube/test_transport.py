"""The way to the server over real sockets: TLS, credentials, and everything that may break."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from podgrouper.kube.access.cluster import Cluster, Token, TokenFile
from podgrouper.kube.access.credentials import Credential
from podgrouper.kube.errors import Unavailable
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import AiohttpTransport
from tests.cluster.waiting import eventually_async
from tests.kube.authority import Authority
from tests.kube.wire import answer, chunks, hang_up, noise, silence, wire

GET = Request("GET", "/x", timeout=5.0)
PATCH = Request("PATCH", "/x", body=b"{}", timeout=5.0)


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@asynccontextmanager
async def transport(cluster: Cluster, **options: float) -> AsyncIterator[AiohttpTransport]:
    made = AiohttpTransport(cluster, **options)
    try:
        yield made
    finally:
        await made.close()


async def read(transport: AiohttpTransport, into: list[bytes] | None = None) -> list[bytes]:
    """The chunks of a stream up to its end."""
    got = [] if into is None else into
    async with transport.stream(GET) as stream:
        async for chunk in stream:
            got.append(chunk)
    return got


async def test_path_query_headers_and_body_go_out_as_they_are():
    request = Request("PATCH", "/a%2Fb/c%3F", (("q", "a b+c%&="),), {"Accept": "x/y"}, b"\x00body")
    async with wire(answer(200)) as server, transport(Cluster(f"{server.url}/prefix")) as sender:
        await sender.send(request)

    asked = server.asked[0]
    assert (asked.method, asked.target) == ("PATCH", "/prefix/a%2Fb/c%3F?q=a%20b%2Bc%25%26%3D")
    assert (asked.headers["accept"], asked.body) == ("x/y", b"\x00body")


@pytest.mark.parametrize("status", [200, 201, 302, 404, 409, 429, 500])
async def test_every_status_is_an_answer(status):
    async with (
        wire(answer(status, b"words", Retry_After="3")) as server,
        transport(Cluster(server.url)) as sender,
    ):
        got = await sender.send(GET)

    assert (got.status, got.body, got.headers["retry-after"]) == (status, b"words", "3")


async def test_connections_are_kept():
    async with wire(answer(200)) as server, transport(Cluster(server.url)) as sender:
        await sender.send(GET)
        await sender.send(PATCH)

    assert (server.connections, len(server.asked)) == (1, 2)


async def test_a_server_of_the_right_authority_is_trusted(authority):
    tls = authority.server().context()
    async with (
        wire(answer(200), tls=tls) as server,
        transport(Cluster(server.url, ca=authority.certificate)) as sender,
    ):
        assert (await sender.send(GET)).status == 200


async def test_a_server_of_another_authority_is_not(authority):
    tls = Authority().server().context()
    async with (
        wire(answer(200), tls=tls) as server,
        transport(Cluster(server.url, ca=authority.certificate)) as sender,
    ):
        with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED") as raised:
            await sender.send(PATCH)

    assert not raised.value.maybe_done


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"tls_server_name": "api.example"}, id="by the name that tls-server-name gives"),
        pytest.param({"insecure": True, "ca": b""}, id="without any check"),
    ],
)
async def test_a_server_under_another_name_is_reached(authority, how):
    tls = authority.server("api.example").context()
    async with (
        wire(answer(200), tls=tls) as server,
        transport(replace(Cluster(server.url, ca=authority.certificate), **how)) as sender,
    ):
        assert (await sender.send(GET)).status == 200


async def test_a_client_certificate_is_shown(authority):
    tls, user = authority.server().context(authority.certificate), authority.user("grouper")
    async with wire(answer(200), tls=tls) as server:
        cluster = Cluster(server.url, authority.certificate, certificate=user.certificate, key=user.key)
        async with transport(cluster) as sender:
            await sender.send(GET)

    assert server.asked[0].subject == "grouper"


async def test_a_server_that_wants_a_certificate_refuses_who_has_none(authority):
    tls = authority.server().context(authority.certificate)
    async with (
        wire(answer(200), tls=tls) as server,
        transport(Cluster(server.url, authority.certificate)) as sender,
    ):
        with pytest.raises(Unavailable):
            await sender.send(GET)


async def test_a_certificate_that_a_plugin_gave_is_shown(authority):
    tls, user = authority.server().context(authority.certificate), authority.user("plugin")
    source = Given(Credential("", user.certificate, user.key))
    async with (
        wire(answer(200), tls=tls) as server,
        transport(Cluster(server.url, authority.certificate), source=source) as sender,
    ):
        await sender.send(GET)

    assert server.asked[0].subject == "plugin"


async def test_token_and_impersonation_go_with_every_request():
    headers = (("Impersonate-User", "jane"),)
    async with (
        wire(answer(200)) as server,
        transport(Cluster(server.url, identity=Token("t0"), headers=headers)) as sender,
    ):
        await sender.send(GET)

    got = server.asked[0].headers
    assert (got["authorization"], got["impersonate-user"]) == ("Bearer t0", "jane")


async def test_a_refused_token_is_read_again_once(tmp_path):
    file = tmp_path / "token"
    file.write_text("old\n")
    async with (
        wire(answer(200), answer(401), answer(200)) as server,
        transport(Cluster(server.url, identity=TokenFile(file))) as sender,
    ):
        await sender.send(GET)
        file.write_text("new\n")
        got = await sender.send(PATCH)

    assert got.status == 200
    assert [asked.headers["authorization"] for asked in server.asked] == [
        "Bearer old",
        "Bearer old",
        "Bearer new",
    ]
    assert server.asked[-1].body == PATCH.body


async def test_a_token_that_stays_refused_is_an_answer():
    async with wire(answer(401)) as server, transport(Cluster(server.url, identity=Token("t"))) as sender:
        got = await sender.send(GET)

    assert (got.status, len(server.asked)) == (401, 2)


async def test_a_stream_gives_bytes_until_its_end():
    async with wire(chunks(b"one\ntw", b"o\n")) as server, transport(Cluster(server.url)) as sender:
        assert b"".join(await read(sender)) == b"one\ntwo\n"


async def test_a_stream_shows_its_status_before_its_bytes():
    async with (
        wire(answer(410, b"old")) as server,
        transport(Cluster(server.url)) as sender,
        sender.stream(GET) as stream,
    ):
        status = stream.status
        body = [chunk async for chunk in stream]

    assert (status, body) == (410, [b"old"])


async def test_large_lines_come_through():
    line = b"x" * (5 << 20)
    async with wire(chunks(line, b"\n")) as server, transport(Cluster(server.url)) as sender:
        assert b"".join(await read(sender)) == line + b"\n"


async def test_a_stream_that_falls_silent_is_dead():
    async with (
        wire(chunks(b"one\n", then=silence)) as server,
        transport(Cluster(server.url), silence=0.2) as sender,
    ):
        with pytest.raises(Unavailable):
            await read(sender)


async def test_so_is_one_that_never_begins():
    async with wire(silence) as server, transport(Cluster(server.url), silence=0.2) as sender:
        with pytest.raises(Unavailable):
            await read(sender)


async def test_what_came_before_a_break_is_there():
    got: list[bytes] = []
    async with wire(chunks(b"one\nhal", then=hang_up)) as server, transport(Cluster(server.url)) as sender:
        with pytest.raises(Unavailable):
            await read(sender, into=got)

    assert b"".join(got) == b"one\nhal"


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(hang_up, id="it hangs up"),
        pytest.param(noise(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), id="half an answer"),
        pytest.param(noise(b"SSH-2.0-OpenSSH_9\r\n\r\n"), id="no HTTP"),
        pytest.param(
            noise(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Encoding: gzip\r\n\r\nnope"), id="no gzip"
        ),
        pytest.param(silence, id="it says nothing"),
    ],
)
@pytest.mark.parametrize(
    ("request_", "maybe"), [(replace(GET, timeout=0.3), False), (replace(PATCH, timeout=0.3), True)]
)
async def test_without_an_answer_nobody_knows_whether_a_write_happened(reply, request_, maybe):
    async with wire(reply) as server, transport(Cluster(server.url)) as sender:
        with pytest.raises(Unavailable, match=r"^(GET|PATCH) /x: .+") as raised:
            await sender.send(request_)

    assert raised.value.maybe_done is maybe


async def test_what_could_not_be_sent_did_not_happen():
    async with wire(answer(200)) as server:
        pass
    async with transport(Cluster(server.url)) as sender:
        with pytest.raises(Unavailable) as raised:
            await sender.send(PATCH)

    assert not raised.value.maybe_done


async def test_a_redirection_is_not_followed():
    """The token would go along to whoever it names."""
    async with (
        wire(answer(307, Location="http://127.0.0.1:1/")) as server,
        transport(Cluster(server.url, identity=Token("t"))) as sender,
    ):
        assert (await sender.send(GET)).status == 307


async def test_a_proxy_is_asked_where_one_is_named():
    async with (
        wire(answer(200)) as proxy,
        transport(Cluster("http://api.example", proxy=proxy.url)) as sender,
    ):
        await sender.send(GET)

    assert proxy.asked[0].target == "http://api.example/x"


async def test_a_proxy_that_refuses_is_no_answer():
    async with (
        wire(answer(407)) as proxy,
        transport(Cluster("https://api.example", proxy=proxy.url)) as sender,
    ):
        with pytest.raises(Unavailable, match="407") as raised:
            await sender.send(PATCH)

    assert not raised.value.maybe_done


async def test_cancelling_a_read_is_no_error_of_the_server():
    async with wire(silence) as server, transport(Cluster(server.url)) as sender:
        task = asyncio.ensure_future(sender.send(GET))
        await eventually_async(lambda: server.asked)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


class Given:
    """A source that gives what it was given."""

    def __init__(self, credential: Credential) -> None:
        self._credential = credential

    async def credential(self) -> Credential:
        return self._credential

    def forget(self) -> None:
        pass
