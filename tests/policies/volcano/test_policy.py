"""The policy as a whole: boundaries, owners, what it reads, and groups that nobody needs any more."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.fields import owner_ref_json
from podgrouper.core.groups import Retired
from podgrouper.core.model import Ending, Kind, Ref
from podgrouper.core.reasons import Reason
from podgrouper.core.rules import LevelRule
from podgrouper.policies.volcano.policy import DEPLOYMENT, VolcanoPolicy
from podgrouper.policies.volcano.topology import MODE, TIER
from tests.policies.volcano.objects import (
    GANG_SIZE,
    QUEUE,
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
D = deployment("d")
R = replica_set("r", D)
J = job("j")
LEAVING = {"deletionTimestamp": "2026-01-03T00:00:00Z"}


@pytest.mark.parametrize(
    ("expected", "objects", "policy"),
    [
        pytest.param([reference(R)], [D, R, pod("p", R)], None, id="the pod's references"),
        pytest.param(
            [reference(J), reference(R, controller=False)],
            [J, R, pod("p", J, R)],
            None,
            id="all of them, in order",
        ),
        pytest.param([reference(D)], [D, R, pod("p", R, J)], BY_DEPLOYMENT, id="the chosen owner alone"),
        pytest.param([reference(pod("p"))], [pod("p")], None, id="the pod itself"),
    ],
)
def test_a_group_belongs_to_what_it_was_made_for(
    expected: list[Object], objects: list[Object], policy: VolcanoPolicy | None
) -> None:
    owners = decided(*objects, policy=policy).group.owners

    assert [owner_ref_json(one) for one in owners] == expected


@pytest.mark.parametrize(
    ("objects", "policy"),
    [
        pytest.param([pod("p", R)], None, id="the controller is gone"),
        pytest.param([replica_set("r", uid="another"), pod("p", R)], None, id="another object has its name"),
        pytest.param([replica_set("r", D, **LEAVING), pod("p", R)], None, id="it is leaving"),
        pytest.param(
            [deployment("d", **LEAVING), R, pod("p", R)], BY_DEPLOYMENT, id="the chosen owner is leaving"
        ),
    ],
)
def test_no_group_is_made_for_an_owner_that_does_not_stay(
    objects: list[Object], policy: VolcanoPolicy | None
) -> None:
    outcome = decided(*objects, policy=policy)

    assert (outcome.groups, outcome.skips["p"].reason) == ((), Reason.OWNER_LEAVING)


@pytest.mark.parametrize("ending", [Ending.FORBIDDEN, Ending.UNKNOWN_KIND])
def test_an_owner_that_may_not_be_read_counts_as_there(ending: Ending) -> None:
    kind = Kind("argoproj.io/v1alpha1", "Workflow")

    assert decided(pod("p", workflow("w")), unreadable={kind: ending}).group.name == "podgroup-uid-w"


def test_one_owner_that_stays_is_enough() -> None:
    assert decided(R, pod("p", J, R)).group.name == group_of(J)


def test_every_direct_owner_hands_something_down() -> None:
    beside = owner("example.com/v1 Job", "beside", annotations={GANG_SIZE: "3"})

    assert decided(J, beside, pod("p", J, beside)).group.floor == 3


def test_an_owner_of_another_life_hands_nothing_down() -> None:
    old = owner("example.com/v1 Job", "beside", uid="old")
    young = owner("example.com/v1 Job", "beside", uid="young", annotations={GANG_SIZE: "3"})

    assert decided(J, young, pod("p", J, old)).group.floor == 1


def test_above_the_controller_the_chosen_owner_speaks_first() -> None:
    top = deployment("d", annotations={GANG_SIZE: "4", "volcano.sh/x": "top"})
    middle = replica_set(
        "r", top, annotations={GANG_SIZE: "2", "volcano.sh/x": "middle", "volcano.sh/y": "y"}
    )
    beside = job("beside", annotations={"volcano.sh/y": "beside", "volcano.sh/z": "z"})
    group = decided(top, middle, beside, pod("p", middle, beside), policy=BY_DEPLOYMENT).group

    assert (group.floor, group.annotations) == (
        4,
        {"volcano.sh/x": "top", "volcano.sh/y": "y", "volcano.sh/z": "z"},
    )


EMPTY = replica_set("r", D, replicas=0)
GONE = Retired("ns", group_of(EMPTY), "uid-r")
EMPTY_TOP = deployment("d", replicas=0)


@pytest.mark.parametrize(
    ("expected", "objects"),
    [
        pytest.param((GONE,), [EMPTY], id="nobody is left"),
        pytest.param(
            (GONE,), [EMPTY, pod("p", EMPTY, link=group_of(EMPTY), phase="Failed")], id="only the dead"
        ),
        pytest.param((GONE,), [EMPTY, pod("p", EMPTY, link="other")], id="only pods of other groups"),
        pytest.param((), [EMPTY, pod("p", EMPTY, link=group_of(EMPTY))], id="a live pod keeps it"),
        pytest.param((), [EMPTY, pod("p", EMPTY)], id="also one that is not linked yet"),
        pytest.param((), [R], id="it wants pods"),
        pytest.param((), [owner("apps/v1 ReplicaSet", "r")], id="it does not say how many"),
        pytest.param(
            (), [owner("apps/v1 ReplicaSet", "r", spec={"replicas": False})], id="it talks nonsense"
        ),
    ],
)
def test_a_group_goes_when_its_controller_wants_no_pods(
    expected: tuple[Retired, ...], objects: list[Object]
) -> None:
    assert decided(D, pod_group(group_of(EMPTY), EMPTY), *objects).retired == expected


def test_without_workload_support_no_group_goes() -> None:
    policy = VolcanoPolicy(workload_support=False)
    outcome = decided(
        EMPTY, pod_group(group_of(EMPTY), EMPTY), pod("p", EMPTY, phase="Failed"), policy=policy
    )

    assert outcome.retired == ()


@pytest.mark.parametrize(
    ("expected", "objects"),
    [
        pytest.param((Retired("ns", "podgroup-uid-d", "uid-d"),), [EMPTY_TOP, EMPTY], id="at zero"),
        pytest.param((), [D, EMPTY], id="not when only an old ReplicaSet is at zero"),
        pytest.param((), [EMPTY_TOP, EMPTY, pod("p", EMPTY)], id="not while a pod lives"),
    ],
)
def test_the_group_of_a_deployment_goes_with_the_deployment(
    expected: tuple[Retired, ...], objects: list[Object]
) -> None:
    outcome = decided(*objects, pod_group(group_of(D), D), policy=BY_DEPLOYMENT)

    assert tuple(one for one in outcome.retired if one.owner == "uid-d") == expected


@pytest.mark.parametrize(
    ("expected", "group", "policy"),
    [
        pytest.param(
            Ref(Kind("apps/v1", "ReplicaSet"), "ns", "r", "uid-r"),
            pod_group("podgroup-uid-r", R),
            None,
            id="its owner",
        ),
        pytest.param(None, pod_group("another", R), None, id="not under another name"),
        pytest.param(None, pod_group("podgroup-uid-j", J), None, id="not of a kind without replicas"),
        pytest.param(None, pod_group("podgroup-uid-d", D), None, id="not of a Deployment without rules"),
        pytest.param(
            Ref(DEPLOYMENT, "ns", "d", "uid-d"),
            pod_group("podgroup-uid-d", D),
            BY_DEPLOYMENT,
            id="but with them",
        ),
        pytest.param(None, pod_group("podgroup-uid-r"), None, id="not without owner"),
        pytest.param(None, {"metadata": {"ownerReferences": 3}}, None, id="not of a malformed one"),
    ],
)
def test_an_existing_group_leads_to_its_boundary(
    expected: Ref | None, group: Object, policy: VolcanoPolicy | None
) -> None:
    assert (policy or VolcanoPolicy()).boundary_of_group(group) == expected


def test_pods_that_ended_unlinked_cause_nothing() -> None:
    outcome = decided(J, pod("p", J, phase="Succeeded"))

    assert (outcome.groups, outcome.skips["p"].reason) == ((), Reason.FINISHED)


def test_deployments_are_watched_only_when_a_rule_may_choose_them() -> None:
    assert DEPLOYMENT not in VolcanoPolicy().reads.self_standing
    assert DEPLOYMENT in BY_DEPLOYMENT.reads.self_standing


def test_a_large_gang_is_decided_in_linear_time() -> None:
    pods = [pod(f"p{number}", J) for number in range(5_000)]

    assert len(decided(J, *pods).seats) == 5_000


LINKS = st.sampled_from(["", "other", *(group_of(one) for one in (D, R, J, pod("a"), pod("b")))])
OWNERS = st.sampled_from([D, R, J, workflow("gone")])
WORDS = st.dictionaries(st.sampled_from([GANG_SIZE, QUEUE, MODE, TIER]), st.text(max_size=3))
PHASES = st.sampled_from(["Pending", "Running", "Failed", "", "Unknown"])
RULES = st.builds(
    LevelRule,
    st.sampled_from(["apps/v1", "batch/v1"]),
    st.sampled_from(["deployment", "replicaset", "job"]),
    st.integers(-3, 3),
)


@st.composite
def worlds(draw: st.DrawFn) -> list[Object]:
    """A few owners, and pods that say anything."""
    names = draw(st.sets(st.sampled_from("abcd")))
    pods = [
        pod(name, draw(OWNERS), link=draw(LINKS), phase=draw(PHASES), annotations=draw(WORDS))
        for name in names
    ]
    return draw(st.permutations([D, R, J, *pods]))


@given(worlds(), st.lists(RULES), st.randoms())
def test_the_order_of_the_world_plays_no_part(
    world: list[Object], rules: list[LevelRule], chance: Random
) -> None:
    policy = VolcanoPolicy(levels=tuple(rules))
    shuffled = chance.sample(world, len(world))

    assert decided(*shuffled, policy=policy).by_name == decided(*world, policy=policy).by_name


@given(worlds(), st.lists(RULES))
def test_every_live_pod_has_a_group_or_a_reason(world: list[Object], rules: list[LevelRule]) -> None:
    outcome = decided(*world, policy=VolcanoPolicy(levels=tuple(rules)))

    assert outcome.live == outcome.seats.keys() | (outcome.skips.keys() & outcome.live)
    assert not outcome.seats.keys() & outcome.skips.keys()
