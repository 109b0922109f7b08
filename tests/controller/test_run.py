"""The controller as a whole: it stops when asked, and what nobody expected does not end it."""

import asyncio
from dataclasses import replace

import pytest

from podgrouper.cli.run import setup_of
from podgrouper.config.model import BUILT_IN, Config
from podgrouper.controller.run import Controller, Setup
from podgrouper.core.fields import ref_of
from podgrouper.core.model import Ref
from podgrouper.dialects.volcano import POD_GROUP, VolcanoDialect
from podgrouper.kube.transport import Answer
from podgrouper.sandbox.transport import MemoryTransport
from podgrouper.wiring import Wired, wire
from tests.builders import controls, owner, pod
from tests.roads.sandboxed import Sandbox
from tests.roads.virtual_time import in_virtual_time

VOLCANO = Config(profiles=BUILT_IN[:1])
SET = owner("apps/v1 StatefulSet", "web", spec={"replicas": 2})
WORLD = [SET, pod("web-0", controls(SET)), pod("alone")]
FIVE_SECONDS = 5.0


class Slow(MemoryTransport):
    """Each write takes so long."""

    def __init__(self, api, seconds):
        super().__init__(api)
        self._seconds = seconds

    async def send(self, request):
        if request.method != "GET":
            await asyncio.sleep(self._seconds)
        return await super().send(request)


@pytest.mark.parametrize(
    ("seconds", "groups"),
    [
        pytest.param(2.0, 2, id="what ends in time is waited for"),
        pytest.param(60.0, 0, id="what does not is not"),
    ],
)
@in_virtual_time
async def test_it_stops_within_five_seconds(seconds, groups):
    sandbox, stop = Sandbox(WORLD), asyncio.Event()
    client = sandbox.client(Slow(sandbox.api, seconds))
    running = asyncio.create_task(Controller(client, setup_of(VOLCANO)).run(stop))
    await asyncio.sleep(1)
    stop.set()
    asked = asyncio.get_running_loop().time()
    await running

    assert asyncio.get_running_loop().time() - asked < FIVE_SECONDS
    assert len(sandbox.store.list(POD_GROUP)) == groups


@in_virtual_time
async def test_it_stops_as_well_before_the_ground_is_known():
    sandbox, stop = Sandbox(WORLD), asyncio.Event()
    sandbox.refuse = lambda _: Answer(503, {}, b"{}")
    running = asyncio.create_task(Controller(sandbox.client(), setup_of(VOLCANO)).run(stop))
    await asyncio.sleep(100)
    stop.set()
    await running

    assert sandbox.writes() == []


class Unlinkable(VolcanoDialect):
    """Fails where nobody expects it."""

    def link(self, group, placement):
        if placement.pod.name == "odd":
            raise RuntimeError("what a pod")
        return super().link(group, placement)


@in_virtual_time
async def test_a_fault_of_an_extension_is_counted_and_costs_nobody_else_a_group():
    (volcano,) = wire(VOLCANO, {}).profiles
    profiles = (replace(volcano, dialect=Unlinkable()),)
    sandbox, stop = Sandbox([*WORLD, pod("odd")]), asyncio.Event()
    controller = Controller(sandbox.client(), Setup(lambda _: Wired(profiles)))
    running = asyncio.create_task(controller.run(stop))
    await sandbox.quiet()
    stop.set()
    await running

    assert b"podgrouper_faults_total 0.0" not in controller.metrics.page()
    assert [ref_of(group).name for group in sandbox.store.list(POD_GROUP)] == [
        "podgroup-uid-alone",
        "podgroup-uid-web",
    ]


@in_virtual_time
async def test_in_a_steady_state_nothing_is_asked_but_that_watches_go_on():
    sandbox = Sandbox(WORLD)
    async with sandbox.controller(VOLCANO):
        await sandbox.quiet()
        sandbox.asked.clear()
        await asyncio.sleep(3600)

    assert [one.asked for one in sandbox.asked if "watch" not in dict(one.query)] == []


@in_virtual_time
async def test_a_group_that_somebody_deletes_is_back_within_five_seconds():
    sandbox = Sandbox(WORLD)
    async with sandbox.controller(VOLCANO):
        await sandbox.quiet()
        sandbox.store.delete(Ref(POD_GROUP, "ns", "podgroup-uid-web"))
        await asyncio.sleep(FIVE_SECONDS)

    assert sandbox.store.find(POD_GROUP, "ns", "podgroup-uid-web")


@in_virtual_time
async def test_what_it_did_is_counted():
    sandbox = Sandbox(WORLD)
    async with sandbox.controller(VOLCANO) as controller:
        await sandbox.quiet()

        page = controller.metrics.page().decode().splitlines()
    assert 'podgrouper_writes_total{change="create_group"} 2.0' in page
    assert 'podgrouper_writes_total{change="link_pod"} 2.0' in page
    assert "podgrouper_pods 2.0" in page
    assert "podgrouper_ready 1.0" in page
