"""Waiting: the first good value, or a failure that shows the last one."""

import pytest

from tests.cluster.waiting import eventually, eventually_async


def test_gives_the_first_value_that_holds():
    values = iter([0, 1, 2, 3])

    assert eventually(lambda: next(values), lambda value: value >= 2) == 2


def test_shows_the_last_value_when_the_time_is_over():
    with pytest.raises(AssertionError, match=r"not so within 0 s: \['half'\]"):
        eventually(lambda: ["half"], lambda value: len(value) == 2, within=0)


def test_a_probe_that_raises_does_not_hold_yet():
    answers = iter([ConnectionError("not up yet"), "up"])

    def probe():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert eventually(probe) == "up"


def test_shows_what_the_probe_raised_when_the_time_is_over():
    with pytest.raises(AssertionError, match="not so within 0 s: KeyError: 'status'"):
        eventually(lambda: {}["status"], within=0)


def test_a_huge_value_is_shown_in_part():
    with pytest.raises(AssertionError) as failed:
        eventually(lambda: "x" * 1_000_000, lambda _: False, within=0)

    assert len(str(failed.value)) < 3000


async def test_the_event_loop_goes_on_while_a_test_waits():
    values = iter([False, True])

    assert await eventually_async(lambda: next(values))
