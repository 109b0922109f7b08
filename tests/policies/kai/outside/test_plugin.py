"""What a plugin gives passes checks, and whatever is wrong with it is its own fault, by name."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from podgrouper.config.model import BUILT_IN, Config, KaiSettings
from podgrouper.core.fields import items
from podgrouper.core.groups import Grouping, Part, Placement, Remark, Retired, Unplaced
from podgrouper.core.model import Json, Kind, Member, ObjectWanted, OwnerRef, Pod, Skip, Want
from podgrouper.core.reasons import Reason
from podgrouper.planning import Plan, plan
from podgrouper.policies.kai.defaults import default_group
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outside.plugin import Hung, Plugin, Raised
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.values import BadValue
from tests.policies.kai.worlds import pod, thing

JOB = Kind("example.com/v1", "CustomJob")
OWNER = thing(str(JOB), "train")
WORLD = [OWNER, pod("a", OWNER), pod("b", OWNER)]
"""Two living pods."""


class Does(Grouper):
    """Does what it is told."""

    kinds = (JOB,)

    def __init__(self, group: Callable[[Scene], Grouping], wants: Callable[[Scene], Sequence[Want]]) -> None:
        self._group = group
        self._wants = wants

    def wants(self, scene: Scene) -> Sequence[Want]:
        return self._wants(scene)

    def group(self, scene: Scene) -> Grouping:
        return self._group(scene)


def nothing(_: Scene) -> Sequence[Want]:
    return ()


def usual(scene: Scene, **fields: object) -> Grouping:
    return Grouping((replace(default_group(scene, scene.members), **fields),))


def planned(
    group: Callable[[Scene], Grouping],
    wants: Callable[[Scene], Sequence[Want]] = nothing,
    world: Sequence[Json] = WORLD,
) -> Plan:
    settings = KaiSettings(groupers=(Plugin.of("mine.py", Does(group, wants)),))
    return plan(world, Config(profiles=(replace(BUILT_IN[1], kai=settings),)))


def told(made: Plan) -> set[tuple[str, str]]:
    """Why pods were skipped; what is said to all of them is there once."""
    return {(entry.skip.reason.value, entry.skip.message) for entry in made.skipped}


def placed(scene: Scene, *places: tuple[Member, str]) -> tuple[Placement, ...]:
    return tuple(Placement(member.pod, part) for member, part in places)


def stranger(scene: Scene) -> Pod:
    return scene.members[0].pod._replace(name="stranger", uid="somebody")


WORKER = (Part("worker", floor=1),)
TREE = (Part("all", floor_of_parts=1), Part("worker", "all", floor=1))


@pytest.mark.parametrize(
    ("group", "words"),
    [
        pytest.param(lambda _: None, "NoneType is no Grouping", id="nothing"),
        pytest.param(lambda _: Grouping(1), "Expected `array`, got `int` - at `$.groups`", id="no groups"),
        pytest.param(
            lambda scene: usual(scene, floor="2"),
            "Expected `int | null`, got `str` - at `$.groups[0].floor`",
            id="a floor that is text",
        ),
        pytest.param(
            lambda scene: usual(scene, labels={"a": 1}),
            "Expected `str`, got `int` - at `$.groups[0].labels[...]`",
            id="a label that is a number",
        ),
        pytest.param(lambda scene: usual(scene, floor=2**31), "beyond 0 to 2147483647", id="a huge floor"),
        pytest.param(lambda scene: usual(scene, floor=-1), "beyond 0 to 2147483647", id="a floor below 0"),
        pytest.param(lambda scene: usual(scene, floor=10**40), "can't serialize ints", id="an endless floor"),
        pytest.param(
            lambda scene: usual(scene, parts=(Part("worker", floor=2**40),)),
            "beyond 0 to 2147483647",
            id="a huge floor of a part",
        ),
        pytest.param(lambda scene: usual(scene, name="No Name"), "no DNS subdomain", id="a bad name"),
        pytest.param(
            lambda scene: usual(scene, namespace="other"), "in namespace 'other'", id="another namespace"
        ),
        pytest.param(
            lambda scene: usual(scene, owners=(OwnerRef(JOB, "x", "y"),)),
            "owned by something that is none of this workload",
            id="a foreign owner",
        ),
        pytest.param(
            lambda scene: Grouping(usual(scene).groups * 2),
            "2 groups are called 'pg-train-uid-train'",
            id="one name twice",
        ),
        pytest.param(lambda _: Grouping(), "2 living pods have neither", id="pods forgotten"),
        pytest.param(
            lambda scene: usual(scene, placements=placed(scene, (scene.members[0], ""))),
            "1 living pods have neither a group nor a reason, 'b' among them",
            id="one forgotten",
        ),
        pytest.param(
            lambda scene: usual(scene, placements=(Placement(stranger(scene)),)),
            "pod 'stranger' is none of this workload",
            id="a pod of somebody else",
        ),
        pytest.param(
            lambda scene: replace(
                usual(scene), unplaced=(Unplaced(scene.members[0].pod, Skip(Reason.BAD_VALUE)),)
            ),
            "pod 'a' has 2 places",
            id="placed and unplaced",
        ),
        pytest.param(lambda scene: usual(scene, parts=WORKER), "pod 'a' is in no subgroup", id="no part"),
        pytest.param(
            lambda scene: usual(
                scene, parts=TREE, placements=placed(scene, *((member, "all") for member in scene.members))
            ),
            "pod 'a' is in subgroup 'all', which takes no pods",
            id="a part that holds parts",
        ),
        pytest.param(
            lambda scene: replace(usual(scene), retired=(Retired(scene.namespace, "pg", "somebody"),)),
            "group 'pg' is not one of this workload's to retire",
            id="a foreign group to delete",
        ),
        pytest.param(
            lambda scene: replace(
                usual(scene), remarks=(Remark(stranger(scene).ref, Reason.BAD_VALUE, "bad"),)
            ),
            "its remark is about Pod team/stranger",
            id="a word about somebody else",
        ),
    ],
)
def test_nonsense_is_refused_and_says_where(group, words):
    ((reason, message),) = told(planned(group))

    assert reason == "GrouperFailed"
    assert message.startswith("plugin mine.py, CustomJob team/train: its answer makes no sense: ")
    assert words in message


@pytest.mark.parametrize(
    ("error", "reason", "words"),
    [
        pytest.param(KeyError("x"), "GrouperFailed", "KeyError: 'x'", id="whatever it raises"),
        pytest.param(Raised("x" * 10_000), "GrouperFailed", "x" * 500, id="at great length"),
        pytest.param(Raised("OSError: no"), "GrouperFailed", "OSError: no", id="elsewhere"),
        pytest.param(Hung("no answer"), "GrouperHung", "no answer", id="no answer in time"),
    ],
)
@pytest.mark.parametrize("where", ["group", "wants"])
def test_a_failure_is_told_with_plugin_kind_and_workload(error, reason, words, where):
    def fails(_: Scene) -> Grouping:
        raise error

    made = planned(**{"group": usual, where: fails})

    assert told(made) == {(reason, f"plugin mine.py, CustomJob team/train: {words}")}
    assert made.pod_groups == ()


def test_of_many_problems_the_first_few_are_told():
    world = [OWNER, *(pod(f"p{number}", OWNER) for number in range(9))]

    ((_, message),) = told(planned(lambda scene: usual(scene, parts=WORKER), world=world))

    assert message.count("is in no subgroup") == 3
    assert message.endswith("; and 6 more")


def test_what_is_no_want_is_refused():
    ((_, message),) = told(planned(usual, lambda _: ["RayCluster"]))

    assert message.endswith("its answer makes no sense: str is nothing that one can want")


def test_a_value_that_makes_no_sense_is_the_owners_fault():
    def picky(_: Scene) -> Grouping:
        raise BadValue("spec.replicas is 'x'")

    assert told(planned(picky)) == {("BadValue", "spec.replicas is 'x'")}


def test_what_makes_sense_passes_as_it_is():
    def tree(scene: Scene) -> Grouping:
        seats = placed(scene, *((member, "worker") for member in scene.members))
        return usual(scene, floor=None, floor_of_parts=1, parts=TREE, placements=seats)

    made = planned(tree)

    (group,) = made.pod_groups
    assert [part["name"] for part in items(group, "spec.subGroups")] == ["all", "worker"]
    assert [link.pod.name for link in made.links] == ["a", "b"]


def test_what_it_wants_it_gets():
    config_map = ObjectWanted(Kind("v1", "ConfigMap"), "team", "settings")
    seen: list[object] = []

    def noting(scene: Scene) -> Grouping:
        seen.append(config_map in scene.answers)
        return usual(scene)

    planned(noting, lambda _: [config_map])

    assert set(seen) == {True}
