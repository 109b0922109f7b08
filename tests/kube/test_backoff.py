"""How long a watch waits before it asks again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.kube.backoff import CAP_SECONDS, OBEY_SECONDS, Backoff


def delays(times, chance=1.0, **how):
    backoff = Backoff(lambda: chance)
    found = []
    for _ in range(times):
        backoff.grow(**how)
        found.append(backoff.delay)
    return found


def test_at_first_nobody_waits():
    assert Backoff(lambda: 1.0).delay == 0


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        pytest.param({}, [0.5, 1, 2, 4, 5, 5, 5], id="doubling up to some seconds"),
        pytest.param({"first": 5.0}, [5] * 5, id="what only a person changes"),
        pytest.param({"at_least": 3.0}, [3, 3, 3, 4, 5], id="what the server asks for"),
        pytest.param({"at_least": 9000.0}, [OBEY_SECONDS] * 9, id="not whatever it asks for"),
    ],
)
def test_each_failure_waits_longer(how, expected):
    assert delays(len(expected), **how) == expected


def test_what_fails_for_long_is_asked_after_a_fifth_of_that_and_in_the_end_each_minute():
    waits = delays(60)

    assert all(wait <= max(5, 0.2 * sum(waits[:tries])) for tries, wait in enumerate(waits))
    assert waits[-1] == CAP_SECONDS


@pytest.mark.parametrize(("chance", "expected"), [(0.0, 0.25), (1.0, 0.5)])
def test_half_of_a_wait_is_chance(chance, expected):
    assert delays(1, chance) == [expected]


def test_success_begins_anew():
    backoff = Backoff(lambda: 1.0)
    for _ in range(5):
        backoff.grow()
    backoff.reset()

    assert (backoff.failures, backoff.delay) == (0, 0)
    backoff.grow()
    assert backoff.delay == 0.5


@given(st.integers(1, 2000), st.floats(0, 1))
def test_however_often_it_fails_it_never_waits_for_more_than_a_minute(times, chance):
    assert 0 < delays(times, chance)[-1] <= 60
