"""What the lone client sends is what podgrouper would send."""

import json

import pytest

from bench.lone_task import SAMPLE, task_for
from bench.orders import Where
from tests.cluster.scenes import KAI, VOLCANO


def task(profile, shape):
    where = Where("https://here", "pem", "token", profile.scheduler, profile.link)
    return task_for(where, profile, shape, members=10)


@pytest.mark.parametrize(
    ("profile", "shape", "per_pod"),
    [
        pytest.param(VOLCANO, "ReplicaSet", False, id="volcano groups a ReplicaSet"),
        pytest.param(KAI, "PyTorchJob", False, id="kai groups a PyTorchJob"),
        pytest.param(KAI, "Deployment", True, id="in kai each pod of a Deployment is a group"),
    ],
)
def test_there_is_a_group_for_each_owner_or_for_each_pod(profile, shape, per_pod):
    assert task(profile, shape).per_pod is per_pod


@pytest.mark.parametrize(("profile", "shape"), [(VOLCANO, "ReplicaSet"), (KAI, "PyTorchJob")])
def test_the_group_is_as_it_is_sent_and_not_as_it_is_stored(profile, shape):
    letter = task(profile, shape).group
    body = json.loads(letter.body)

    assert (letter.method, body["kind"], "uid" in body["metadata"]) == ("POST", "PodGroup", False)
    assert [owner["uid"] for owner in body["metadata"]["ownerReferences"]] == [SAMPLE.owner_uid]


@pytest.mark.parametrize(("profile", "shape"), [(VOLCANO, "ReplicaSet"), (KAI, "PyTorchJob")])
def test_a_link_is_a_json_patch_that_tests_first(profile, shape):
    letter = task(profile, shape).pod
    operations = json.loads(letter.body)

    assert letter.headers["Content-Type"] == "application/json-patch+json"
    assert operations[0] == {"op": "test", "path": "/metadata/uid", "value": SAMPLE.pod_uid}
    assert any(SAMPLE.owner_uid in str(operation["value"]) for operation in operations[1:])
