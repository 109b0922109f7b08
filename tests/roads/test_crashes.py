"""Killed at any write and started again: the same world as without, and then silence."""

import asyncio

import pytest

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.fields import annotations, mapping, ref_of
from podgrouper.core.model import POD, Json
from podgrouper.dialects.volcano import POD_GROUP
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer, Transport
from podgrouper.sandbox.transport import MemoryTransport
from tests.builders import controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

VOLCANO = Config(profiles=BUILT_IN[:1])
WEB, DB = owner("apps/v1 ReplicaSet", "web", spec={"replicas": 3}), owner("apps/v1 StatefulSet", "db")
IDLE = owner("apps/v1 ReplicaSet", "idle", spec={"replicas": 0})
SMALL = owner(f"{POD_GROUP}", "podgroup-uid-web", controls(WEB), spec={"minMember": 1})
EMPTY = owner(f"{POD_GROUP}", "podgroup-uid-idle", controls(IDLE), spec={"minMember": 1})
PODS = [pod(name, controls(of)) for name, of in [("web-0", WEB), ("web-1", WEB), ("db-0", DB), ("db-1", DB)]]
WORLD = [WEB, DB, IDLE, SMALL, EMPTY, *PODS]
WRITES = 7
"""A group made, one changed, one deleted, and four links."""


class Dying:
    """Lets so many writes through, events aside. The next one and all after it never hear an answer."""

    def __init__(self, inner: Transport, writes: int, *, done: bool) -> None:
        self._inner = inner
        self._left = writes
        self._done = done
        self.died = asyncio.Event()
        self.stream = inner.stream
        self.close = inner.close

    async def send(self, request: Request) -> Answer:
        if request.method == "GET" or request.path.endswith("/events"):
            return await self._inner.send(request)
        self._left -= 1
        if self._left >= 0:
            return await self._inner.send(request)
        if self._left == -1 and self._done:
            await self._inner.send(request)
        self.died.set()
        return await asyncio.Future[Answer]()


def world(sandbox: Sandbox) -> tuple[dict[str, Json], dict[str, Json]]:
    """What groups say, and what pods name."""
    groups = {ref_of(group).name: mapping(group, "spec") for group in sandbox.store.list(POD_GROUP)}
    return groups, {ref_of(found).name: dict(annotations(found)) for found in sandbox.store.list(POD)}


async def settled(sandbox: Sandbox) -> int:
    """A controller runs until it is quiet. How much it wrote."""
    before = len(sandbox.writes())
    async with sandbox.controller(VOLCANO):
        await sandbox.quiet()
    return len(sandbox.writes()) - before


def without_a_crash() -> Sandbox:
    sandbox = Sandbox(WORLD)
    virtual_time.run(settled(sandbox))
    return sandbox


def test_without_a_crash_so_much_is_written():
    assert len(without_a_crash().writes()) == WRITES


@pytest.mark.parametrize("done", [True, False], ids=["its answer is lost", "it is never made"])
@pytest.mark.parametrize("writes", range(WRITES))
def test_killed_at_any_write_and_started_again_the_world_is_the_same(writes, done):
    sandbox = Sandbox(WORLD)

    async def killed_and_started_again() -> list[int]:
        dying = Dying(MemoryTransport(sandbox.api), writes, done=done)
        async with sandbox.controller(VOLCANO, transport=dying):
            await dying.died.wait()
        return [await settled(sandbox), await settled(sandbox)]

    written = virtual_time.run(killed_and_started_again())

    assert world(sandbox) == world(without_a_crash())
    assert written == [WRITES - writes - done, 0]
