"""YAML as plain JSON values, whatever the text says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.config.documents import Documents, read_documents


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", (), id="nothing"),
        pytest.param("a: 1\n---\n---\nb: 2\n", ({"a": 1}, {"b": 2}), id="documents, empty ones left out"),
        pytest.param("a: 2026-01-31", ({"a": "2026-01-31"},), id="a date is text"),
        pytest.param("a: 2026-99-99T99:00:00Z", ({"a": "2026-99-99T99:00:00Z"},), id="no date at all"),
        pytest.param("a: 1:30\nb: -1:30.5", ({"a": "1:30", "b": "-1:30.5"},), id="a time of day is text"),
        pytest.param("1: x\ntrue: y", ({"1": "x", "true": "y"},), id="keys are text"),
        pytest.param("x: &x {k: 1}\ny: *x", ({"x": {"k": 1}, "y": {"k": 1}},), id="an alias"),
        pytest.param("x: {<<: {a: 1}, b: 2}", ({"x": {"a": 1, "b": 2}},), id="a merge key"),
    ],
)
def test_a_text_becomes_json_values(text, expected):
    assert read_documents(text) == Documents(expected)


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        pytest.param("a: b: c", "line 1, column 5", "mapping values are not allowed", id="not YAML"),
        pytest.param("a: 1\na: 2", "line 2, column 1", "'a' is there twice", id="a key twice"),
        pytest.param("? [a]\n: b", "line 1, column 3", "a key has to be text", id="a list as a key"),
        pytest.param("a: &a [*a]", "line 1", "*a holds itself", id="an alias of itself"),
        pytest.param("a: *b", "line 1, column 4", "undefined alias", id="an alias of nothing"),
        pytest.param("[" * 500, "line 1", "nested deeper than 200 levels", id="too deep"),
        pytest.param("!!python/object/apply:os.getcwd []", "line 1, column 1", "tag", id="a Python object"),
        pytest.param("a: !!binary aGk=", "line 1, column 4", "tag", id="bytes"),
        pytest.param("a: !!int x", "", "invalid literal", id="a number that is none"),
        pytest.param("a: !!int ''", "", "string index out of range", id="a number that is not there"),
        pytest.param("a: !!bool x", "", "'x'", id="a truth value that is none"),
        pytest.param("\0", "", "not allowed", id="NUL"),
        pytest.param("\ud800", "", "surrogates not allowed", id="a lone surrogate"),
    ],
)
def test_what_cannot_be_read_is_a_finding(text, path, message):
    (finding,) = read_documents(text).findings

    assert finding.path == path
    assert message in finding.message


def test_what_came_before_a_mistake_is_kept():
    assert read_documents("a: 1\n---\nb: 2\nb: 3").values == ({"a": 1},)


@given(st.text())
def test_no_text_raises(text):
    documents = read_documents(text)

    assert isinstance(documents, Documents)


@given(st.dictionaries(st.text("ab"), st.integers() | st.booleans() | st.none() | st.text("xyz"), min_size=1))
def test_json_reads_as_what_it_says(value):
    assert read_documents(json.dumps(value)) == Documents((value,))
