"""Groups of all dialects in one table."""

import pytest

from podgrouper.config.model import Config
from podgrouper.core.fields import uid
from podgrouper.listing import Choice, entries, lineage
from podgrouper.memory.world import World
from podgrouper.wiring import wire
from tests.builders import controls, owner, pod

JOB = owner("batch/v1 Job", "train")
VOLCANO = owner(
    "scheduling.volcano.sh/v1beta1 PodGroup",
    "podgroup-1",
    controls(JOB),
    spec={"minMember": 3, "queue": "gpu", "priorityClassName": "high"},
    status={"phase": "Inqueue"},
)
KAI = owner(
    "scheduling.run.ai/v2alpha2 PodGroup",
    "pg-1",
    spec={"minMember": 9, "subGroups": [{"name": "a", "minMember": 1}, {"name": "b", "minMember": 1}]},
)


def linked(name, phase="Pending", **more):
    annotations = {"scheduling.k8s.io/group-name": "podgroup-1"}
    return pod(name, phase=phase, annotations=annotations, **more)


def listed(*objects, choice=None):
    profiles = wire(Config(), {}).profiles
    world = World(objects, {})
    world.see(profiles)
    groups = [group for profile in profiles for group in world.of_kind(profile.dialect.kind)]
    return entries(groups, world.pods(), profiles, choice)


def test_a_group_shows_what_it_asks_for_and_what_it_has():
    (entry,) = listed(VOLCANO, linked("a", "Running"), linked("b"), linked("c", "Succeeded"), pod("other"))

    assert (entry.scheduler, entry.status, entry.floor, entry.have, entry.running) == (
        "volcano",
        "Inqueue",
        3,
        3,
        1,
    )
    assert (entry.queue, entry.priority_class, entry.owner_text) == ("gpu", "high", "Job/train")


def test_where_no_scheduler_says_anything_the_pods_do():
    silent = {**VOLCANO, "status": {}}

    (entry,) = listed(silent, *(linked(name, "Running") for name in "abc"))

    assert entry.status == "Running"


def test_the_floor_of_a_tree_is_that_of_its_leaves():
    (entry,) = listed(KAI)

    assert (entry.floor, entry.owner_text) == (2, "")


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        pytest.param(None, ["pg-1", "podgroup-1"], id="all of them"),
        pytest.param(Choice(frozenset({"pg-1"})), ["pg-1"], id="by name"),
        pytest.param(Choice(owned_by=frozenset({uid(JOB)})), ["podgroup-1"], id="by owner"),
        pytest.param(Choice(owned_by=frozenset({"nobody"})), [], id="by an owner of none"),
    ],
)
def test_groups_are_chosen(choice, expected):
    assert [entry.ref.name for entry in listed(KAI, VOLCANO, choice=choice)] == expected


def test_a_lineage_is_everything_below_in_whatever_order():
    root = owner("apps/v1 Deployment", "web")
    middle = owner("apps/v1 ReplicaSet", "web-1", controls(root))
    leaf = owner("v1 Thing", "web-1-a", controls(middle))

    assert lineage(uid(root), [leaf, JOB, middle]) == {uid(root), uid(middle), uid(leaf)}


def test_a_lineage_that_bites_its_tail_ends():
    one = owner("v1 Thing", "one")
    other = owner("v1 Thing", "other", controls(one))
    turned = {**one, "metadata": {**one["metadata"], "ownerReferences": [{"uid": uid(other)}]}}

    assert lineage(uid(one), [turned, other]) == {uid(one), uid(other)}
