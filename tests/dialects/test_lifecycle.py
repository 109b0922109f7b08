"""Status as each PodGroup holds it: what is read is what was written, and what others wrote stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.conditions import Condition, Moment, Status, status_of
from podgrouper.core.difference import merged
from podgrouper.core.groups import Part
from podgrouper.core.status import Floors, Phase
from podgrouper.dialects.kai_status import KaiLifecycle
from podgrouper.dialects.volcano_status import VolcanoLifecycle
from tests.core.test_status import gangs

VOLCANO, KAI = VolcanoLifecycle(), KaiLifecycle()
BOTH = pytest.mark.parametrize(
    "lifecycle", [pytest.param(VOLCANO, id="volcano"), pytest.param(KAI, id="kai")]
)
NOW = Moment("2026-11-19T00:00:00Z", "t1")
THEIRS = {"type": "QueueReady", "status": "True", "reason": "Open", "observed": 7}


@pytest.mark.parametrize(
    ("lifecycle", "spec", "expected"),
    [
        pytest.param(VOLCANO, {}, Floors(0), id="volcano: nothing said"),
        pytest.param(VOLCANO, {"minMember": 3}, Floors(3), id="volcano: a floor"),
        pytest.param(
            VOLCANO,
            {"minMember": 3, "minTaskMember": {"ps": 1}},
            Floors(3, parts=(Part("ps", floor=1),)),
            id="volcano: tasks beside the whole",
        ),
        pytest.param(VOLCANO, {"minMember": "3"}, Floors(0), id="volcano: a text is no number"),
        pytest.param(
            KAI, {}, Floors(1, total_counts=False, succeeded_count=False), id="kai: one where nothing is said"
        ),
        pytest.param(
            KAI,
            {"minMember": 2, "minSubGroup": 1, "subGroups": [{"name": "a", "minMember": 2}, {"name": "b"}]},
            Floors(
                2,
                1,
                (Part("a", floor=2), Part("b", floor=0)),
                total_counts=False,
                succeeded_count=False,
            ),
            id="kai: subgroups",
        ),
    ],
)
def test_floors_are_read_as_the_scheduler_reads_them(lifecycle, spec, expected):
    assert lifecycle.floors({"spec": spec}) == expected


@BOTH
@given(found=gangs)
def test_what_was_written_is_read_again(lifecycle, found):
    status = status_of(found, Status(found.before), NOW)

    live = merged({"metadata": {"name": "g"}}, lifecycle.write(status, {}))

    assert lifecycle.read(live) == status


@BOTH
@given(before=gangs, after=gangs)
def test_one_status_after_another_is_read_again(lifecycle, before, after):
    first = status_of(before, Status(before.before), NOW)
    live = merged({}, lifecycle.write(first, {}))
    second = status_of(after, lifecycle.read(live), Moment("2026-11-20T00:00:00Z", "t2"))

    assert lifecycle.read(merged(live, lifecycle.write(second, live))) == second


@BOTH
def test_nothing_is_written_that_is_there_already(lifecycle):
    live = merged({}, lifecycle.write(Status(Phase.RUNNING, 3), {}))

    assert lifecycle.write(lifecycle.read(live), live) == {}


@BOTH
def test_entries_of_others_stay_to_the_letter(lifecycle):
    live = {"status": {"conditions": [THEIRS], "extra": 1}}
    ours = Condition("Scheduled", holds=True, reason="TasksScheduled", since=NOW.time, transition="t1")
    status = Status(Phase.RUNNING, 1, conditions=(*lifecycle.read(live).conditions, ours))

    found = merged(live, lifecycle.write(status, live))["status"]

    assert found["extra"] == 1
    assert found["conditions"][0] == THEIRS


@BOTH
@given(
    live=st.fixed_dictionaries(
        {},
        optional={
            "spec": st.dictionaries(
                st.sampled_from(["minMember", "minTaskMember", "subGroups"]), st.integers()
            ),
            "status": st.dictionaries(
                st.sampled_from(["phase", "running", "conditions"]),
                st.integers() | st.text() | st.lists(st.dictionaries(st.text(), st.text())),
            ),
        },
    )
)
def test_whatever_stands_there_is_read_without_a_word(lifecycle, live):
    lifecycle.floors(live)
    status = lifecycle.read(live)

    assert lifecycle.write(status, live) == {}


def test_the_phase_of_a_kai_group_is_a_condition_with_the_counters():
    found = KAI.write(Status(Phase.RUNNING, 3, 1, 0, made=NOW), {})

    assert found == {
        "status": {
            "conditions": [
                {
                    "type": "Phase",
                    "status": "True",
                    "reason": "Running",
                    "message": "3 running, 1 succeeded, 0 failed",
                    "lastTransitionTime": "2026-11-19T00:00:00Z",
                    "transitionID": "t1",
                }
            ]
        }
    }


def test_a_volcano_status_holds_what_volcano_writes():
    found = VOLCANO.write(Status(Phase.PENDING, 0, 0, 1), {"status": {"running": 2}})

    assert found == {"status": {"phase": "Pending", "running": None, "failed": 1, "conditions": []}}
