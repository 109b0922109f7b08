"""What is told besides the groups, and how often."""

import pytest

from podgrouper.core.model import Ending, Kind
from podgrouper.core.reasons import Reason
from podgrouper.core.rules import LevelRule
from podgrouper.policies.volcano.policy import VolcanoPolicy
from podgrouper.policies.volcano.topology import MODE
from tests.policies.volcano.objects import (
    GANG_SIZE,
    Object,
    decided,
    deployment,
    group_of,
    job,
    owner,
    pod,
    pod_group,
    reference,
    replica_set,
    workflow,
)

BY_DEPLOYMENT = VolcanoPolicy(levels=(LevelRule("apps/v1", "deployment"),))
BY_WORKFLOW = VolcanoPolicy(levels=(LevelRule("argoproj.io/v1alpha1", "workflow"),))
BELOW_JOB = VolcanoPolicy(levels=(LevelRule("batch/v1", "job", -1),))
WORKFLOW = Kind("argoproj.io/v1alpha1", "Workflow")
DEPLOYMENT = Kind("apps/v1", "Deployment")
D = deployment("d")
R = replica_set("r", D)
J = job("j")


def told(*objects: Object, policy: VolcanoPolicy | None = None, **more: object) -> list[tuple[str, Reason]]:
    """Whom something is told about, and what."""
    remarks = decided(*objects, policy=policy, **more).remarks
    return [(f"{remark.about.kind.kind}/{remark.about.name}", remark.reason) for remark in remarks]


ELSEWHERE = [("ReplicaSet/r", Reason.LINKED_ELSEWHERE)]


@pytest.mark.parametrize(
    ("expected", "objects"),
    [
        pytest.param(ELSEWHERE, [R, pod("a", R, link="other")], id="a pod of a workload"),
        pytest.param(
            ELSEWHERE, [R, pod("a", R, link="other"), pod("b", R, link="other")], id="once for a group"
        ),
        pytest.param(
            [*ELSEWHERE, *ELSEWHERE],
            [R, pod("a", R, link="other"), pod("b", R, link="another")],
            id="once for each group",
        ),
        pytest.param(
            ELSEWHERE,
            [R, pod_group("other"), pod("a", R, link="other")],
            id="also when a person made the group",
        ),
        pytest.param(
            [],
            [J, pod_group("j-1", J), pod("a", J, link="j-1")],
            id="not when what made the pods made the group",
        ),
        pytest.param(
            [],
            [D, R, pod_group("other", D), pod("a", R, link="other")],
            id="nor when an owner further up did",
        ),
        pytest.param(
            [],
            [R, pod_group("own", pod("a")), pod("a", R, link="own")],
            id="nor when the pod leads the group",
        ),
        pytest.param([], [pod("a", link="other")], id="not of a bare pod"),
        pytest.param([], [R, pod("a", R, link="other", phase="Failed")], id="not of a dead one"),
        pytest.param([], [R, pod("a", R, link=group_of(R))], id="not of a link of ours"),
        pytest.param(
            [], [R, pod("a", R, link=group_of(D))], id="not when the owner of the group went before the pods"
        ),
    ],
)
def test_a_link_to_another_group_is_told(expected: list[tuple[str, Reason]], objects: list[Object]) -> None:
    assert told(*objects) == expected


def test_a_link_to_another_group_is_told_with_both_names() -> None:
    (remark,) = decided(R, pod("a", R, link="other")).remarks

    assert "'other'" in remark.message
    assert repr(group_of(R)) in remark.message


def test_where_each_pod_would_be_alone_no_pod_is_named() -> None:
    (remark,) = decided(J, pod("a", J, link="other"), pod("b", J, link="other"), policy=BELOW_JOB).remarks

    assert remark.message.endswith("by our rules each would be alone")


FORBIDDEN = [("Workflow/w", Reason.OWNER_FORBIDDEN)]


@pytest.mark.parametrize(
    ("expected", "objects", "policy"),
    [
        pytest.param(
            FORBIDDEN, [pod("a", workflow("w")), pod("b", workflow("w"))], None, id="the controller"
        ),
        pytest.param([], [J, pod("a", job("j", workflow("w")))], None, id="not above it without rules"),
        pytest.param(
            FORBIDDEN,
            [job("j", workflow("w")), pod("a", job("j", workflow("w")))],
            BY_WORKFLOW,
            id="above it with them",
        ),
        pytest.param(
            [],
            [job("j", workflow("w")), pod("a", job("j", workflow("w")))],
            BELOW_JOB,
            id="not when a rule fits below it",
        ),
        pytest.param(
            [],
            [pod("a", workflow("w"))],
            VolcanoPolicy(inherit_owner_annotations=False),
            id="not when nothing would be read from it",
        ),
        pytest.param(
            [], [pod("a", workflow("w"), link="other", phase="Failed")], None, id="not of dead pods"
        ),
    ],
)
def test_an_owner_that_may_not_be_read_is_told_once(
    expected: list[tuple[str, Reason]], objects: list[Object], policy: VolcanoPolicy | None
) -> None:
    assert told(*objects, policy=policy, unreadable={WORKFLOW: Ending.FORBIDDEN}) == expected


def test_a_kind_that_is_not_served_is_told_as_that() -> None:
    unknown = told(pod("a", workflow("w")), unreadable={WORKFLOW: Ending.UNKNOWN_KIND})

    assert unknown == [("Workflow/w", Reason.OWNER_KIND_UNKNOWN)]


BAD_TOP = deployment("d", annotations={GANG_SIZE: "many"})


@pytest.mark.parametrize(
    ("expected", "objects", "policy"),
    [
        pytest.param(
            [("Deployment/d", Reason.BAD_VALUE)],
            [
                BAD_TOP,
                replica_set("r", BAD_TOP, annotations={GANG_SIZE: "many"}),
                pod("a", replica_set("r", BAD_TOP)),
            ],
            BY_DEPLOYMENT,
            id="a copy of a mistake is no second one",
        ),
        pytest.param(
            [("ReplicaSet/r", Reason.BAD_VALUE), ("Job/beside", Reason.BAD_VALUE)],
            [
                replica_set("r", annotations={GANG_SIZE: "many"}),
                job("beside", annotations={GANG_SIZE: "few"}),
                pod("a", R, J, ownerReferences=[reference(R), reference(job("beside"), controller=False)]),
            ],
            None,
            id="two mistakes are two",
        ),
        pytest.param(
            [("Job/j", Reason.BAD_VALUE)],
            [J, *(pod(name, J, annotations={MODE: "harsh"}) for name in "abc")],
            None,
            id="a mistake of a template, about what has it",
        ),
        pytest.param(
            [("Pod/a", Reason.BAD_VALUE)],
            [pod("a", annotations={MODE: "harsh"})],
            None,
            id="a mistake of a bare pod",
        ),
    ],
)
def test_a_mistake_is_told_once(
    expected: list[tuple[str, Reason]], objects: list[Object], policy: VolcanoPolicy | None
) -> None:
    assert told(*objects, policy=policy) == expected


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("ReplicaSet ns/r", id="the object"),
        pytest.param(GANG_SIZE, id="the key"),
        pytest.param("'many'", id="the value"),
        pytest.param("a whole number from 0 to 1000000", id="what is accepted"),
    ],
)
def test_a_mistake_is_told_with(words: str) -> None:
    bad = owner("apps/v1 ReplicaSet", "r", annotations={GANG_SIZE: "many"})
    (remark,) = decided(bad, pod("a", bad)).remarks

    assert words in remark.message
