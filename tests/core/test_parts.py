"""What the parts of a group must not be, whatever the dialect."""

import pytest

from podgrouper.core.groups import Part
from podgrouper.core.parts import tree_problems


@pytest.mark.parametrize(
    ("expected", "parts"),
    [
        pytest.param([], [], id="no parts"),
        pytest.param([], [Part("a", floor=0), Part("b", floor=2)], id="leaves side by side"),
        pytest.param([], [Part("a", floor_of_parts=1), Part("b", "a", 2)], id="a leaf below a parent"),
        pytest.param(["2 subgroups are called 'a'"], [Part("a", floor=1)] * 2, id="one name twice"),
        pytest.param(["subgroup 'b' has an unknown parent 'a'"], [Part("b", "a", 1)], id="no such parent"),
        pytest.param(
            ["the parents of subgroup 'a' lead back to it"],
            [Part("a", "a", floor_of_parts=1)],
            id="its own parent",
        ),
        pytest.param(
            [
                "the parents of subgroup 'a' lead back to it",
                "the parents of subgroup 'b' lead back to it",
            ],
            [Part("a", "b", floor_of_parts=1), Part("b", "a", floor_of_parts=1)],
            id="a circle",
        ),
        pytest.param(
            ["subgroup 'a' has no subgroups below it and needs minMember alone"],
            [Part("a", floor_of_parts=1)],
            id="a leaf without a floor of pods",
        ),
        pytest.param(
            ["subgroup 'a' has subgroups below it and cannot have minMember"],
            [Part("a", floor=1), Part("b", "a", 1)],
            id="a parent with one",
        ),
    ],
)
def test_parts_that_are_no_tree_are_told_as_what_they_are(expected, parts):
    assert list(tree_problems(parts)) == expected
