"""From runs to what they say."""

import pytest

from bench.asked import Ask
from bench.observations import NOISE, Observation, Pair, Series, Start, beside_each_other, percentile, series
from bench.orders import Seen

QUIET, LOUD, LOUDER = 0.0, NOISE + 0.1, NOISE + 0.2


def seen(**more) -> Observation:
    asked = {"pods": 100, "seconds": 2.0, "cpu": 0.5, "server_cpu": 1.0, "others": QUIET}
    return Observation(**{**asked, **more})


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        pytest.param([7.0], 99, 7.0, id="of one value it is that"),
        pytest.param([4.0, 1.0, 3.0, 2.0], 50, 2.0, id="half of them do not exceed it"),
        pytest.param(list(range(1, 101)), 99, 99, id="one in a hundred does"),
        pytest.param(list(range(1, 101)), 100, 100, id="none does"),
        pytest.param([2.0, 1.0], 0, 1.0, id="the smallest"),
    ],
)
def test_percentiles_are_values_that_were_seen(values, percent, expected):
    assert percentile(values, percent) == expected


def test_what_a_run_comes_to_for_a_pod():
    found = seen(asked={Ask("PATCH", "pods", 200): 100, Ask("POST", "podgroups", 409): 12})

    assert (found.rate, found.cpu_per_pod, found.server_cpu_per_pod) == (50.0, 0.005, 0.01)
    assert (found.asked_per_pod, found.failed_per_thousand) == (1.12, 120.0)


def test_a_start_is_no_work_on_pods():
    assert seen().without(Start(0.5, 0.1, 0.2)) == seen(seconds=1.5, cpu=0.4, server_cpu=0.8)


def test_a_run_is_never_shorter_than_nothing():
    found = seen().without(Start(9.0, 9.0, 9.0))

    assert min(found.seconds, found.cpu, found.server_cpu) > 0


def test_a_pair_is_as_disturbed_as_the_worse_of_its_runs():
    assert Pair(seen(others=LOUD), seen(others=QUIET)).others == LOUD


def test_ratios_are_ours_by_the_reference():
    assert Pair(seen(cpu=0.5), seen(cpu=0.75)).ratio(lambda one: one.cpu_per_pod) == 1.5


@pytest.mark.parametrize(
    ("others", "kept", "thrown", "noisy"),
    [
        pytest.param([QUIET, QUIET], [QUIET, QUIET], 0, False, id="quiet ones count"),
        pytest.param([QUIET, NOISE], [QUIET, NOISE], 0, False, id="a tenth of a core is quiet"),
        pytest.param([LOUD, QUIET, QUIET], [QUIET, QUIET], 1, False, id="a disturbed one is made again"),
        pytest.param(
            [LOUDER, QUIET, LOUD, LOUDER], [QUIET, LOUD], 2, True, id="in the end the quietest count"
        ),
    ],
)
def test_runs_during_which_others_worked_are_made_again(others, kept, thrown, noisy):
    runs = iter([seen(others=cores) for cores in others])

    found = series(lambda: next(runs), wanted=2, spare=2)

    assert found == Series(tuple(seen(others=cores) for cores in kept), thrown, noisy)


def test_a_small_gang_waits_while_a_big_one_goes_on():
    small = Seen(seen=[10.0, 10.1], linked=[10.3, 10.4])
    big = Seen(seen=[1.0] * 5, linked=[9.0, 10.1, 10.35, 10.5, 14.0])

    found = beside_each_other(small, big, QUIET)

    assert (found.small, found.big, found.overtaken) == (pytest.approx(0.4), pytest.approx(4.0), 2)
