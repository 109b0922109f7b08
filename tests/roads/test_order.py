"""The world is never seen in order: what comes late must not be mistaken for what is gone."""

import asyncio

import pytest

from podgrouper.config.model import Config, ProfileConfig
from podgrouper.core.fields import annotations, ref_of
from podgrouper.core.model import POD, Kind
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer
from tests.builders import controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

CONFIG = Config(profiles=(ProfileConfig("volcano", "volcano", "volcano", ("volcano",)),))
GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
LINK = "scheduling.k8s.io/group-name"
NOT_NOW = Answer(503, {}, b"{}")

IDLE = owner("apps/v1 ReplicaSet", "idle", spec={"replicas": 0})
IDLE_GROUP = owner(
    "scheduling.volcano.sh/v1beta1 PodGroup", "podgroup-uid-idle", controls(IDLE), spec={"minMember": 1}
)
LINKED = pod("idle-0", controls(IDLE), annotations={LINK: "podgroup-uid-idle"})
WIDGET = owner("example.com/v1 Widget", "slow")


def unreadable_widgets(request: Request) -> Answer | None:
    return NOT_NOW if request.path.endswith("/widgets") else None


def readable(_: Request) -> None:
    return None


def groups(sandbox: Sandbox) -> dict[str, str]:
    """Name -> uid."""
    return {ref_of(group).name: ref_of(group).uid for group in sandbox.store.list(GROUP)}


def links(sandbox: Sandbox) -> dict[str, str | None]:
    return {ref_of(pod).name: annotations(pod).get(LINK) for pod in sandbox.store.list(POD)}


def test_a_restart_keeps_the_group_of_pods_whose_owner_was_scaled_to_nothing():
    sandbox = Sandbox([IDLE, IDLE_GROUP, LINKED])

    async def restart() -> None:
        async with sandbox.controller(CONFIG):
            await sandbox.quiet()

    virtual_time.run(restart())

    assert groups(sandbox) == {"podgroup-uid-idle": "uid-podgroup-uid-idle"}
    assert [request.asked for request in sandbox.writes() if request.method == "DELETE"] == []


def test_nothing_is_deleted_while_some_pod_of_the_namespace_has_no_place_yet():
    sandbox = Sandbox([IDLE, IDLE_GROUP, WIDGET, pod("late", controls(WIDGET))])
    sandbox.refuse = unreadable_widgets
    kept: list[bool] = []

    async def healed_after_a_while() -> None:
        async with sandbox.controller(CONFIG):
            await asyncio.sleep(300)
            kept.append("podgroup-uid-idle" in groups(sandbox))
            sandbox.refuse = readable
            await sandbox.quiet(100)

    virtual_time.run(healed_after_a_while())

    assert kept == [True]
    assert groups(sandbox).keys() == {"podgroup-uid-slow"}
    assert links(sandbox) == {"late": "podgroup-uid-slow"}


@pytest.mark.parametrize("kind", ["apps/v1 ReplicaSet", "batch/v1 Job"])
def test_pods_whose_owner_cannot_be_read_hold_up_no_others(kind):
    fine = owner(kind, "fine")
    sandbox = Sandbox([WIDGET, pod("late", controls(WIDGET)), fine, pod("fine-0", controls(fine))])
    sandbox.refuse = unreadable_widgets

    async def a_minute() -> None:
        async with sandbox.controller(CONFIG):
            await asyncio.sleep(60)

    virtual_time.run(a_minute())

    assert links(sandbox) == {"fine-0": "podgroup-uid-fine", "late": None}
