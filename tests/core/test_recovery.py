"""When the members of a broken gang are evicted: rows, and what must hold along any life of a gang."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.model import Kind, OwnerRef, Pod
from podgrouper.core.recovery import (
    RECORD,
    RECOVER,
    Record,
    Recover,
    Recovery,
    Step,
    record_of,
    step_of,
    wanted_for,
)
from podgrouper.core.status import ROOT, Floors, Gang, Phase, tallies_of
from tests.core.test_status import pod

NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)
RESTART = Recovery(Recover.RESTART, timedelta(minutes=5), per_hour=2)
UNKNOWN, RUNNING, PENDING = Phase.UNKNOWN, Phase.RUNNING, Phase.PENDING


JOB = (OwnerRef(Kind("batch/v1", "Job"), "job", "uid-job", controller=True),)


def at(minutes: float) -> str:
    """So many minutes after noon."""
    return (NOON + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def running(name: str = "a", born: float = -60, **more: object) -> Pod:
    return pod(
        "Running", **{"node": "n", "name": name, "uid": name, "created": at(born), "owners": JOB} | more
    )


def waiting(name: str, born: float = -60) -> Pod:
    return pod(name=name, uid=name, created=at(born), owners=JOB)


def step(*members: Pod, record: Record | None = None, minute: float = 0, floor: int = 2) -> Step:
    gang = Gang(Floors(floor), tallies_of((one, ROOT) for one in members))
    return step_of(gang, members, record or Record(), RESTART, NOON + timedelta(minutes=minute))


def unknown_since(minutes: float, *restarts: float, **more: str) -> Record:
    return Record(UNKNOWN, at(minutes), tuple(map(at, restarts)), **more)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(step(waiting("a")), Record(PENDING, at(0)), id="seen for the first time"),
        pytest.param(step(running(), running("b")), Record(RUNNING, at(0)), id="it runs"),
        pytest.param(
            step(running(), running("b"), record=Record(RUNNING, at(-9))),
            Record(RUNNING, at(-9)),
            id="the same phase keeps its time",
        ),
        pytest.param(
            step(running(), record=Record(RUNNING, at(-9))), Record(UNKNOWN, at(0)), id="it broke just now"
        ),
        pytest.param(
            step(running(), running("b"), record=unknown_since(-9, -70, -3, made_until=at(-5))),
            Record(RUNNING, at(0), (at(-3),)),
            id="it healed: restarts of the last hour are remembered",
        ),
        pytest.param(
            step(running(deleting=True), record=unknown_since(-9, -1, made_until=at(-5))),
            unknown_since(-9, -1, made_until=at(-5)),
            id="its members are leaving",
        ),
    ],
)
def test_what_is_seen_is_noted_and_nobody_is_evicted(found, expected):
    assert (found.record, found.evict) == (expected, ())


def test_a_group_that_is_unknown_is_given_time():
    record = unknown_since(0)

    assert step(running(), record=record, minute=4) == Step(record, again_in=timedelta(minutes=1))


def test_all_live_members_go_when_the_time_is_over():
    gone = running("gone", deleting=True)
    members = (running("a", born=-60), waiting("b", born=-1), gone, pod("Failed", name="c", owners=JOB))

    found = step(*members, record=unknown_since(0), minute=5, floor=4)

    assert [one.name for one in found.evict] == ["a", "b"]
    assert found.record == unknown_since(0, 5, made_until=at(-1))
    assert "2 live members" in found.restarted


def test_a_pod_that_nobody_would_make_again_stays():
    found = step(running("a"), running("bare", owners=()), record=unknown_since(0), minute=5, floor=3)

    assert [one.name for one in found.evict] == ["a"]


def test_after_a_crash_the_members_that_were_left_go_without_a_new_restart():
    record = unknown_since(0, 5, made_until=at(-1))

    found = step(running("old"), waiting("new", born=5), record=record, minute=6)

    assert [one.name for one in found.evict] == ["old"]
    assert found == Step(record, evict=found.evict)


def test_a_new_gang_that_does_not_come_up_is_given_as_much_time():
    record = unknown_since(0, 5, made_until=at(-1))
    members = (running("new", born=6), waiting("newer", born=6))

    assert step(*members, record=record, minute=9).again_in == timedelta(minutes=1)
    assert [one.name for one in step(*members, record=record, minute=10).evict] == ["new", "newer"]


def test_there_are_only_so_many_restarts_in_an_hour():
    record = unknown_since(0, 5, 10, made_until=at(6))
    member = running(born=11)

    found = step(member, record=record, minute=20)

    assert (found.evict, found.again_in) == ((), timedelta(minutes=45))
    assert f"the next time may be {at(65)}" in found.used_up
    assert step(member, record=record, minute=65).evict == (member,)


@pytest.mark.parametrize(
    ("annotations", "recovery", "expected"),
    [
        pytest.param({RECOVER: "restart"}, RESTART, True, id="wanted"),
        pytest.param({RECOVER: "restart"}, replace(RESTART, mode=Recover.ANNOTATED), True, id="asked for"),
        pytest.param({RECOVER: "restart"}, Recovery(), False, id="not permitted"),
        pytest.param({}, RESTART, False, id="a group that nobody marked"),
        pytest.param({RECOVER: "yes"}, RESTART, False, id="another word"),
    ],
)
def test_only_marked_groups_are_started_anew(annotations, recovery, expected):
    assert wanted_for({"metadata": {"annotations": annotations}}, recovery) is expected


@pytest.mark.parametrize(
    "noted",
    [
        pytest.param("", id="nothing"),
        pytest.param("{", id="no JSON"),
        pytest.param("[1]", id="a list"),
        pytest.param('{"phase": "Odd", "restarts": "now", "since": 3}', id="other shapes"),
        pytest.param('{"restarts": ["yesterday", 3, "2026-01-01T00:00:00"]}', id="times that are none"),
    ],
)
def test_a_note_that_nobody_can_read_counts_as_none(noted):
    assert record_of({"metadata": {"annotations": {RECORD: noted}}}) == Record()


def test_a_note_without_a_usable_time_begins_anew():
    assert step(running(), record=Record(UNKNOWN, "long ago")).record == Record(UNKNOWN, at(0))


minutes = st.integers(0, 200)
records = st.builds(
    Record,
    st.none() | st.sampled_from(Phase),
    minutes.map(at),
    st.lists(minutes.map(at), max_size=4).map(tuple),
    st.just("") | minutes.map(at),
)
members = st.lists(
    st.builds(
        lambda phase, born, deleting: pod(phase, created=at(born), deleting=deleting, owners=JOB),
        st.sampled_from(["Pending", "Running", "Failed"]),
        minutes,
        st.booleans(),
    ),
    max_size=4,
)


@given(records)
def test_what_was_noted_is_read_again(record):
    assert record_of({"metadata": {"annotations": {RECORD: str(record)}}}) == record
    assert isinstance(json.loads(str(record)), dict)


@given(members, records, minutes)
def test_a_second_look_at_the_same_world_notes_nothing_new(pods, record, minute):
    first = step(*pods, record=record, minute=minute)

    second = step(*pods, record=first.record, minute=minute)

    assert second.record == first.record
    assert not second.restarted
    assert second.evict == first.evict


@given(members, records, st.lists(minutes, max_size=12).map(sorted))
def test_never_more_restarts_in_an_hour_than_allowed(pods, record, moments):
    record = replace(record, restarts=())
    restarts: list[int] = []
    for minute in moments:
        found = step(*pods, record=record, minute=minute)
        restarts += [minute] if found.restarted else []
        record = found.record

    assert all(later - earlier >= 60 for earlier, later in zip(restarts, restarts[2:], strict=False))
