"""What patches make of an object, beyond what is compared with a real server's answers."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.memory.patches import APPLY, JSON_PATCH, MERGE, STRATEGIC, form_of, patched
from podgrouper.memory.refusals import Refused
from tests.core.test_fields import json_values

OBJ = {"a": {"b": 1}, "list": ["x", "y"], "a/b": {"m~n": 2}}


def after(*operations):
    return patched(OBJ, JSON_PATCH, list(operations))


def op(name, path, *value, **more):
    return {"op": name, "path": path, **({"value": value[0]} if value else {}), **more}


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        pytest.param([op("add", "/c", 3)], {**OBJ, "c": 3}, id="add a key"),
        pytest.param([op("add", "/a/b", 3)], {**OBJ, "a": {"b": 3}}, id="add where something is"),
        pytest.param([op("add", "/list/1", "n")], {**OBJ, "list": ["x", "n", "y"]}, id="add into a list"),
        pytest.param([op("add", "/list/2", "n")], {**OBJ, "list": ["x", "y", "n"]}, id="add after its last"),
        pytest.param([op("add", "/list/-", "n")], {**OBJ, "list": ["x", "y", "n"]}, id="add at its end"),
        pytest.param([op("add", "", {})], {}, id="add all of it"),
        pytest.param([op("remove", "/a/b")], {**OBJ, "a": {}}, id="remove a key"),
        pytest.param([op("remove", "/list/0")], {**OBJ, "list": ["y"]}, id="remove from a list"),
        pytest.param([op("replace", "/list/0", "n")], {**OBJ, "list": ["n", "y"]}, id="replace in a list"),
        pytest.param([op("replace", "/a~1b/m~0n", 3)], {**OBJ, "a/b": {"m~n": 3}}, id="odd keys"),
        pytest.param([op("copy", "/c", **{"from": "/a"})], {**OBJ, "c": {"b": 1}}, id="copy"),
        pytest.param(
            [op("move", "/c", **{"from": "/a"})],
            {"list": ["x", "y"], "a/b": {"m~n": 2}, "c": {"b": 1}},
            id="move",
        ),
        pytest.param([op("test", "/a", {"b": 1})], OBJ, id="test what is there"),
        pytest.param([op("test", "/a/c", None)], OBJ, id="test what is not: null"),
        pytest.param([op("add", "/c", 1), op("test", "/c", 1)], {**OBJ, "c": 1}, id="one after the other"),
    ],
)
def test_operations_do_what_they_say(operations, expected):
    assert after(*operations) == expected


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(op("add", "/c/d", 3), id="into a map that is not there"),
        pytest.param(op("add", "/a/b/c", 3), id="into a number"),
        pytest.param(op("add", "/list/3", "n"), id="beyond the end of a list"),
        pytest.param(op("add", "/list/-1", "n"), id="before its beginning"),
        pytest.param(op("add", "/list/x", "n"), id="at no number"),
        pytest.param(op("remove", "/c"), id="what is not there"),
        pytest.param(op("remove", ""), id="all of it"),
        pytest.param(op("remove", "/list/2"), id="what a list has not"),
        pytest.param(op("replace", "/c", 3), id="replace what is not there"),
        pytest.param(op("copy", "/c", **{"from": "/d"}), id="from nowhere"),
        pytest.param(op("test", "/a", {"b": True}), id="true is not 1"),
        pytest.param(op("test", "/c/d", None), id="nothing inside nothing"),
        pytest.param(op("frob", "/a"), id="an unknown word"),
        pytest.param({"op": "add", "path": 3}, id="no path"),
        pytest.param({"op": "add", "path": "a"}, id="a path without its slash"),
        pytest.param("add", id="no operation"),
    ],
)
def test_what_does_not_fit_is_refused(operation):
    with pytest.raises(Refused):
        after(operation)


@pytest.mark.parametrize(
    ("target", "patch", "expected"),
    [
        pytest.param({"a": "b"}, {"a": "c"}, {"a": "c"}, id="replaced"),
        pytest.param({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}, id="added"),
        pytest.param({"a": "b"}, {"a": None}, {}, id="removed"),
        pytest.param({"a": ["b"]}, {"a": "c"}, {"a": "c"}, id="a list becomes a text"),
        pytest.param({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}, id="inside"),
        pytest.param({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}, id="lists are replaced"),
        pytest.param({"e": None}, {"a": 1}, {"e": None, "a": 1}, id="a null that was there"),
        pytest.param({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}, id="nulls of what is new"),
    ],
)
def test_a_merge_patch_is_that_of_rfc_7386(target, patch, expected):
    assert patched(target, MERGE, patch) == expected


objects = st.dictionaries(st.sampled_from("abc"), json_values, max_size=3)


@given(objects, objects)
def test_a_merge_patch_made_twice_is_as_if_made_once(obj, patch):
    once = patched(obj, MERGE, patch)

    assert patched(once, MERGE, patch) == once


@pytest.mark.parametrize("form", [MERGE, STRATEGIC])
@given(objects, objects)
def test_nothing_is_changed_in_place(form, obj, patch):
    before = copy.deepcopy((obj, patch))
    patched(obj, form, patch)

    assert (obj, patch) == before


@pytest.mark.parametrize(
    ("sent", "custom", "expected"),
    [
        pytest.param(MERGE, True, MERGE, id="merge"),
        pytest.param(f" {JSON_PATCH.upper()} ; charset=utf-8", True, JSON_PATCH, id="with parameters"),
        pytest.param(STRATEGIC, False, STRATEGIC, id="strategic for a built-in kind"),
        pytest.param(STRATEGIC, True, 415, id="but for no other"),
        pytest.param(APPLY, False, 415, id="apply is not spoken"),
        pytest.param("text/plain", False, 415, id="anything else"),
    ],
)
def test_a_form_is_known_or_refused(sent, custom, expected):
    try:
        found = form_of(sent, custom=custom)
    except Refused as refused:
        found = refused.status

    assert found == expected
