"""Who holds a lease, and when somebody else may take it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.election import (
    NOBODY,
    Observed,
    Record,
    Terms,
    claimed,
    given_back,
    lease_of,
    observed,
    patch_of,
    record_of,
)

TERMS = Terms(lease_seconds=15, renew_seconds=10, retry_seconds=2)
NOON = datetime(2026, 11, 19, 12, 0, 0, 250, UTC)
AT_NOON = "2026-11-19T12:00:00.000250Z"
OTHERS = Record("b", 15, "2026-11-19T11:00:00.000000Z", "2026-11-19T11:59:59.000000Z", 3)


@pytest.mark.parametrize(
    ("expected", "record", "now"),
    [
        pytest.param(True, NOBODY, 100, id="nobody ever held it"),
        pytest.param(True, replace(OTHERS, holder=""), 100, id="it was given back"),
        pytest.param(True, replace(OTHERS, holder="a"), 100, id="it is ours already"),
        pytest.param(False, OTHERS, 114.9, id="its holder was seen a moment ago"),
        pytest.param(True, OTHERS, 115, id="no sign of life for as long as its holder asked for"),
        pytest.param(False, replace(OTHERS, seconds=60), 115, id="its holder asks for more than we would"),
        pytest.param(
            False, replace(OTHERS, seconds=0), 114, id="its holder says nothing: as long as we would"
        ),
        pytest.param(
            False,
            replace(OTHERS, renewed="1970-01-01T00:00:00.000000Z"),
            101,
            id="its holder's clock is wrong",
        ),
    ],
)
def test_when_a_lease_may_be_taken(expected, record, now):
    assert Observed(record, since=100).free_for("a", now, TERMS) is expected


def test_a_record_that_did_not_change_keeps_the_time_when_it_was_first_seen():
    first = observed(None, OTHERS, 100)

    assert observed(first, OTHERS, 107) == first
    assert observed(first, replace(OTHERS, renewed=AT_NOON), 107).since == 107


@pytest.mark.parametrize(
    ("expected", "before"),
    [
        pytest.param(Record("a", 15, AT_NOON, AT_NOON, 0), NOBODY, id="the first holder"),
        pytest.param(Record("a", 15, AT_NOON, AT_NOON, 4), OTHERS, id="after another one"),
        pytest.param(
            replace(OTHERS, holder="a", renewed=AT_NOON), replace(OTHERS, holder="a"), id="a renewal"
        ),
    ],
)
def test_what_a_claim_says(expected, before):
    assert claimed(before, "a", TERMS, NOON) == expected


def test_a_lease_that_is_given_back_is_free_at_once():
    back = given_back(replace(OTHERS, holder="a"), NOON)

    assert Observed(back, since=100).free_for("b", 100, TERMS)


@given(st.builds(Record, st.text(), st.integers(0, 2**31), st.text(), st.text(), st.integers(0, 2**31)))
def test_a_record_survives_being_written_and_read(record):
    assert record_of(lease_of("ns", "podgrouper", record)) == record


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["spec", "holderIdentity"]), inner),
    )
)
def test_nothing_that_stands_in_a_lease_is_a_fault_of_ours(lease):
    assert record_of(lease).seconds >= 0


def test_a_change_is_refused_when_the_lease_was_written_meanwhile():
    lease = {"metadata": {"name": "podgrouper", "uid": "u", "resourceVersion": "7"}}

    assert patch_of(lease, OTHERS)["metadata"] == {"uid": "u", "resourceVersion": "7"}
