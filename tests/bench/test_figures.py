"""From runs to figures."""

import pytest

from bench.figures import Figure, Limit, Place, Row, compared, counted
from bench.observations import Observation, Pair, Series
from tests.bench.rows import figure

CPU = Row("CPU per linked pod", "µs", "", Limit(1.6), relative=True, peers={"kai": "9.6"})
REQUESTS = Row("requests per pod", "requests", "", Limit(0))


def seen(cpu: float, others: float = 0.0) -> Observation:
    return Observation(pods=1, seconds=1.0, cpu=cpu, server_cpu=1.0, others=others)


@pytest.mark.parametrize(
    ("limit", "value", "met"),
    [
        pytest.param(Limit(1.6), 1.6, True, id="at most"),
        pytest.param(Limit(1.6), 1.61, False, id="more than that"),
        pytest.param(Limit(0.85, at_least=True), 0.85, True, id="at least"),
        pytest.param(Limit(0.85, at_least=True), 0.84, False, id="less than that"),
        pytest.param(None, 9.0, None, id="nothing was promised"),
    ],
)
def test_a_figure_is_met_or_missed(limit, value, met):
    assert figure(value, limit=limit).met is met


@pytest.mark.parametrize(
    ("limit", "words"), [(Limit(1.12), "≤ 1.12"), (Limit(0.85, at_least=True), "≥ 0.85"), (Limit(0), "0")]
)
def test_a_limit_is_shown_as_people_write_it(limit, words):
    assert str(limit) == words


def test_a_relative_figure_is_the_median_of_what_each_pair_says():
    pairs = (Pair(seen(1.0), seen(2.0)), Pair(seen(4.0), seen(4.0, others=0.3)), Pair(seen(2.0), seen(6.0)))

    (found,) = compared(Place("backlog", "kai"), Series(pairs, 2, noisy=True), {CPU: lambda one: one.cpu})

    assert found == Figure(
        *("backlog", "kai", "CPU per linked pod", "µs"),
        value=2.0,
        low=1.0,
        high=3.0,
        relative=True,
        ours=4.0,
        reference=2.0,
        limit=Limit(1.6),
        peer="9.6",
        runs=3,
        thrown=2,
        noisy=True,
        others=0.3,
    )


def test_without_a_reference_a_figure_is_the_median_of_ours():
    runs = Series((seen(3.0), seen(1.0), seen(2.0)), 0, noisy=False)

    (found,) = counted(Place("churn", "volcano"), runs, {REQUESTS: lambda one: one.cpu})

    assert (found.value, found.low, found.high, found.reference, found.met) == (2.0, 1.0, 3.0, None, False)
