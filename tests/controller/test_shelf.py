"""Rows of pods come out of the shelf as they went in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.shelf import POOL_LIMIT, Shelf, identity, spelled
from podgrouper.core.interfaces import Reads
from podgrouper.core.pods import SHARED_LENGTH, PodRows
from tests.builders import pod

ROWS = PodRows(Reads(labels=frozenset({"app"})))
UID = "2f6b1c1e-7a51-4c0f-9d38-0123456789ab"


@pytest.mark.parametrize(
    ("uid", "version", "packed"),
    [
        pytest.param(UID, "1234567", True, id="as API servers write them"),
        pytest.param(UID.upper(), "1", False, id="a uid in capitals"),
        pytest.param(UID.replace("-", ""), "1", False, id="a uid without dashes"),
        pytest.param("uid-p", "1", False, id="a uid of another make"),
        pytest.param(UID, "", False, id="no version"),
        pytest.param(UID, "007", False, id="a version with zeros in front"),
        pytest.param(UID, str(1 << 64), False, id="a version that is too large"),
        pytest.param(UID, "-1", False, id="a negative version"),
        pytest.param(UID, "٣", False, id="other digits"),
    ],
)
def test_only_what_can_be_spelled_again_is_packed(uid, version, packed):
    found = identity(uid, version)

    assert isinstance(found, bytes) is packed
    assert spelled(found) == (uid, version)


@given(st.text(max_size=40) | st.uuids().map(str), st.text(max_size=24) | st.integers(0).map(str))
def test_an_identity_is_never_lost(uid, version):
    assert spelled(identity(uid, version)) == (uid, version)


@given(st.uuids(), st.integers(0, 2**64 - 1), st.sampled_from(["", "one"]), st.sampled_from(["", "web"]))
def test_a_row_comes_out_as_it_went_in(uid, version, node, app):
    labels = {"app": app} if app else {}
    row = ROWS.row(
        pod("p", labels=labels, spec={"nodeName": node}, uid=f"{uid}", resourceVersion=f"{version}")
    )
    shelf = Shelf()
    shelf.put(row)

    assert shelf.row("ns", "p") == row
    assert list(shelf.within("ns")) == [row]


def test_pods_that_are_alike_share_what_is_alike():
    shelf = Shelf()
    for name in "ab":
        shelf.put(ROWS.row(pod(name, labels={"app": "web"})))

    one, two = shelf.within("ns")
    assert one.labels is two.labels


def test_churn_leaves_no_pod_behind():
    shelf = Shelf()
    for number in range(POOL_LIMIT + 2):
        shelf.put(ROWS.row(pod("p", labels={"app": f"v{number}"})))

    assert (len(shelf), shelf.row("ns", "p").labels) == (1, {"app": f"v{POOL_LIMIT + 1}"})
    shelf.drop("ns", "p")
    shelf.drop("ns", "p")
    assert (len(shelf), shelf.row("ns", "p")) == (0, None)


@pytest.mark.parametrize(
    ("length", "shared"),
    [
        pytest.param(3, True, id="as usual"),
        pytest.param(SHARED_LENGTH + 1, False, id="huge: it would stay after its pods"),
    ],
)
def test_what_pods_have_alike_is_kept_once_unless_it_is_huge(length, shared):
    shelf = Shelf()
    for name in ("a", "b"):
        rows = PodRows(Reads(labels=frozenset({"app"})))
        shelf.put(rows.row(pod(name, labels={"app": "x" * length})))

    one, two = (shelf.row("ns", name) for name in ("a", "b"))

    assert one.labels == two.labels
    assert (one.labels is two.labels) is shared
