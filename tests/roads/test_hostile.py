"""Hostile objects: none ends or holds up the road, and none changes anything for anybody else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podgrouper.config.model import Config
from podgrouper.core.fields import uid
from podgrouper.core.model import Json
from podgrouper.kube.decoding import TooLarge, object_of
from podgrouper.policies.kai.registry import GROUPERS
from tests.builders import controls, owner, pod
from tests.roads import virtual_time
from tests.roads.costs import costs_of_owner, costs_of_pod, profile_called, too_slow
from tests.roads.hostile import PODS, VALUES, owner_bytes, pod_bytes
from tests.roads.sandboxed import Sandbox
from tests.roads.strangers import effects, strangers
from tests.roads.worlds import SCHEDULERS, worlds

KINDS = sorted({str(kind) for grouper in GROUPERS for kind in grouper.kinds})
MANY_PARTS = [kind for kind in KINDS if kind.endswith(("v1 RayCluster", "v1 PyTorchJob", " JobSet"))]
FEW = 40
ELSEWHERE = "red"
"""No namespace of small worlds."""
profiles = pytest.mark.parametrize("profile", ["volcano", "kai"])


@profiles
@pytest.mark.parametrize("name", PODS)
def test_no_pod_holds_up_the_others(name, profile):
    data = pod_bytes(name, SCHEDULERS[profile], "blue")

    assert too_slow(costs_of_pod(data, profile_called(profile))) == {}


@pytest.mark.parametrize("kind", MANY_PARTS)
@pytest.mark.parametrize("value", VALUES)
def test_no_owner_holds_up_the_others(kind, value):
    above = controls(owner(kind, "o", namespace="blue"))
    member = pod("p", above, namespace="blue", scheduler=SCHEDULERS["kai"])

    assert too_slow(costs_of_owner(owner_bytes(kind, value, "blue"), member, profile_called("kai"))) == {}


def readable(data: bytes) -> list[Json]:
    """The object; none where it is passed over."""
    try:
        return [object_of(data)]
    except TooLarge:
        return []


@profiles
@pytest.mark.parametrize("name", PODS)
def test_no_pod_changes_anything_for_others(name, profile):
    scheduler = SCHEDULERS[profile]
    train = owner("batch/v1 Job", "train", namespace="blue", spec={"parallelism": 2})
    members = [pod(f"train-{n}", controls(train), namespace="blue", scheduler=scheduler) for n in "ab"]
    world = [train, *members, pod("alone", namespace="green", scheduler=scheduler)]
    hostile = readable(pod_bytes(name, scheduler, "blue"))

    before = effects(world, Config(), "uid-hostile")
    after = effects([*world, *hostile], Config(), "uid-hostile")

    assert len(before.links) == 3
    assert after == before


@profiles
@given(data=st.data())
@settings(max_examples=60)
def test_whatever_a_pod_of_another_namespace_speaks_of_is_out_of_its_reach(profile, data):
    world = data.draw(worlds(profile))
    stranger = data.draw(strangers(world, ELSEWHERE))

    before = effects(world.objects, world.config, uid(stranger))
    after = effects([*world.objects, stranger], world.config, uid(stranger))

    assert after.outside(ELSEWHERE) == before


def test_of_ten_thousand_owners_few_are_asked_for():
    sandbox = Sandbox([object_of(pod_bytes("10 000 owners", "volcano", "blue"))])

    async def until_quiet() -> None:
        async with sandbox.controller(Config()):
            await sandbox.quiet()

    virtual_time.run(until_quiet())

    reads = [request.path for request in sandbox.asked if request.path.endswith("/replicasets/rs")]
    assert 1 <= len(reads) <= FEW
