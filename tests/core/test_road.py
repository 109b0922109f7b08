"""The pure road as a whole, with the smallest policy there is; and what it does with one that misbehaves."""

import pytest

from podgrouper.core.groups import Group, Grouping, Placement, Remark, Unplaced
from podgrouper.core.model import Ending, Key, Kind, Ref, Skip
from podgrouper.core.reasons import Reason
from podgrouper.core.road import Unseen, key_of, profile_of, walk
from tests.builders import controls, owner, pod
from tests.core.tiny import Glimpse, TinyPolicy, group_of, profile, rows

SET = Kind("apps/v1", "ReplicaSet")
WEB = owner(f"{SET}", "web", creationTimestamp="2025-01-01T00:00:00Z")
BOUNDARY = Ref(SET, "ns", "web", "uid-web")
NODE = Ref(Kind("v1", "Node"), "", "n", "uid-n")
NOTHING = "'NoneType' object has no attribute 'unplaced'"
PODS = [pod(name, controls(WEB)) for name in "ab"]


def walked(grouped, sight=None, pods=PODS):
    of = profile(TinyPolicy(grouped=grouped) if grouped else None)
    return walk(BOUNDARY, rows(pods, of), of, sight or Glimpse([WEB]))


def unplaced(decision):
    return {entry.pod.name: (entry.skip.reason, entry.skip.message) for entry in decision.grouping.unplaced}


def test_pods_become_a_group_that_is_written_down():
    decision = walked(None)

    (rendered,) = decision.rendered
    assert decision.key == Key("tiny", "ns", "uid-web")
    assert (rendered.object["metadata"]["name"], rendered.object["spec"]) == ("pg-web", {"floor": 2})
    assert unplaced(decision) == {}


def test_what_nobody_has_looked_for_is_asked_for_instead():
    assert isinstance(walked(None, Glimpse(otherwise=Ending.UNSEEN)), Unseen)


@pytest.mark.parametrize(
    ("sight", "expected"),
    [
        pytest.param(Glimpse([WEB]), "2025-01-01T00:00:00Z", id="its boundary"),
        pytest.param(Glimpse(otherwise=Ending.FORBIDDEN), "2026-01-01T00:00:00Z", id="else its first pod"),
    ],
)
def test_a_decision_is_as_old_as(sight, expected):
    assert walked(None, sight).age == expected


def raising(_):
    raise RuntimeError("what a workload")


def forgetful(workload):
    """Places the first pod and says nothing of the second."""
    return Grouping((Group("ns", "g", (), (Placement(workload.live[0].pod),), floor=1),))


def impossible(workload):
    return Grouping((group_of(workload, floor=-1),))


def unspeakable(workload):
    return Grouping((group_of(workload, queue="breaks the dialect"),))


@pytest.mark.parametrize(
    ("grouped", "expected"),
    [
        pytest.param(
            raising,
            dict.fromkeys("ab", (Reason.GROUPER_FAILED, "profile tiny: RuntimeError: what a workload")),
            id="raises",
        ),
        pytest.param(
            lambda _: None,
            dict.fromkeys("ab", (Reason.GROUPER_FAILED, f"profile tiny: AttributeError: {NOTHING}")),
            id="returns nothing at all",
        ),
        pytest.param(
            unspeakable,
            dict.fromkeys("ab", (Reason.GROUPER_FAILED, "profile tiny: RuntimeError: no words for it")),
            id="breaks the dialect",
        ),
        pytest.param(
            impossible,
            dict.fromkeys("ab", (Reason.GROUP_INVALID, "PodGroup 'pg-web': its floor is below 0")),
            id="makes a group that cannot be",
        ),
        pytest.param(
            forgetful,
            {"b": (Reason.GROUPER_FAILED, "tiny neither placed this pod nor said why")},
            id="forgets a pod",
        ),
    ],
)
def test_each_pod_has_a_reason_when_the_policy(grouped, expected):
    assert unplaced(walked(grouped)) == expected


def test_a_group_that_cannot_be_takes_no_other_down():
    def both(workload):
        a, b = (Placement(member.pod) for member in workload.live)
        return Grouping((Group("ns", "bad", (), (a,), floor=-1), Group("ns", "good", (), (b,), floor=1)))

    decision = walked(both)

    assert [group.name for group in decision.grouping.groups] == ["good"]
    assert unplaced(decision).keys() == {"a"}


def test_pods_that_have_ended_need_no_reason():
    assert unplaced(walked(lambda _: Grouping(), pods=[pod("a", controls(WEB), phase="Succeeded")])) == {}


def test_what_the_policy_said_besides_is_kept():
    remark = Remark(BOUNDARY, Reason.BAD_VALUE, "what a value")

    def remarking(workload):
        skips = tuple(Unplaced(member.pod, Skip(Reason.FINISHED)) for member in workload.live)
        return Grouping(unplaced=skips, remarks=(remark,))

    decision = walked(remarking)

    assert decision.grouping.remarks == (remark,)
    assert {reason for reason, _ in unplaced(decision).values()} == {Reason.FINISHED}


def test_a_workload_that_could_not_be_asked_about_is_not_grouped():
    of = profile(TinyPolicy(wanted=raising))

    decision = walk(BOUNDARY, rows(PODS, of), of, Glimpse([WEB]))

    assert (decision.rendered, len(decision.grouping.unplaced)) == ((), 2)


@pytest.mark.parametrize(
    ("scheduler", "expected"),
    [pytest.param("volcano", "tiny", id="ours"), pytest.param("default-scheduler", None, id="another one")],
)
def test_a_profile_is_found_by_the_scheduler_of_the_pod(scheduler, expected):
    (row,) = rows([pod("p", scheduler=scheduler)])

    found = profile_of(row, [profile()])

    assert (found and found.name) == expected


@pytest.mark.parametrize(
    ("boundary", "expected"),
    [
        pytest.param(BOUNDARY, Key("tiny", "ns", "uid-web"), id="its boundary"),
        pytest.param(NODE, Key("tiny", "of the pods", "uid-n"), id="the pods, when its boundary has none"),
    ],
)
def test_a_key_has_the_namespace_of(boundary, expected):
    assert key_of(boundary, profile(), "of the pods") == expected


def test_pods_of_two_namespaces_below_one_node_are_two_units_of_work():
    assert key_of(NODE, profile(), "a") != key_of(NODE, profile(), "b")
