"""Label selectors of a configuration, in both of their forms."""

import pytest

from podgrouper.config import words
from podgrouper.config.shapes import Bad, Good
from podgrouper.core.selectors import Operator, Requirement, equal_to


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({}, (), id="an empty map"),
        pytest.param("", (), id="an empty text"),
        pytest.param({"b": "2", "a": "1"}, (equal_to("a", "1"), equal_to("b", "2")), id="a map"),
        pytest.param(" a=1 , b=2 ", (equal_to("a", "1"), equal_to("b", "2")), id="KAI's text"),
        pytest.param(
            "x.io/a in (1,2),!b",
            (Requirement("x.io/a", Operator.IN, ("1", "2")), Requirement("b", Operator.ABSENT)),
            id="sets",
        ),
    ],
)
def test_both_forms_are_read(value, expected):
    assert words.SELECTOR.read(value, "at") == Good(expected)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param({"a": 1}, "a label value", id="a number in a map"),
        pytest.param({"a b": "c"}, "a label key", id="a key in a map"),
        pytest.param("a b", "unable to parse requirement", id="no selector"),
        pytest.param("a=-", "a label value", id="a value in a text"),
        pytest.param("-a=b", "a label key", id="a key in a text"),
        pytest.param(["a"], "a map of labels", id="a list"),
    ],
)
def test_what_is_wrong_is_told(value, message):
    read = words.SELECTOR.read(value, "at")

    assert isinstance(read, Bad)
    assert message in read.findings[0].message
