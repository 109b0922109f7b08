"""At which owner pods belong together, with and without rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Chain, Ending, Kind, Owner, OwnerRef, Pod, Ref
from podgrouper.core.pods import PodRows
from podgrouper.core.rules import LevelRule
from podgrouper.policies.volcano.levels import Levels, Step, controllers
from tests.policies.volcano.objects import (
    Object,
    deployment,
    job,
    owner,
    pod,
    reference,
    replica_set,
    workflow,
)

DEPLOYMENT = LevelRule("apps/v1", "deployment")
JOB = LevelRule("batch/v1", "job")


def way_up(*kinds: str) -> tuple[Step, ...]:
    """The controllers of a pod, nearest first."""
    refs = (Ref(Kind(*kind.split(" ")), "ns", f"{level}", f"uid-{level}") for level, kind in enumerate(kinds))
    return tuple(Step(ref, {}) for ref in refs)


OF_A_DEPLOYMENT = way_up("apps/v1 ReplicaSet", "apps/v1 Deployment")
OF_A_CRON_JOB = way_up("batch/v1 Job", "batch/v1 CronJob")


@pytest.mark.parametrize(
    ("expected", "steps", "rules"),
    [
        pytest.param(0, (), (), id="a pod without controller"),
        pytest.param(0, (), (DEPLOYMENT,), id="a pod without controller, whatever the rules say"),
        pytest.param(1, OF_A_DEPLOYMENT, (), id="the controller without rules"),
        pytest.param(2, OF_A_DEPLOYMENT, (DEPLOYMENT,), id="the owner that a rule names"),
        pytest.param(1, OF_A_DEPLOYMENT, (JOB,), id="the controller when no rule fits"),
        pytest.param(
            1, OF_A_CRON_JOB, (LevelRule("batch/v1", "cronjob"), JOB), id="the match nearest to the pod"
        ),
        pytest.param(2, OF_A_CRON_JOB, (LevelRule("batch/v1", "job", 1),), id="one above the match"),
        pytest.param(2, OF_A_CRON_JOB, (LevelRule("batch/v1", "job", 9),), id="never above the last owner"),
        pytest.param(1, OF_A_CRON_JOB, (LevelRule("batch/v1", "cronjob", -1),), id="one below the match"),
        pytest.param(0, OF_A_CRON_JOB, (LevelRule("batch/v1", "job", -1),), id="down to the pod"),
        pytest.param(0, OF_A_CRON_JOB, (LevelRule("batch/v1", "job", -9),), id="never below the pod"),
        pytest.param(
            1, OF_A_CRON_JOB, (JOB, LevelRule("batch/v1", "job", 1)), id="of two rules for one kind the first"
        ),
        pytest.param(
            1, OF_A_DEPLOYMENT, (LevelRule("Apps/v1", "deployment"),), id="an apiVersion is compared exactly"
        ),
    ],
)
def test_the_rules_choose_the_level(
    expected: int, steps: tuple[Step, ...], rules: tuple[LevelRule, ...]
) -> None:
    assert Levels(rules).chosen(steps) == expected


@pytest.mark.parametrize(
    ("expected", "rules"),
    [
        pytest.param(2, (JOB,), id="the last owner when no rule fits"),
        pytest.param(1, (), id="but the controller when there are no rules"),
    ],
)
def test_root_is_another_answer_to_no_match(expected: int, rules: tuple[LevelRule, ...]) -> None:
    assert Levels(rules, "root").chosen(OF_A_DEPLOYMENT) == expected


@given(st.integers(0, 6), st.integers(0, 5), st.integers(-(10**9), 10**9))
def test_a_level_never_leaves_the_way_up(length: int, match: int, level: int) -> None:
    steps = way_up(*(f"example.com/v1 Kind{place}" for place in range(length)))
    levels = Levels((LevelRule("example.com/v1", f"kind{match}", level),))

    assert 0 <= levels.chosen(steps) <= length
    assert levels.chosen(steps) <= levels.boundary(steps) <= length


def row(*objects: Object) -> tuple[Pod, Chain]:
    """The row of the last object, a pod, and its chain through the others, nearest first."""
    *owners, last = objects
    refs = (
        Ref(Kind(str(o["apiVersion"]), str(o["kind"])), "ns", o["metadata"]["name"], o["metadata"]["uid"])
        for o in owners
    )
    return PodRows(Reads()).row(last), Chain(tuple(map(Owner, refs, owners)))


def test_the_way_up_follows_controllers() -> None:
    top = deployment("d")
    middle = replica_set("r", top)

    steps = controllers(*row(middle, top, pod("p", middle)))

    assert [step.ref.name for step in steps] == ["r", "d"]


def test_the_way_up_ends_at_an_owner_that_is_no_controller() -> None:
    top = workflow("w")
    middle = job("j", ownerReferences=[reference(top, controller=False)])

    steps = controllers(*row(middle, top, pod("p", middle)))

    assert [step.ref.name for step in steps] == ["j"]


def test_a_pod_without_controller_has_no_way_up() -> None:
    other = owner("apps/v1 Deployment", "d")

    steps = controllers(*row(other, pod("p", ownerReferences=[reference(other, controller=False)])))

    assert steps == ()


def test_a_controller_that_cannot_be_read_is_a_step_all_the_same() -> None:
    one, _ = row(pod("p", workflow("w")))
    unread = Chain((), Ending.FORBIDDEN, one.owners[0])

    assert controllers(one, unread) == (
        Step(Ref(Kind("argoproj.io/v1alpha1", "Workflow"), "ns", "w", "uid-w"), None),
    )


def test_an_owner_reference_is_what_the_first_step_is_named_after() -> None:
    one, chain = row(job("j"), pod("p", job("j")))

    assert controllers(one, chain)[0].ref.uid == one.owners[0].uid
    assert isinstance(one.owners[0], OwnerRef)
