"""`podgrouper diff` on a real API server: the same plan as for files, and not one write."""

import json

import pytest

from tests.cluster import objects
from tests.cluster.loader import create_all
from tests.cluster.program import output_of

pytestmark = pytest.mark.control_plane


@pytest.fixture
def gang(plane, namespace, crds):
    """A Deployment's ReplicaSet with two pods of the volcano scheduler."""
    plane.apply(crds)
    (deployment,) = create_all(plane, [objects.deployment(namespace, "train", "volcano", 2)])
    below = objects.replica_set(namespace, "train-1", "volcano", 2)
    below["metadata"]["ownerReferences"] = [objects.controlled_by(deployment)]
    (replica_set,) = create_all(plane, [below])
    create_all(plane, [objects.pod(namespace, f"train-1-{n}", "volcano", replica_set) for n in "ab"])
    return replica_set["metadata"]["uid"]


def diff(plane, user: str, *flags: str) -> dict[str, object]:
    return json.loads(output_of("diff", "--kubeconfig", str(plane.kubeconfig(user)), *flags, "-o", "json"))


@pytest.fixture
def user(plane):
    name = plane.fresh_user()
    plane.allow(name, output_of("rbac"))
    return name


def test_what_would_change_is_shown(plane, namespace, user, gang):
    plan = diff(plane, user, "--namespace", namespace)

    assert [entry["name"] for entry in plan["created"]] == [f"podgroup-{gang}"]
    assert [(entry["name"], entry["group"]) for entry in plan["linked"]] == [
        ("train-1-a", f"podgroup-{gang}"),
        ("train-1-b", f"podgroup-{gang}"),
    ]


def test_nothing_is_written_and_nothing_asked_that_the_role_does_not_grant(plane, namespace, user, gang):
    diff(plane, user, "--namespace", namespace)

    assert [str(event) for event in plane.audit(user) if event.changes or event.code == 403] == []


def test_owners_that_may_not_be_read_end_the_chain_and_harm_nothing(plane, namespace, gang):
    user = plane.fresh_user()
    plane.allow(user, json.dumps(_only_pods_and_groups()))

    plan = diff(plane, user, "--namespace", namespace, "--profile", "kai", "--scheduler-name", "volcano")

    assert len(plan["linked"]) == 2


def _only_pods_and_groups() -> dict[str, object]:
    rights = {
        "apiGroups": ["", "scheduling.run.ai", "scheduling.k8s.io"],
        "resources": ["pods", "podgroups", "priorityclasses"],
        "verbs": ["get", "list", "watch"],
    }
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "pods-and-groups"},
        "rules": [rights],
    }
