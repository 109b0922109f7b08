"""The words of a status, and that they change only with what they mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.conditions import Condition, Moment, Status, status_of
from podgrouper.core.status import ROOT, Floors, Gang, Phase, Tally
from tests.core.test_status import gang, gangs

THEN = Moment("2026-01-01T00:00:00Z", "first")
NOW = Moment("2026-11-19T00:00:00Z", "second")


def told(found: Gang, before: Status | None = None) -> Condition:
    condition = status_of(found, before or Status(found.before), NOW).condition("Unschedulable")
    assert condition is not None
    return condition


@pytest.mark.parametrize(
    ("found", "expected", "words"),
    [
        pytest.param(gang(waiting=2), "NotEnoughTasks", "2 of at least 3 members exist", id="too few"),
        pytest.param(
            gang(Phase.RUNNING, running=2, failed=1), "PodFailed", "1 members failed, 2 of", id="one failed"
        ),
        pytest.param(
            gang(Phase.RUNNING, running=2), "PodDeleted", "were deleted, 2 of", id="one was deleted"
        ),
        pytest.param(gang(leaving=3), "PodDeleted", "were deleted, 0 of", id="all are being deleted"),
        pytest.param(
            gang(waiting=3, unschedulable=2), "NotEnoughResources", "for 2 of 3", id="there is no room"
        ),
        pytest.param(gang(waiting=3, gated=3), "PodsGated", "3 of 3 members have", id="gated"),
    ],
)
def test_a_group_that_cannot_start_says_why(found, expected, words):
    condition = told(found)

    assert (condition.reason, condition.holds) == (expected, True)
    assert words in condition.message


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(gang(waiting=3), "NotScheduledYet", id="no scheduler has looked yet"),
        pytest.param(gang(placed=3), "TasksScheduled", id="all have a node"),
        pytest.param(gang(Phase.RUNNING, succeeded=3), "TasksScheduled", id="it is over"),
    ],
)
def test_a_group_that_waits_for_nobody_is_not_unschedulable(found, expected):
    condition = told(found)

    assert (condition.reason, condition.holds) == (expected, False)


def test_the_two_conditions_never_hold_together():
    status = status_of(gang(waiting=2), Status(), NOW)

    assert {one.type: one.holds for one in status.conditions} == {"Unschedulable": True, "Scheduled": False}


def test_a_condition_keeps_its_time_while_it_means_the_same():
    before = status_of(gang(waiting=1), Status(), THEN)

    after = status_of(gang(before.phase, waiting=2), before, NOW)

    assert after != before
    assert [(one.since, one.transition) for one in after.conditions] == [(THEN.time, THEN.transition)] * 2


def test_a_condition_of_another_reason_has_a_new_time():
    before = status_of(gang(waiting=1), Status(), THEN)

    after = status_of(gang(before.phase, waiting=3, unschedulable=1), before, NOW)

    assert {(one.since, one.transition) for one in after.conditions} == {(NOW.time, NOW.transition)}


def test_conditions_of_others_stay():
    theirs = Condition("NetworkReady", holds=True, reason="Fine", since="long ago")

    assert theirs in status_of(gang(running=3), Status(conditions=(theirs,)), NOW).conditions


@given(gangs)
def test_the_same_world_a_second_time_says_nothing_new(found):
    first = status_of(found, Status(found.before), THEN)

    assert status_of(Gang(found.floors, found.tallies, first.phase), first, NOW) == first


worlds = st.builds(
    lambda **counts: {ROOT: Tally(**counts)},
    running=st.integers(0, 3),
    waiting=st.integers(0, 3),
    failed=st.integers(0, 1),
    succeeded=st.integers(0, 3),
)


@given(st.lists(worlds, max_size=4), worlds, st.sampled_from(Phase))
def test_the_way_to_a_world_leaves_no_trace_but_the_phase(way, end, last):
    status = Status()
    for world in way:
        status = status_of(Gang(Floors(3), world, status.phase), status, THEN)

    arrived = status_of(Gang(Floors(3), end, last), status, NOW)
    direct = status_of(Gang(Floors(3), end, last), Status(last), NOW)

    assert [arrived.phase, arrived.running, arrived.succeeded, arrived.failed] == [
        direct.phase,
        direct.running,
        direct.succeeded,
        direct.failed,
    ]
    assert {(one.type, one.holds, one.reason) for one in arrived.conditions} == {
        (one.type, one.holds, one.reason) for one in direct.conditions
    }
