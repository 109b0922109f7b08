"""Two results side by side."""

import pytest

from bench.compare import change, side_by_side
from bench.figures import Limit
from tests.bench.rows import figure, result


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        pytest.param(figure(2.0), figure(2.0), "=", id="the same"),
        pytest.param(figure(2.0), figure(1.5), "-25 %", id="less"),
        pytest.param(figure(2.0, high=2.2), figure(3.0, low=2.5), "+50 %", id="more than any run before"),
        pytest.param(figure(2.0, high=2.6), figure(3.0, low=2.5), "+50 % ?", id="no more than by chance"),
        pytest.param(figure(2.0, noisy=True), figure(3.0), "+50 % ?", id="on a machine that others used"),
        pytest.param(figure(0.0), figure(3.0), "from nothing", id="from nothing"),
    ],
)
def test_a_change_is_told_with_how_sure_it_is(before, after, words):
    assert change(before, after) == words


def test_each_figure_of_either_result_has_a_line():
    before = result(figure(2.0, limit=Limit(1.6)), figure(1.0, name="gone"), commit="aaa")
    after = result(figure(1.5, limit=Limit(1.6)), figure(1.0, name="new"), commit="bbb")

    assert side_by_side(before, after) == [
        "before: aaa, 2026-01-02, full form, 2 cores",
        "after: bbb, 2026-01-02, full form, 2 cores",
        "",
        "SCENARIO   PROFILE   FIGURE               TARGET   BEFORE   AFTER   CHANGE",
        "backlog    kai       CPU per linked pod   ≤ 1.6    2        1.5     -25 %    MISSED → met",
        "backlog    kai       gone                 ≤ 1.6    1        -                met",
        "backlog    kai       new                  ≤ 1.6    -        1                met",
    ]
