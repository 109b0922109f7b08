"""`podgrouper run --observe`: nothing is written, and what would be written is told once."""

import asyncio
import logging

import pytest

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.controller.run import Controller
from podgrouper.core.model import Kind, Ref
from podgrouper.core.recovery import Recover, Recovery
from podgrouper.memory.patches import MERGE
from podgrouper.planning import plan
from tests.builders import controls, owner, pod
from tests.roads import gangs, virtual_time
from tests.roads.sandboxed import Sandbox

VOLCANO = Config(profiles=(BUILT_IN[0],))
GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
SIZE = "scheduling.volcano.sh/group-min-member"
WEB = owner("apps/v1 ReplicaSet", "web", spec={"replicas": 2}, annotations={SIZE: "2"})
PODS = [pod(name, controls(WEB)) for name in "ab"]
LONELY = pod("lonely")
PATIENCE = 11.0
WOULD = "would "


@pytest.fixture(autouse=True)
def level(caplog) -> None:
    caplog.set_level(logging.INFO)


def told(caplog) -> list[str]:
    """What it said that it would do."""
    lines = (line.getMessage() for line in caplog.records)
    return [line.removeprefix(WOULD) for line in lines if line.startswith(WOULD)]


def numbers(controller: Controller, *names: str) -> list[float | None]:
    return [controller.metrics.registry.get_sample_value(name) for name in names]


def intended(controller: Controller) -> dict[str, float | None]:
    kinds = ("create_group", "update_group", "delete_group", "link_pod")
    name = "podgrouper_intended_changes"
    return {kind: controller.metrics.registry.get_sample_value(name, {"change": kind}) for kind in kinds}


def test_no_request_is_a_write_and_each_change_is_told_once_however_often_it_looks(caplog):
    sandbox = Sandbox([WEB, *PODS])

    async def an_hour() -> None:
        async with sandbox.controller(VOLCANO, observe=True) as controller:
            await asyncio.sleep(PATIENCE)
            for number in range(30):
                sandbox.store.load(PODS[0] | {"status": {"phase": ("Running", "Pending")[number % 2]}})
                await asyncio.sleep(120)
            assert intended(controller) == {
                "create_group": 1,
                "update_group": 0,
                "delete_group": 0,
                "link_pod": 2,
            }
            assert numbers(controller, "podgrouper_differing_groups") == [1]

    virtual_time.run(an_hour())

    assert [request for request in sandbox.asked if request.method != "GET"] == []
    assert told(caplog) == [
        "create PodGroup ns/podgroup-uid-web: minMember 2, minResources.count/pods 2, minResources.pods 2",
        "link Pod ns/a to podgroup-uid-web",
        "link Pod ns/b to podgroup-uid-web",
    ]


def test_beside_a_controller_that_does_the_same_it_says_nothing(caplog):
    sandbox = Sandbox([WEB])

    async def both() -> None:
        async with sandbox.controller(VOLCANO), sandbox.controller(VOLCANO, observe=True) as observer:
            for one in PODS:
                sandbox.store.load(one)
            await sandbox.quiet()
            await asyncio.sleep(PATIENCE)
            assert numbers(observer, "podgrouper_differing_groups") == [0]
            assert set(intended(observer).values()) == {0}

    virtual_time.run(both())

    assert sandbox.store.find(GROUP, "ns", "podgroup-uid-web")
    assert told(caplog) == []


def test_where_another_controller_has_another_opinion_the_difference_is_told_and_goes_with_it(caplog):
    sandbox = Sandbox([WEB, *PODS])

    async def corrected() -> None:
        async with sandbox.controller(VOLCANO):
            await sandbox.quiet()
        ref = Ref(GROUP, "ns", "podgroup-uid-web")
        sandbox.store.patch(ref, MERGE, {"spec": {"minMember": 7}})
        async with sandbox.controller(VOLCANO, observe=True) as observer:
            await asyncio.sleep(PATIENCE)
            assert numbers(observer, "podgrouper_differing_groups") == [1]
            sandbox.store.patch(ref, MERGE, {"spec": {"minMember": 2}})
            await asyncio.sleep(1)
            assert numbers(observer, "podgrouper_differing_groups") == [0]

    virtual_time.run(corrected())

    assert told(caplog) == ["change PodGroup ns/podgroup-uid-web: spec.minMember 2"]


def test_what_is_intended_for_a_workload_goes_with_the_workload(caplog):
    sandbox = Sandbox([LONELY])

    async def gone() -> None:
        async with sandbox.controller(VOLCANO, observe=True) as observer:
            await asyncio.sleep(PATIENCE)
            sandbox.store.delete(Ref(Kind("v1", "Pod"), "ns", "lonely"))
            await asyncio.sleep(1)
            assert set(intended(observer).values()) == {0}

    virtual_time.run(gone())

    assert told(caplog) == [
        "create PodGroup ns/podgroup-uid-lonely: minMember 1, minResources.count/pods 1, minResources.pods 1",
        "link Pod ns/lonely to podgroup-uid-lonely",
    ]


def test_it_tells_what_diff_shows(caplog):
    objects = [WEB, *PODS, LONELY]
    sandbox = Sandbox(objects)

    async def looked() -> None:
        async with sandbox.controller(VOLCANO, observe=True):
            await asyncio.sleep(PATIENCE)

    virtual_time.run(looked())

    planned = plan(objects, VOLCANO)
    shown = {
        *(f"create {ref}" for ref in planned.created),
        *(f"link {link.pod.ref} to {link.group}" for link in planned.links),
    }
    assert {line.partition(": ")[0] for line in told(caplog)} == shown


def test_a_warning_is_told_and_no_event_is_made(caplog):
    mistaken = owner("apps/v1 ReplicaSet", "web", annotations={SIZE: "x"})
    sandbox = Sandbox([mistaken, pod("a", controls(mistaken))])

    async def looked() -> None:
        async with sandbox.controller(VOLCANO, observe=True):
            await asyncio.sleep(1)

    virtual_time.run(looked())

    assert [request for request in sandbox.asked if request.method != "GET"] == []
    assert [line.levelname for line in caplog.records if "BadValue" in line.getMessage()] == ["WARNING"]


def test_what_it_would_do_for_a_group_that_is_made_is_told_and_not_done_either(caplog):
    gang = gangs.Gang(gangs.VOLCANO, *gangs.ALL)
    looks_after = gangs.VOLCANO.config(write_status="always", recovery=Recovery(Recover.RESTART))

    async def breaks() -> int:
        async with gang.sandbox.controller(gangs.VOLCANO.config()):
            await gang.sandbox.quiet()
        before = len(gang.sandbox.asked)
        async with gang.sandbox.controller(looks_after, observe=True) as observer:
            gang.runs(*gangs.ALL)
            await asyncio.sleep(PATIENCE)
            name, change = "podgrouper_intended_changes", {"change": "write_status"}
            assert observer.metrics.registry.get_sample_value(name, change) == 1
            gang.gone("worker-1")
            await asyncio.sleep(3600)
        return before

    before = virtual_time.run(breaks())

    assert [request for request in gang.sandbox.asked[before:] if request.method != "GET"] == []
    assert [line for line in told(caplog) if "status.phase Running" in line]
