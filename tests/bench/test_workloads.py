"""Workloads that lie in the cluster."""

import json

import pytest

from bench.workloads import CHANGES, SHAPES, owners_of, plural_of, pod, status_changes
from tests.cluster.api import kind_of

OWNER = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": "ns", "name": "w", "uid": "u"}}


def test_a_pod_that_may_be_small_has_nothing_to_fill_it():
    assert pod("w-0", "volcano", OWNER, {"app": "w"}, 0)["spec"]["containers"][0]["env"] == []


def test_a_pod_belongs_to_its_owner():
    made = pod("w-0", "volcano", OWNER, {"app": "w"}, 0)

    (reference,) = made["metadata"]["ownerReferences"]
    assert (made["metadata"]["namespace"], reference["kind"], reference["uid"]) == ("ns", "Job", "u")


@pytest.mark.parametrize(
    ("shape", "kinds"),
    [
        ("ReplicaSet", ["ReplicaSet"]),
        ("Deployment", ["Deployment", "ReplicaSet"]),
        ("PyTorchJob", ["PyTorchJob"]),
        ("Job", ["Job"]),
        ("chain of 1", ["ReplicaSet"]),
        ("chain of 3", ["Level3", "Level2", "ReplicaSet"]),
    ],
)
def test_owners_come_from_the_top_down(shape, kinds):
    assert [owner["kind"] for owner in owners_of(shape, "ns", "w", "volcano", 10).owners] == kinds


@pytest.mark.parametrize("shape", SHAPES)
def test_every_kind_of_owner_has_a_place_on_the_server(shape):
    assert all(plural_of(kind_of(owner)) for owner in owners_of(shape, "ns", "w", "volcano", 10).owners)


def test_no_two_status_changes_of_a_pod_that_starts_are_the_same():
    assert len({json.dumps(change) for change in status_changes()}) == CHANGES
