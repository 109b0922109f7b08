"""No wars about a PodGroup: who is taken back twice within a minute keeps quiet for ten."""

import pytest

from podgrouper.controller.reverts import Reverts

PLACE, ELSEWHERE = "a group", "another group"
SAME, OTHER = 1, 2


def written(*times, place=PLACE, meaning=SAME):
    reverts = Reverts()
    for time in times:
        reverts.note(place, meaning, time)
    return reverts


@pytest.mark.parametrize(
    ("times", "now", "expected"),
    [
        pytest.param([], 0, 0, id="never written"),
        pytest.param([0], 1, 0, id="taken back once"),
        pytest.param([0, 1], 2, 600, id="twice within a minute"),
        pytest.param([0, 59], 59.5, 600, id="just within a minute"),
        pytest.param([0, 59], 60, 0, id="the first is a minute ago"),
        pytest.param([0, 30, 70], 71, 600, id="two of three within a minute"),
        pytest.param([0, 61, 122], 123, 0, id="again and again, but slowly"),
    ],
)
def test_it_has_to_wait_when_it_was_taken_back(times, now, expected):
    assert written(*times).truce(PLACE, SAME, now) == expected


@pytest.mark.parametrize(
    ("place", "meaning"),
    [
        pytest.param(ELSEWHERE, SAME, id="elsewhere"),
        pytest.param(PLACE, OTHER, id="of another meaning"),
    ],
)
def test_there_is_nothing_against_writing(place, meaning):
    assert written(0, 1).truce(place, meaning, 2) == 0


def test_a_truce_gets_shorter_and_is_over_after_ten_minutes():
    reverts = written(0, 1)

    assert [reverts.truce(PLACE, SAME, now) for now in (2, 100, 601, 602)] == [600, 502, 1, 0]


def test_taken_back_after_a_truce_it_waits_another_ten_minutes_at_once():
    reverts = written(0, 1)
    reverts.truce(PLACE, SAME, 2)
    reverts.note(PLACE, SAME, 602)

    assert reverts.truce(PLACE, SAME, 603) == 599


def test_only_the_same_again_is_a_repetition():
    reverts = written(0, 1)
    reverts.note(PLACE, OTHER, 2)

    assert reverts.truce(PLACE, OTHER, 3) == 0


def test_something_else_that_was_written_ends_the_truce():
    reverts = written(0, 1)
    reverts.truce(PLACE, SAME, 2)
    reverts.note(PLACE, OTHER, 3)

    assert reverts.truce(PLACE, SAME, 4) == 0


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        pytest.param(60, 1, id="within the minute"),
        pytest.param(62, 0, id="after it"),
    ],
)
def test_what_was_written_is_remembered_for_a_minute(now, expected):
    reverts = written(1)
    reverts.forget_old(now)

    assert len(reverts) == expected


def test_a_truce_is_remembered_until_it_is_known_whether_it_helped():
    reverts = written(0, 1)
    reverts.truce(PLACE, SAME, 2)
    reverts.forget_old(1201)
    remembered = len(reverts)
    reverts.forget_old(1202)

    assert (remembered, len(reverts)) == (1, 0)
