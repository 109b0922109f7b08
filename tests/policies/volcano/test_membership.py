"""Which group each pod is in, and which pod speaks for it."""

import pytest

from podgrouper.core.reasons import Reason
from podgrouper.core.rules import LevelRule
from podgrouper.policies.volcano.policy import VolcanoPolicy
from tests.policies.volcano.objects import (
    Object,
    decided,
    deployment,
    group_of,
    job,
    owner,
    pod,
    reference,
    replica_set,
    workflow,
)

BY_DEPLOYMENT = VolcanoPolicy(levels=(LevelRule("apps/v1", "deployment"),))
BELOW_WORKFLOW = VolcanoPolicy(levels=(LevelRule("argoproj.io/v1alpha1", "workflow", -1),))
D = deployment("d")
R = replica_set("r", D)
NEW = replica_set("new", D)
W = workflow("w")
J = job("j")
DRIVER = pod("driver")


@pytest.mark.parametrize(
    ("expected", "objects", "policy"),
    [
        pytest.param(
            {"p": group_of(R)}, [D, R, pod("p", R)], None, id="a pod is in the group of its controller"
        ),
        pytest.param({"p": "podgroup-uid-p"}, [pod("p")], None, id="a pod without controller is in its own"),
        pytest.param({}, [J, pod("p", J, link="other")], None, id="a link to any other name is foreign"),
        pytest.param(
            {"p": group_of(J)},
            [J, pod("p", J, annotations={"scheduling.k8s.io/group-name": ""})],
            None,
            id="an empty link is none",
        ),
        pytest.param({"p": group_of(D)}, [D, R, pod("p", R)], BY_DEPLOYMENT, id="a rule moves it up"),
        pytest.param({"p": "podgroup-uid-p"}, [W, pod("p", W)], BELOW_WORKFLOW, id="a rule moves it down"),
        pytest.param(
            {"old": group_of(R), "next": group_of(R)},
            [D, R, pod("old", R, link=group_of(R)), pod("next", R)],
            BY_DEPLOYMENT,
            id="pods join the others of their controller although a newer rule says otherwise",
        ),
        pytest.param(
            {"old": group_of(R), "next": group_of(D)},
            [D, R, NEW, pod("old", R, link=group_of(R)), pod("next", NEW)],
            BY_DEPLOYMENT,
            id="pods of another controller follow the rule",
        ),
        pytest.param(
            {"next": group_of(D)},
            [D, R, pod("old", R, link=group_of(R), phase="Failed"), pod("next", R)],
            BY_DEPLOYMENT,
            id="dead pods hold nobody back",
        ),
        pytest.param(
            {"old": group_of(D), "next": group_of(D)},
            [D, R, pod("old", R, link=group_of(D)), pod("next", R)],
            None,
            id="pods stay together also when the rule is gone",
        ),
        pytest.param(
            {"old": group_of(W), "next": group_of(W)},
            [W, pod("old", W, link=group_of(W)), pod("next", W)],
            BELOW_WORKFLOW,
            id="pods stay together although a newer rule wants each alone",
        ),
        pytest.param(
            {"driver": group_of(DRIVER), "old": group_of(DRIVER), "next": group_of(DRIVER)},
            [DRIVER, pod("old", DRIVER, link=group_of(DRIVER)), pod("next", DRIVER)],
            None,
            id="a pod is in one group with the pods that it controls, linked or not",
        ),
        pytest.param(
            {"old": "podgroup-uid-old", "next": group_of(W)},
            [W, pod("old", W, link="podgroup-uid-old"), pod("next", W)],
            None,
            id="nobody joins the group of a single pod",
        ),
        pytest.param(
            {"a": group_of(R), "b": group_of(D), "next": group_of(D)},
            [D, R, pod("a", R, link=group_of(R)), pod("b", R, link=group_of(D)), pod("next", R)],
            BY_DEPLOYMENT,
            id="of two groups of ours the one that the rules want is joined",
        ),
    ],
)
def test_a_pod_is_in_one_group(
    expected: dict[str, str], objects: list[Object], policy: VolcanoPolicy | None
) -> None:
    assert decided(*objects, policy=policy).seats == expected


def test_a_foreign_link_is_no_news() -> None:
    outcome = decided(J, pod("p", J, link="other"))

    assert outcome.skips["p"].reason is Reason.LINKED_ELSEWHERE


def test_pods_of_one_controller_are_looked_at_together_whatever_the_rules_say() -> None:
    assert len(decided(W, pod("a", W), pod("b", W), policy=BELOW_WORKFLOW).boundaries) == 1


def test_one_owner_has_a_group_in_each_namespace() -> None:
    campaign = owner("example.com/v1 Campaign", "c", namespace="")
    outcome = decided(campaign, pod("a", campaign), pod("b", campaign, namespace="other"))

    assert {(group.namespace, group.name) for group in outcome.groups} == {
        ("ns", group_of(campaign)),
        ("other", group_of(campaign)),
    }


SET = owner("apps/v1 StatefulSet", "s", status={"updateRevision": "s-2"})
OLD_RS = replica_set("r9", D, annotations={"deployment.kubernetes.io/revision": "9"})
NEW_RS = replica_set("r10", D, annotations={"deployment.kubernetes.io/revision": "10"})


def at(minute: int, name: str, *by: Object, **more: object) -> Object:
    created = f"2026-01-02T00:{minute:02}:00Z"
    return pod(name, *by, creationTimestamp=created, spec={"priorityClassName": name}, **more)


@pytest.mark.parametrize(
    ("expected", "objects", "policy"),
    [
        pytest.param("b", [J, at(1, "a", J), at(2, "b", J)], None, id="the youngest"),
        pytest.param("a", [J, at(1, "b", J), at(1, "a", J)], None, id="of one age the first by name"),
        pytest.param("a", [J, at(1, "a", J), at(2, "b", J, phase="Failed")], None, id="never a dead one"),
        pytest.param(
            "a", [J, at(1, "a", J), at(2, "b", J, link="other")], None, id="never one of another group"
        ),
        pytest.param(
            "a",
            [
                SET,
                at(1, "a", SET, labels={"controller-revision-hash": "s-2"}),
                at(2, "b", SET, labels={"controller-revision-hash": "s-1"}),
            ],
            None,
            id="one of the StatefulSet's update revision before a younger one",
        ),
        pytest.param(
            "a",
            [D, OLD_RS, NEW_RS, at(1, "a", NEW_RS), at(2, "b", OLD_RS)],
            BY_DEPLOYMENT,
            id="one of the largest revision before a younger one",
        ),
    ],
)
def test_one_pod_speaks_for_its_group(
    expected: str, objects: list[Object], policy: VolcanoPolicy | None
) -> None:
    assert decided(*objects, policy=policy).group.priority_class == expected


def test_a_revision_that_is_no_number_is_older_than_any() -> None:
    odd = replica_set("odd", D, annotations={"deployment.kubernetes.io/revision": "９９"})

    outcome = decided(D, odd, OLD_RS, at(2, "b", odd), at(1, "a", OLD_RS), policy=BY_DEPLOYMENT)

    assert outcome.group.priority_class == "a"


def test_owners_that_are_no_controllers_do_not_lead_up() -> None:
    alone = pod("p", ownerReferences=[reference(D, controller=False)])

    assert decided(D, alone, policy=BY_DEPLOYMENT).seats == {"p": "podgroup-uid-p"}
