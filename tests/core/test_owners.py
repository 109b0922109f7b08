"""The owner chain: how far it leads, and every way in which it may end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Ending, Kind
from podgrouper.core.owners import DEPTH_LIMIT, chain_of
from podgrouper.core.pods import PodRows
from tests.builders import chain, controls, owner, owns, pod
from tests.core.tiny import Glimpse

ROW = PodRows(Reads()).row


def walked(a_pod, *objects, otherwise=Ending.MISSING):
    return chain_of(ROW(a_pod), Glimpse(objects, otherwise).object)


def names(found):
    return [one.ref.name for one in found.owners]


def referring(*entries):
    """A pod whose references are what they are, wrong ones too."""
    return pod("p") | {
        "metadata": {"namespace": "ns", "name": "p", "uid": "uid-p", "ownerReferences": [*entries]}
    }


def reference(**changes):
    whole = {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "uid-train", "controller": True}
    return {key: value for key, value in {**whole, **changes}.items() if value is not None}


def test_a_pod_without_owners_is_its_own_top():
    found = walked(pod("alone"))

    assert (names(found), found.ending, found.broken_at, found.top) == ([], Ending.TOP, None, None)


def test_the_chain_is_nearest_first():
    steps = chain(3)

    found = walked(pod("p", controls(steps[-1])), *steps)

    assert names(found) == ["step-2", "step-1", "step-0"]
    assert found.top.ref.name == "step-0"
    assert found.ending is Ending.TOP


def test_the_controller_leads_on_whatever_its_place():
    one, two = (owner("batch/v1 Job", name) for name in ("one", "two"))

    assert names(walked(pod("p", owns(one), controls(two)), one, two)) == ["two"]


def test_without_a_controller_the_first_owner_leads_on():
    one, two = (owner("batch/v1 Job", name) for name in ("one", "two"))

    assert names(walked(pod("p", owns(one), owns(two)), one, two)) == ["one"]


def test_a_cluster_scoped_owner_is_found_and_has_no_namespace():
    node = owner("v1 Node", "one", namespace="")

    found = walked(pod("mirror", controls(node)), node)

    assert [one.ref.namespace for one in found.owners] == [""]


def test_the_version_of_the_reference_names_the_owner():
    job = owner("batch/v1 Job", "train")

    assert walked(pod("p", controls(job)), job).owners[0].ref.kind == Kind("batch/v1", "Job")


@pytest.mark.parametrize(
    "ending",
    [Ending.FORBIDDEN, Ending.UNKNOWN_KIND, Ending.MISSING, Ending.ELSEWHERE, Ending.UNSEEN],
)
def test_ends_where_the_next_owner_cannot_be_had_and_says_why(ending):
    steps = chain(3)

    found = walked(pod("p", controls(steps[-1])), *steps[1:], otherwise=ending)

    assert names(found) == ["step-2", "step-1"]
    assert (found.ending, found.broken_at.name) == (ending, "step-0")


def test_a_namesake_with_another_uid_is_not_the_owner():
    job = owner("batch/v1 Job", "train")
    later = owner("batch/v1 Job", "train", uid="another")

    found = walked(pod("p", controls(job)), later)

    assert (names(found), found.ending, found.broken_at.uid) == ([], Ending.OTHER_UID, "uid-train")


def test_a_lookup_that_does_not_compare_uids_is_not_trusted():
    found = chain_of(ROW(referring(reference())), lambda *_: owner("batch/v1 Job", "train", uid="another"))

    assert found.ending is Ending.OTHER_UID


def test_as_many_owners_as_the_limit_are_fine():
    steps = chain(DEPTH_LIMIT)

    found = walked(pod("p", controls(steps[-1])), *steps)

    assert (len(found.owners), found.ending) == (16, Ending.TOP)


def test_one_owner_more_is_too_deep():
    steps = chain(DEPTH_LIMIT + 1)

    found = walked(pod("p", controls(steps[-1])), *steps)

    assert (len(found.owners), found.ending, found.broken_at.name) == (16, Ending.TOO_DEEP, "step-0")


@pytest.mark.parametrize(
    ("up", "expected"),
    [
        pytest.param({"a": "a"}, ["a"], id="its own owner"),
        pytest.param({"a": "b", "b": "a"}, ["a", "b"], id="two that own each other"),
        pytest.param({"a": "b", "b": "c", "c": "b"}, ["a", "b", "c"], id="a ring further up"),
        pytest.param({"a": "p"}, ["a"], id="back to the pod"),
    ],
)
def test_a_cycle_ends_where_it_closes(up, expected):
    bare = {name: owner("example.com/v1 Step", name) for name in (*up, "p")}
    objects = [owner("example.com/v1 Step", name, controls(bare[above])) for name, above in up.items()]

    found = walked(pod("p", controls(bare["a"])), *objects)

    assert (names(found), found.ending) == (expected, Ending.CYCLE)


@pytest.mark.parametrize(
    "entry",
    [
        *(
            pytest.param(reference(**{key: value}), id=f"{key} is {value!r}")
            for key in ("apiVersion", "kind", "name", "uid")
            for value in (None, "", 7)
        ),
        pytest.param({}, id="nothing at all"),
    ],
)
def test_a_reference_that_names_nothing_is_malformed(entry):
    found = walked(referring(entry), owner("batch/v1 Job", "train"))

    assert (names(found), found.ending) == ([], Ending.MALFORMED)


def test_a_controller_flag_that_is_no_flag_makes_no_controller():
    one, two = (owner("batch/v1 Job", name) for name in ("one", "train"))
    first = reference(name="one", uid="uid-one", controller=None)

    found = walked(referring(first, reference(controller="true")), one, two)

    assert names(found) == ["one"]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.integers(0, 5))
def test_always_ends_and_passes_nothing_twice(above, start):
    bare = [owner("example.com/v1 Step", f"s{number}") for number in range(6)]
    objects = [
        owner("example.com/v1 Step", f"s{number}", controls(bare[up])) for number, up in enumerate(above)
    ]

    found = walked(pod("p", controls(bare[start])), *objects)

    assert len({one.ref.uid for one in found.owners}) == len(found.owners) <= DEPTH_LIMIT
    assert found.ending in (Ending.CYCLE, Ending.MISSING)
