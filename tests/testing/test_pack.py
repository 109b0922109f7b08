"""The tests for groupers of one's own pass for a good one, and fail for a bad one where they should."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest

from examples.customjob import CustomJobGrouper
from podgrouper.core.fields import dig, integer
from podgrouper.core.model import Json
from podgrouper.groupers import (
    Grouper,
    Grouping,
    Kind,
    Part,
    Placement,
    Reads,
    Scene,
    default_group,
)
from podgrouper.testing import GrouperTests
from tests.policies.kai.worlds import pod, thing

JOB = Kind("example.com/v1", "CustomJob")
OWNER = thing(str(JOB), "train", {"minAvailable": 2, "replicas": 3})
OBJECTS = (OWNER, *(pod(f"train-{number}", OWNER) for number in range(3)))
NUMBERS = count()

SOME = "test_the_objects_hold_workloads_of_its_kinds"
PLACED = "test_every_living_pod_is_placed"
TAKEN = "test_its_groups_are_ones_that_the_api_takes"
SENSE = "test_its_answers_make_sense"
AGAIN = "test_the_same_workload_is_grouped_the_same_way_again"
ORDER = "test_the_order_in_which_pods_come_plays_no_part"
MALFORMED = "test_malformed_values_cost_no_more_than_their_own_workload"
ALL = {SOME, PLACED, TAKEN, SENSE, AGAIN, ORDER, MALFORMED}


class Does(Grouper):
    """Does what it is told."""

    kinds = (JOB,)
    reads = Reads(paths={JOB: frozenset({"spec.minAvailable", "spec.replicas"})})

    def __init__(self, group: Callable[[Scene], Grouping]) -> None:
        self._group = group

    def group(self, scene: Scene) -> Grouping:
        return self._group(scene)


def failing(grouper: Grouper, objects: tuple[Json, ...] = OBJECTS) -> set[str]:
    """The tests of the pack that this grouper does not pass."""
    pack = type("Pack", (GrouperTests,), {"grouper": grouper, "objects": objects})()
    return {name for name in ALL if not passes(getattr(pack, name))}


def passes(test: Callable[[], None]) -> bool:
    try:
        test()
    except AssertionError:
        return False
    return True


def usual(scene: Scene, **fields: object) -> Grouping:
    return Grouping((replace(default_group(scene, scene.members), **fields),))


def forgets(scene: Scene) -> Grouping:
    return usual(scene, placements=tuple(Placement(member.pod) for member in scene.members[:2]))


class FirstCome:
    """The class of the group is called after the pod that was seen first."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def __call__(self, scene: Scene) -> Grouping:
        first = self._seen.setdefault(scene.owner.ref.uid, scene.members[0].pod.name)
        return usual(scene, priority_class=first)


def trusting(scene: Scene) -> Grouping:
    return usual(scene, floor=int(dig(scene.owner.object, "spec.minAvailable", 1)))


def careless(scene: Scene) -> Grouping:
    return usual(scene, floor=dig(scene.owner.object, "spec.minAvailable"))


def greedy(scene: Scene) -> Grouping:
    """Asks for more than it got, and for more again."""
    live = scene.live_group(default_group(scene, scene.members).name)
    return usual(scene, floor=1 + integer(live, "spec.minMember", 0))


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        pytest.param(forgets, {PLACED, SENSE, ORDER, MALFORMED}, id="forgets a pod"),
        pytest.param(
            lambda scene: usual(scene, name="No Name"), {TAKEN, SENSE, MALFORMED}, id="a name that is none"
        ),
        pytest.param(lambda scene: usual(scene, floor=2**31), {TAKEN, SENSE, MALFORMED}, id="a huge floor"),
        pytest.param(
            lambda scene: usual(scene, parts=(Part("worker", floor=1),)),
            {SENSE, MALFORMED},
            id="pods in no subgroup",
        ),
        pytest.param(
            lambda scene: usual(scene, queue=f"queue-{next(NUMBERS)}"),
            {AGAIN, ORDER},
            id="another answer each time",
        ),
        pytest.param(greedy, {AGAIN}, id="never content"),
        pytest.param(FirstCome(), {ORDER}, id="the pod that came first decides"),
        pytest.param(trusting, {MALFORMED}, id="believes what it reads"),
        pytest.param(careless, {MALFORMED}, id="passes on what it reads"),
        pytest.param(
            lambda scene: usual(scene, queue=scene.members[0].pod.labels["role"]),
            {PLACED, SENSE, MALFORMED},
            id="reads what it did not declare",
        ),
    ],
)
def test_a_bad_grouper_fails_where_it_is_bad(group, expected):
    assert failing(Does(group)) == expected


def test_objects_that_say_nothing_about_the_grouper_are_noticed():
    other = thing("example.com/v1 Other", "x")

    assert SOME in failing(CustomJobGrouper(), (other, pod("x-0", other)))


def test_the_example_passes():
    assert failing(CustomJobGrouper()) == set()
