"""Reads of JSON about whose shape nothing is sure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core import fields
from podgrouper.core.fields import OWNERS_LIMIT
from podgrouper.core.model import Kind, OwnerRef, Ref

WRONG = [None, True, 7, 1.5, "text", [], ["text"], [None], {}, {"x": 1}, [[]], [{"name": []}]]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("apiVersion", "kind", "name", "namespace", "uid", "labels", "annotations", "ownerReferences", "spec")
objects = st.dictionaries(st.sampled_from(KEYS), json_values, max_size=5).flatmap(
    lambda metadata: st.dictionaries(st.sampled_from(KEYS), json_values, max_size=4).map(
        lambda rest: {**rest, "metadata": metadata}
    )
)


@pytest.mark.parametrize(
    ("obj", "path", "expected"),
    [
        pytest.param({"spec": {"replicas": 3}}, "spec.replicas", 3, id="there"),
        pytest.param({"spec": {"replicas": None}}, "spec.replicas", None, id="null is there"),
        pytest.param({"spec": {}}, "spec.replicas", "default", id="the last key is not there"),
        pytest.param({}, "spec.replicas", "default", id="the first key is not there"),
        pytest.param({"spec": [1]}, "spec.replicas", "default", id="a list on the way"),
        pytest.param({"spec": "text"}, "spec.replicas", "default", id="a text on the way"),
        pytest.param(None, "spec", "default", id="no object"),
    ],
)
def test_digs_as_far_as_the_way_leads(obj, path, expected):
    assert fields.dig(obj, path, "default") == expected


@pytest.mark.parametrize("value", [value for value in WRONG if not isinstance(value, dict)], ids=repr)
def test_what_is_no_object_reads_as_an_empty_one(value):
    assert fields.mapping({"spec": value}, "spec") == {}
    assert fields.strings({"spec": value}, "spec") == {}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(
            [{"a": 1}, None, "x", 3, {"b": 2}], ({"a": 1}, {"b": 2}), id="the objects of a list, in order"
        ),
        pytest.param({"a": 1}, (), id="an object is no list"),
        pytest.param("text", (), id="a text is no list"),
        pytest.param(None, (), id="null"),
    ],
)
def test_items_are_the_objects_of_a_list(value, expected):
    assert fields.items({"list": value}, "list") == expected


@pytest.mark.parametrize("value", [None, True, 7, 1.5, [], {}], ids=repr)
def test_what_is_no_text_reads_as_the_default(value):
    assert fields.text({"name": value}, "name", "default") == "default"


@pytest.mark.parametrize("value", [None, True, False, 1.0, "7", [], {}], ids=repr)
def test_what_is_no_integer_reads_as_the_default(value):
    assert fields.integer({"replicas": value}, "replicas", 1) == 1


def test_a_large_integer_is_read_whole():
    assert fields.integer({"replicas": 10**30}, "replicas", 1) == 10**30


def test_labels_that_are_no_texts_are_left_out():
    obj = {"metadata": {"labels": {"a": "1", "b": 2, "c": None, "": "", "d": ["x"]}}}

    assert fields.labels(obj) == {"a": "1", "": ""}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param(
            {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": True},
            OwnerRef(Kind("batch/v1", "Job"), "j", "u", controller=True),
            id="a controller",
        ),
        pytest.param(
            {"apiVersion": "v1", "kind": "Pod", "name": "j", "uid": "u", "blockOwnerDeletion": False},
            OwnerRef(Kind("v1", "Pod"), "j", "u", block_owner_deletion=False),
            id="a flag that is false is a flag",
        ),
        pytest.param({"controller": "true", "name": 7}, OwnerRef(Kind("", ""), "", ""), id="wrong types"),
    ],
)
def test_an_owner_reference_is_read_as_it_stands_there(entry, expected):
    assert fields.owner_refs({"metadata": {"ownerReferences": [entry]}}) == (expected,)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u"}, id="no flags"),
        pytest.param(
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": "j",
                "uid": "u",
                "controller": False,
                "blockOwnerDeletion": True,
            },
            id="both flags",
        ),
    ],
)
def test_an_owner_reference_is_written_as_it_was_read(entry):
    (reference,) = fields.owner_refs({"metadata": {"ownerReferences": [entry]}})

    assert fields.owner_ref_json(reference) == entry


def named(count, **managing):
    """So many owners, called by their numbers."""
    entries = [{"name": str(number)} for number in range(count)]
    return {"metadata": {"ownerReferences": [*entries, *([{**managing}] if managing else [])]}}


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(named(2), ["0", "1"], id="as they are usually"),
        pytest.param(named(10_000), [str(number) for number in range(OWNERS_LIMIT)], id="the first of many"),
        pytest.param(
            named(10_000, name="boss", controller=True),
            [*(str(number) for number in range(OWNERS_LIMIT)), "boss"],
            id="and the managing one wherever it stands",
        ),
        pytest.param(
            named(0, name="boss", controller=True), ["boss"], id="which is named once when it is near"
        ),
        pytest.param({}, [], id="none"),
    ],
)
def test_of_many_owners_the_foremost_are_looked_at(obj, expected):
    assert [reference.name for reference in fields.foremost_owners(obj)] == expected


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [("2026-01-01T00:00:00Z", True), ("", False), (None, False), (0, False), (True, False)],
)
def test_an_object_is_being_deleted_when_a_time_says_so(stamp, expected):
    assert fields.being_deleted({"metadata": {"deletionTimestamp": stamp}}) is expected


@given(objects | json_values)
def test_never_raises_and_always_gives_the_type_it_names(obj):
    assert isinstance(fields.ref_of(obj), Ref)
    assert all(isinstance(value, str) for value in fields.labels(obj).values())
    assert all(isinstance(one.complete, bool) for one in fields.owner_refs(obj))
    assert isinstance(fields.being_deleted(obj), bool)
