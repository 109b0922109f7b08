"""How long something that failed has to wait before it is tried again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.retries import CAP_SECONDS, Retries
from podgrouper.kube.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    TooMany,
    Unavailable,
    UnknownKind,
)

FAMILIES = [
    AlreadyExists,
    ApiError,
    BadRequest,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    TooMany,
    Unavailable,
    UnknownKind,
]


def longest():
    return 1.0


def delays(error, times, random=longest):
    retries = Retries(random)
    return [retries.delay("key", error) for _ in range(times)]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(Conflict(""), 0.02, id="somebody was quicker: at once, with what is there now"),
        pytest.param(AlreadyExists(""), 0.02, id="the name is taken: the same"),
        pytest.param(Unavailable(""), 0.5, id="no answer"),
        pytest.param(TooMany(""), 1.0, id="too many"),
        pytest.param(NotFound(""), 1.0, id="gone"),
        pytest.param(Forbidden(""), 2.0, id="somebody has to act"),
        pytest.param(Invalid(""), 2.0, id="refused"),
        pytest.param(UnknownKind(""), 2.0, id="a CRD that may come"),
        pytest.param(BadRequest(""), 1.0, id="any other answer"),
        pytest.param(ZeroDivisionError(), 5.0, id="a fault of ours"),
    ],
)
def test_the_first_new_try_comes_soon_where_that_may_help(error, expected):
    assert delays(error, 1) == [expected]


def test_each_further_failure_waits_twice_as_long_up_to_some_seconds():
    assert delays(Forbidden(""), 6) == [2, 4, 5, 5, 5, 5]


def test_what_fails_for_long_is_tried_again_after_a_fifth_of_that_and_in_the_end_each_minute():
    waits = delays(Unavailable(""), 60)

    assert all(wait <= max(5, 0.2 * sum(waits[:tries])) for tries, wait in enumerate(waits))
    assert waits[-1] == CAP_SECONDS


def test_a_fault_of_ours_does_not_pass_by_itself_and_waits_twice_as_long_up_to_a_minute():
    assert delays(ZeroDivisionError(), 6) == [5, 10, 20, 40, 60, 60]


def test_the_more_fail_the_longer_each_of_them_waits():
    retries = Retries(longest)
    for number in range(1000):
        retries.delay(number, Unavailable(""))

    waits = [retries.delay(0, Unavailable("")) for _ in range(8)]

    assert waits == [1, 2, 4, 8, 16, 20, 20, 20]


@pytest.mark.parametrize(
    ("chance", "expected"), [pytest.param(0.0, 1.6, id="shortest"), pytest.param(1.0, 2.0, id="longest")]
)
def test_a_fifth_of_the_wait_is_chance_so_that_not_all_come_back_together(chance, expected):
    assert delays(Forbidden(""), 1, lambda: chance) == [pytest.approx(expected)]


@pytest.mark.parametrize(
    ("asked_for", "expected"),
    [
        pytest.param(3.0, [3.0, 3.0, 4.0, 5.0], id="longer than the table says"),
        pytest.param(0.5, [1.0, 2.0, 4.0, 5.0], id="shorter"),
        pytest.param(90.0, [90.0, 90.0, 90.0, 90.0], id="beyond the cap"),
    ],
)
def test_never_sooner_than_the_server_asks(asked_for, expected):
    assert delays(TooMany("", retry_after=asked_for), 4) == expected


def test_the_first_answer_after_none_is_the_first_failure_again():
    retries = Retries(longest)
    away, starting = Unavailable(""), Unavailable("", status=503)

    waits = [retries.delay("key", error) for error in (away, away, away, starting, starting, away)]

    assert waits == [0.5, 1.0, 2.0, 0.5, 1.0, 2.0]


def test_failures_of_one_key_do_not_slow_another():
    retries = Retries(longest)
    for _ in range(5):
        retries.delay("one", Forbidden(""))

    assert retries.delay("other", Forbidden("")) == 2


def test_success_forgets_what_failed_before():
    retries = Retries(longest)
    for _ in range(5):
        retries.delay("key", Forbidden(""))
    retries.forget("key")

    assert retries.delay("key", Forbidden("")) == 2


@given(
    st.lists(st.sampled_from(FAMILIES), min_size=1, max_size=100),
    st.floats(0, 1),
)
def test_whatever_fails_however_often_is_tried_again_within_a_minute(families, chance):
    retries = Retries(lambda: chance)

    waits = [retries.delay("key", family("")) for family in families]

    assert all(0 < wait <= CAP_SECONDS for wait in waits)
