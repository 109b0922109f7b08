"""Rows of pods come out of the shelf as they went in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.shelf import POOL_LIMIT, Shelf
from podgrouper.core.interfaces import Reads
from podgrouper.core.pods import SHARED_LENGTH, PodRows
from tests.builders import pod

ROWS = PodRows(Reads(labels=frozenset({"app"})))


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
        rows = PodRows(Reads(annotations=frozenset({"app"})))
        shelf.put(rows.row(pod(name, annotations={"app": "x" * length})))

    one, two = (shelf.row("ns", name) for name in ("a", "b"))

    assert one.annotations == two.annotations
    assert (one.annotations is two.annotations) is shared
