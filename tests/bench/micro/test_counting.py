"""From what was counted to the cost of one call."""

import pytest

from bench.micro.counting import costs, instructions, spent_between

DUMP = """# callgrind format
version: 1
events: Ir
summary: 575801

fl=(1) main.c
fn=(1) main
12 575801
totals: 575801
"""


def test_a_dump_says_how_many_instructions_it_counted():
    assert instructions(DUMP) == 575801


def test_what_is_no_dump_is_refused():
    with pytest.raises(ValueError, match="no totals"):
        instructions("version: 1\n")


@pytest.mark.parametrize(
    ("spent", "calls", "expected"),
    [
        pytest.param([900, 500, 1000], [10], [50.0], id="calls alone"),
        pytest.param([900, 577, 1077], [10], [50.0], id="what is done once is not counted"),
        pytest.param([9, 70, 120, 8, 14, 24], [5, 2], [10.0, 5.0], id="each case by itself"),
        pytest.param([], [], [], id="nothing"),
    ],
)
def test_a_call_costs_what_twice_as_many_cost_more(spent, calls, expected):
    assert list(costs(spent, calls)) == expected


def test_parts_that_are_missing_are_no_zeros():
    with pytest.raises(ValueError, match="2 parts of 1 cases"):
        list(costs([1, 2], [1]))


def test_time_is_spent_between_stamps():
    assert spent_between([1.0, 1.5, 3.5]) == [0.5, 2.0]
