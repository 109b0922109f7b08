import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.config.documents import LARGEST_RULES
from podgrouper.config.type_defaults import parse_type_defaults
from podgrouper.core.rules import TypeDefault


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        pytest.param(
            TypeDefault("Job", "batch", "gold", "preemptible"),
            '[{"typeName":"Job","group":"batch","priorityName":"gold","preemptibility":"preemptible"}]',
            id="all of it",
        ),
        pytest.param(
            TypeDefault("Job"), '[{"TYPENAME": "Job", "group": null, "weight": 3}]', id="as Go reads it"
        ),
    ],
)
def test_an_entry_becomes_a_rule(expected, text):
    assert parse_type_defaults(text) == ((expected,), ())


@pytest.mark.parametrize("text", ["[]", "null"])
def test_nothing_is_no_rules_and_no_fault(text):
    assert parse_type_defaults(text) == ((), ())


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        pytest.param(["types"], '[{"typeName": "Job", ', id="no JSON"),
        pytest.param(["types"], '{"typeName": "Job"}', id="no list"),
        pytest.param(["types"], "[" * 10_000, id="too deep"),
        pytest.param([""], "[" + "{}," * LARGEST_RULES, id="too long"),
        pytest.param(["types[1]"], '[{"typeName": "Job"}, 3]', id="no object"),
        pytest.param(
            ["types[0].priorityName", "types[1].group"],
            '[{"typeName": "Job", "priorityName": 5}, {"typeName": "Job", "group": []}]',
            id="every wrong type at once",
        ),
    ],
)
def test_a_text_with_a_wrong_type_is_refused_as_a_whole(paths, text):
    rules, findings = parse_type_defaults(text)

    assert rules is None
    assert [finding.path for finding in findings] == paths


def test_what_has_no_effect_is_said_and_the_rest_is_in_force():
    rules, findings = parse_type_defaults('[{"typeName": "Job", "preemptibility": "maybe"}, {"group": "x"}]')

    assert rules == (TypeDefault("Job", "", "", "maybe"), TypeDefault("", "x"))
    assert [finding.path for finding in findings] == ["types[0].preemptibility", "types[1].typeName"]


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(str))
def test_no_text_is_too_strange(text):
    parse_type_defaults(text)
