"""Several replicas of the controller: one writes, the others are ready to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from podgrouper.config.model import Config, ProfileConfig
from podgrouper.controller.election import Terms
from podgrouper.controller.leadership import Candidacy, Leadership, LostLease
from podgrouper.core.fields import annotations, ref_of
from podgrouper.core.model import POD, Kind
from podgrouper.kube.client import Client
from podgrouper.kube.permission import WithPermission
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer, Stream
from podgrouper.sandbox.transport import MemoryTransport
from tests.builders import controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

CONFIG = Config(profiles=(ProfileConfig("volcano", "volcano", "volcano", ("volcano",)),))
GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
LINK = "scheduling.k8s.io/group-name"
TERMS = Terms(lease_seconds=15, renew_seconds=10, retry_seconds=2)
SLOW_SECONDS = 20
"""So long the server thinks about widgets: longer than whoever holds the lease may go without renewing it."""
WIDGET = owner("example.com/v1 Widget", "slow")
OWNERS = [owner("apps/v1 ReplicaSet", f"web-{number}", spec={"replicas": 2}) for number in range(3)]
MEMBERS = [pod(f"{ref_of(one).name}-{number}", controls(one)) for one in OWNERS for number in range(2)]
LINKS = {ref_of(one).name: f"podgroup-uid-{ref_of(one).name.rpartition('-')[0]}" for one in MEMBERS}


class Noting(MemoryTransport):
    """The way of one replica, and what it asked."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox.api)
        self.asked: list[Request] = []

    async def send(self, request: Request) -> Answer:
        self.asked.append(request)
        return await super().send(request)

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Stream]:
        if request.path.endswith("/widgets"):
            await asyncio.sleep(SLOW_SECONDS)
        async with super().stream(request) as stream:
            yield stream

    def writes(self) -> list[str]:
        return [one.asked for one in self.asked if one.method != "GET"]


class Replica:
    """One of them, with its own way to the API server."""

    def __init__(self, sandbox: Sandbox, name: str) -> None:
        self._sandbox = sandbox
        self.line = Noting(sandbox)
        elections = MemoryTransport(sandbox.api)
        candidacy = Candidacy("default", "podgrouper", name, TERMS)
        self.leadership = Leadership(Client(elections), candidacy, clock=self._clock, now=sandbox.clock)
        self.ahead = 0.0
        """Its clock, against what its timers believe: it was stopped for so long."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        way = WithPermission(self.line, self.leadership.may_write)
        async with self._sandbox.controller(CONFIG, way, self.leadership):
            yield

    def _clock(self) -> float:
        return asyncio.get_running_loop().time() + self.ahead


def links(sandbox: Sandbox) -> dict[str, str | None]:
    return {ref_of(pod).name: annotations(pod).get(LINK) for pod in sandbox.store.list(POD)}


def test_the_second_replica_writes_nothing_and_takes_over_without_reading():
    sandbox = Sandbox([*OWNERS, *MEMBERS[:-1]])
    first, second = Replica(sandbox, "a"), Replica(sandbox, "b")
    stood_by: list[str] = []

    async def taken_over() -> None:
        async with first.running():
            await asyncio.sleep(10)
            standby = asyncio.create_task(_for_a_minute(second))
            await asyncio.sleep(10)
            stood_by.extend(second.line.writes())
        second.line.asked.clear()
        sandbox.store.load(MEMBERS[-1])
        await standby

    virtual_time.run(taken_over())

    assert stood_by == []
    assert links(sandbox) == LINKS
    assert second.line.writes() == ["PATCH /api/v1/namespaces/ns/pods/web-2-1"]
    assert [one.asked for one in second.line.asked if one.method == "GET" and not one.query] == []


async def _for_a_minute(replica: Replica) -> None:
    async with replica.running():
        await asyncio.sleep(60)


class StandsStill:
    """Its process stops for longer than the lease, right after so many writes have left it."""

    def __init__(self, replica: Replica, after: int) -> None:
        self._replica = replica
        self._after = after
        self.happened = asyncio.Event()

    def __call__(self, _: Request) -> None:
        if len(self._replica.line.writes()) >= self._after and not self.happened.is_set():
            self._replica.ahead = TERMS.lease_seconds + 1
            self.happened.set()


@pytest.mark.parametrize("writes", range(1, 9))
def test_a_replica_that_stood_still_in_the_middle_of_its_work_writes_nothing_when_it_goes_on(writes):
    sandbox = Sandbox([*OWNERS, *MEMBERS])
    first, second = Replica(sandbox, "a"), Replica(sandbox, "b")
    still = StandsStill(first, after=writes)
    sandbox.refuse = still
    left: list[int] = []

    async def work() -> None:
        async with first.running():
            await still.happened.wait()
            left.append(len(first.line.writes()))
            await asyncio.sleep(60)

    async def alone_then_followed() -> None:
        with pytest.raises(ExceptionGroup) as ended:
            await work()
        assert ended.group_contains(LostLease)
        await _for_a_minute(second)

    virtual_time.run(alone_then_followed())

    assert left == [len(first.line.writes())]
    assert links(sandbox) == LINKS
    assert len(sandbox.store.list(GROUP)) == len(OWNERS)


def test_who_wins_while_it_waits_for_a_slow_answer_keeps_the_lease_and_goes_to_work():
    sandbox = Sandbox([*OWNERS, *MEMBERS[:-1], WIDGET])
    first, second = Replica(sandbox, "a"), Replica(sandbox, "b")
    done: list[dict[str, str | None]] = []

    async def taken_over() -> None:
        async with first.running():
            await asyncio.sleep(10)
            standby = asyncio.create_task(_for_a_minute(second))
            await asyncio.sleep(5)
        sandbox.store.load(pod("slow-0", controls(WIDGET)))
        sandbox.store.load(MEMBERS[-1])
        await asyncio.sleep(2)
        await first.leadership.give_back()
        await asyncio.sleep(SLOW_SECONDS / 2)
        done.append(links(sandbox))
        await standby

    virtual_time.run(taken_over())

    assert done == [{**LINKS, "slow-0": None}]
    assert links(sandbox) == {**LINKS, "slow-0": "podgroup-uid-slow"}
