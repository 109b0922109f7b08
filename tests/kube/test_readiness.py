"""A refusal is believed from a server that is ready."""

import asyncio
import json
from collections.abc import Callable, Iterable

import pytest

from podgrouper.core.model import Kind
from podgrouper.kube.errors import Forbidden, Unavailable, unreachable
from podgrouper.kube.readiness import BELIEVED_SECONDS
from podgrouper.kube.requests import Request, WatchSpec, watch
from podgrouper.kube.transport import Answer
from podgrouper.sandbox.transport import MemoryTransport
from tests.builders import owner
from tests.roads.sandboxed import Sandbox
from tests.roads.virtual_time import in_virtual_time

NOTE = Kind("v1", "ConfigMap")


def refused(code: int) -> Answer:
    body = {"kind": "Status", "code": code, "reason": "Forbidden", "message": "no"}
    return Answer(code, {}, json.dumps(body).encode())


def refusing(*ends: str, code: int = 403) -> Callable[[Request], Answer | None]:
    """Whatever is asked at a path that ends so."""
    return lambda request: refused(code) if request.path.endswith(ends) else None


def asked(requests: Iterable[Request]) -> list[str]:
    return [request.path.rpartition("/")[2] for request in requests]


def shop() -> Sandbox:
    return Sandbox([owner(f"{NOTE}", "a"), owner(f"{NOTE}", "b")])


@in_virtual_time
async def test_a_refusal_is_believed_when_the_server_is_ready_and_says_it_again():
    sandbox = shop()
    client = sandbox.client()
    await client.get(NOTE, "ns", "b")
    sandbox.refuse = refusing("/a")
    before = len(sandbox.asked)

    with pytest.raises(Forbidden):
        await client.get(NOTE, "ns", "a")

    assert asked(sandbox.asked[before:]) == ["a", "readyz", "a"]


@in_virtual_time
async def test_of_a_server_that_is_known_to_be_ready_each_refusal_counts():
    sandbox = shop()
    client = sandbox.client()
    sandbox.refuse = refusing("/a", "/b")
    with pytest.raises(Forbidden):
        await client.get(NOTE, "ns", "a")
    before = len(sandbox.asked)

    with pytest.raises(Forbidden):
        await client.get(NOTE, "ns", "b")

    assert asked(sandbox.asked[before:]) == ["b"]


@pytest.mark.parametrize(
    "not_ready",
    [
        pytest.param(refusing("/a", "/configmaps", "/readyz"), id="it forbids even that question"),
        pytest.param(
            lambda request: refusing("/readyz", code=500)(request) or refusing("/a", "/configmaps")(request),
            id="it says so",
        ),
    ],
)
@in_virtual_time
async def test_a_refusal_by_a_server_that_is_not_ready_is_no_answer(not_ready):
    sandbox = shop()
    client = sandbox.client()
    request = watch(await client.resource(NOTE), WatchSpec(NOTE), initial=True)
    sandbox.refuse = not_ready

    with pytest.raises(Unavailable, match="not ready"):
        await client.get(NOTE, "ns", "a")
    with pytest.raises(Unavailable, match="not ready"):
        async with client.stream(request):
            pass


@in_virtual_time
async def test_what_it_forbids_only_until_it_is_ready_is_answered_then():
    sandbox = shop()
    client = sandbox.client()
    await client.resource(NOTE)
    answers = iter([refused(403)])
    sandbox.refuse = lambda request: next(answers, None) if request.path.endswith("/a") else None

    found = await client.get(NOTE, "ns", "a")

    assert found["metadata"]["name"] == "a"


@in_virtual_time
async def test_who_may_not_ask_whether_it_is_ready_believes_it_after_some_seconds():
    sandbox = shop()
    client = sandbox.client()
    await client.resource(NOTE)
    sandbox.refuse = refusing("/a", "/readyz")
    with pytest.raises(Unavailable):
        await client.get(NOTE, "ns", "a")

    await asyncio.sleep(BELIEVED_SECONDS)

    with pytest.raises(Forbidden):
        await client.get(NOTE, "ns", "a")


class Line(MemoryTransport):
    """A way that breaks once."""

    broken = False

    async def send(self, request: Request) -> Answer:
        if self.broken:
            self.broken = False
            raise unreachable(request.asked, "reset", sent=True)
        return await super().send(request)


@in_virtual_time
async def test_after_a_connection_broke_it_may_be_another_server():
    sandbox = shop()
    line = Line(sandbox.api)
    client = sandbox.client(line)
    sandbox.refuse = refusing("/a")
    with pytest.raises(Forbidden):
        await client.get(NOTE, "ns", "a")
    line.broken = True
    with pytest.raises(Unavailable):
        await client.get(NOTE, "ns", "b")
    sandbox.refuse = refusing("/a", "/readyz")

    with pytest.raises(Unavailable, match="not ready"):
        await client.get(NOTE, "ns", "a")
