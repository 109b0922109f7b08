import pytest

from podgrouper.core.fields import ref_of
from podgrouper.core.model import Owner
from podgrouper.policies.kai.values import BadValue, members_asked, number_at, text_at, whole_number
from tests.policies.kai.worlds import thing


def owner(spec):
    made = thing("batch/v1 Job", "j", spec)
    return Owner(ref_of(made), made)


@pytest.mark.parametrize(("expected", "text"), [(3, "+3"), (1, "01"), (-2, "-2"), (0, "000")])
def test_whole_numbers_are_read_as_go_reads_them(expected, text):
    assert whole_number(text, "size") == expected


@pytest.mark.parametrize("text", ["", " 2", "0x2", "1_000", "2.0", "٣", "9" * 19, "1" * 5000])
def test_anything_else_is_named_in_the_message(text):
    with pytest.raises(BadValue, match="size is"):
        whole_number(text, "size")


@pytest.mark.parametrize(
    ("expected", "annotations"),
    [
        pytest.param(None, {}, id="absent"),
        pytest.param(None, {"key": ""}, id="empty counts as absent"),
        pytest.param(0, {"key": "0"}, id="zero is a wish"),
        pytest.param(2147483647, {"key": "2147483647"}, id="the largest"),
    ],
)
def test_a_floor_is_asked_for_in_an_annotation(expected, annotations):
    assert members_asked(annotations, "key", "Job j") == expected


@pytest.mark.parametrize("text", ["-1", "2147483648", "many"])
def test_a_floor_that_cannot_be_is_refused(text):
    with pytest.raises(BadValue, match="Job j, annotation key"):
        members_asked({"key": text}, "key", "Job j")


@pytest.mark.parametrize(
    ("expected", "spec"),
    [
        pytest.param(4, {"a": {"b": 4}}, id="there"),
        pytest.param(None, {"a": {}}, id="absent"),
        pytest.param(None, {"a": None}, id="null on the way"),
    ],
)
def test_numbers_of_owners_are_there_or_not(expected, spec):
    assert number_at(owner(spec), "spec.a.b") == expected


@pytest.mark.parametrize("value", ["4", 4.0, True, [], {}])
def test_a_number_of_another_type_is_a_mistake(value):
    with pytest.raises(BadValue, match=r"Job team/j, spec\.a is"):
        number_at(owner({"a": value}), "spec.a")


def test_something_in_the_way_is_a_mistake():
    with pytest.raises(BadValue, match="write an object around b"):
        text_at(owner({"a": "text"}), "spec.a.b")
