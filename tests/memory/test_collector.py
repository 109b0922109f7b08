"""What goes when its owners go. In a cluster the controller manager does this, so no API server says it."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.fields import ref_of
from podgrouper.core.model import Kind, Ref
from podgrouper.memory.collector import Collector, collect
from podgrouper.memory.patches import MERGE
from podgrouper.memory.store import Store
from tests.builders import controls, owner, owns

MAP = Kind("v1", "ConfigMap")
NAMESPACE = Kind("v1", "Namespace")


def note(name, *up, **more):
    return owner(f"{MAP}", name, *up, **more)


TOP = note("top")
OTHER = note("other")
BELOW = note("below", controls(TOP))
BLOCKING = BELOW | {
    "metadata": {
        **BELOW["metadata"],
        "ownerReferences": [{**BELOW["metadata"]["ownerReferences"][0], "blockOwnerDeletion": True}],
    }
}
DEEP = note("deep", controls(BELOW))
SHARED = note("shared", controls(TOP), owns(OTHER))


def store(*objects):
    uids = (f"uid-{number}" for number in itertools.count())
    found = Store(now=lambda: "2026-01-01T00:00:00Z", uid=lambda: next(uids))
    for obj in objects:
        found.load(obj)
    return found


def left(found):
    return [ref_of(obj).name for obj in found.list(MAP)]


def deleted(found, name="top", **how):
    found.delete(Ref(MAP, "ns", name), **how)
    collect(found)
    return left(found)


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([TOP, BELOW], [], id="what it owns"),
        pytest.param([TOP, BELOW, DEEP], [], id="and what that owns"),
        pytest.param([TOP, OTHER], ["other"], id="but nothing else"),
        pytest.param([TOP, OTHER, SHARED], ["other", "shared"], id="nor what somebody else owns too"),
    ],
)
def test_with_an_owner_goes(objects, expected):
    assert deleted(store(*objects)) == expected


def test_what_two_own_goes_with_the_second():
    found = store(TOP, OTHER, SHARED)
    deleted(found)

    assert deleted(found, "other") == []


@pytest.mark.parametrize(
    "present",
    [
        pytest.param([], id="never was there"),
        pytest.param([note("top", uid="uid-later")], id="is another one of that name"),
        pytest.param([note("top", namespace="elsewhere")], id="is in another namespace"),
    ],
)
def test_what_refers_to_an_owner_goes_that(present):
    found = store(*present, BELOW)
    collect(found)

    assert "below" not in left(found)


def test_orphans_stay_and_lose_the_reference():
    found = store(TOP, BELOW)

    assert deleted(found, propagation="Orphan") == ["below"]
    assert "ownerReferences" not in found.get(MAP, "ns", "below")["metadata"]


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        pytest.param(BLOCKING, ["below", "top"], id="one that blocks holds it"),
        pytest.param(BELOW, ["below"], id="one that does not does not"),
    ],
)
def test_in_the_foreground_dependents_go_first(below, expected):
    held = below | {"metadata": {**below["metadata"], "finalizers": ["example.com/wait"]}}
    found = store(TOP, held)
    before = deleted(found, propagation="Foreground")
    found.patch(Ref(MAP, "ns", "below"), MERGE, {"metadata": {"finalizers": []}})
    collect(found)

    assert (before, left(found)) == (expected, [])


def test_a_namespace_goes_with_everything_in_it():
    found = store(TOP, OTHER, note("far", namespace="elsewhere"))
    found.delete(Ref(NAMESPACE, "", "ns"))
    collect(found)

    assert (left(found), found.find(NAMESPACE, "", "ns")) == (["far"], None)


def test_a_collector_looks_only_after_something_happened():
    found = store(TOP, BELOW)
    collector = Collector(found)
    collector.collect()
    idle = collector.idle
    found.delete(Ref(MAP, "ns", "top"))

    assert (idle, collector.idle) == (True, False)
    assert (collector.collect(), collector.collect(), collector.idle) == (1, 0, True)


def tree(parents):
    """For each object the number of its owner, where that one is older."""
    objects = []
    for number, parent in enumerate(parents):
        objects.append(note(f"n-{number}", *map(controls, objects[parent : parent + 1])))
    return objects


def below_the_first(parents):
    found = {0}
    for number, parent in enumerate(parents):
        found |= {number} if parent in found and parent < number else set()
    return found


@given(st.lists(st.integers(0, 8), min_size=1, max_size=8))
def test_of_any_tree_nothing_below_what_went_is_left_and_all_else_is(parents):
    kept = set(range(len(parents))) - below_the_first(parents)

    assert deleted(store(*tree(parents)), "n-0") == [f"n-{number}" for number in sorted(kept)]
