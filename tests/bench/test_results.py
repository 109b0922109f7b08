"""Results as files and as tables."""

import re

import pytest

from bench.results import line, markdown, number, read, table, write
from tests.bench.rows import figure, result


def test_a_result_is_read_as_it_was_written(tmp_path):
    made = result(figure(), figure(2.0, profile="volcano", limit=None))

    path = write(made, tmp_path / "results")

    assert (path.name, read(path)) == ("2026-01-02-abc1234.json", made)


def test_the_table_shows_what_was_found_beside_what_is_to_be_reached():
    found = figure(1.5, low=1.4, high=1.7, relative=True, ours=312.4, reference=208.0, peer="9.6", runs=5)

    heads, cells = (re.split(" {3,}", line) for line in table([found]))
    assert heads == ["SCENARIO", "PROFILE", "FIGURE", "TARGET", "FOUND", "RUNS", "OURS", "REFERENCE", "GO"]
    assert cells == [
        *("backlog", "kai", "CPU per linked pod", "≤ 1.6", "met"),
        *("1.5 × (1.4 – 1.7)", "5", "312 µs", "208 µs", "9.6"),
    ]


def test_a_page_has_the_same_cells():
    heads, rule, row = markdown([figure(1.5, peer="9.6")])

    assert {line.count("|") for line in (heads, rule, row)} == {10 + 1}
    assert row == "| backlog | kai | CPU per linked pod | ≤ 1.6 | met | 1.5 | 1 |  |  | 9.6 |"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        pytest.param(figure(1.5), "1.5 met", id="met"),
        pytest.param(figure(1.7), "1.7 MISSED", id="missed"),
        pytest.param(figure(1.7, limit=None), "1.7", id="nothing was promised"),
    ],
)
def test_a_line_says_whether_the_target_is_met(found, words):
    assert line(found) == f"backlog, kai: CPU per linked pod {words}"


@pytest.mark.parametrize(
    ("thrown", "noisy", "words"),
    [
        pytest.param(0, False, ("met", "5"), id="quiet"),
        pytest.param(2, False, ("met", "5 (+2 thrown away)"), id="made again"),
        pytest.param(5, True, ("met (noisy: 0.25)", "5 (+5 thrown away)"), id="never quiet"),
    ],
)
def test_the_table_says_how_far_a_figure_can_be_trusted(thrown, noisy, words):
    _, row = table([figure(runs=5, thrown=thrown, noisy=noisy, others=0.25)])

    assert [word in row for word in words] == [True, True]


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (0.12345, "0.123"), (1.1, "1.1"), (99.96, "100"), (1234.5, "1234"), (123456.0, "123456")],
)
def test_numbers_are_short_and_never_in_powers_of_ten(value, shown):
    assert number(value) == shown
