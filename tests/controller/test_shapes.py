"""The watch's decoder builds what a row is made of, and not a key more."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.shapes import object_shape, pod_shape
from podgrouper.core.interfaces import Reads
from podgrouper.core.pods import PodRows
from podgrouper.core.trimming import trimmed
from podgrouper.kube.decoding import Decoder
from tests.builders import controls, owner, pod

EVERYTHING = Reads(
    labels=frozenset({"app"}), annotations=frozenset({"note"}), resources=True, scheduling=True
)
SOME = Reads(annotations=frozenset({"note"}))
ASKS = {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}
CONTAINER = {"name": "main", "image": "main", "command": ["sleep"], "resources": ASKS}
SPEC = {
    "containers": [CONTAINER],
    "initContainers": [CONTAINER | {"restartPolicy": "Always"}],
    "overhead": {"cpu": "1m"},
    "resources": ASKS,
    "priorityClassName": "high",
    "nodeName": "n",
    "tolerations": [{"key": "gpu"}],
}
STATUS = {
    "phase": "Running",
    "conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes"},
        {"type": "PodResizePending", "status": "True", "reason": "Deferred"},
    ],
    "containerStatuses": [{"name": "main", "resources": ASKS, "allocatedResources": {"cpu": "1"}}],
    "initContainerStatuses": [{"name": "main", "resources": ASKS, "image": "main"}],
}
FULL = pod(
    "p",
    controls(owner("apps/v1 ReplicaSet", "web")),
    spec=SPEC,
    labels={"app": "web", "other": "x"},
    annotations={"note": "n", "other": "x"},
    deletionTimestamp="2026-01-01T00:00:00Z",
) | {"status": STATUS}
KEYS = ("name", "labels", "app", "ownerReferences", "controller", "containers", "resources", "conditions")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=10,
)


def decoded(obj, reads):
    """The object of a watch line."""
    event = {"type": "ADDED", "object": obj}
    (line,) = Decoder(pod_shape(reads)).lines(json.dumps(event).encode() + b"\n").lines
    return line.object


@pytest.mark.parametrize("reads", [EVERYTHING, SOME, Reads()], ids=["everything", "some", "nothing"])
@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(FULL, id="a pod with everything"),
        pytest.param(pod("p"), id="a pod with nothing"),
        pytest.param(pod("p", labels={}, annotations={}), id="empty maps"),
        pytest.param(pod("p") | {"status": None}, id="null"),
        pytest.param({"metadata": {"name": "p", "namespace": "ns"}}, id="less than a pod"),
    ],
)
def test_the_row_of_a_decoded_pod_is_that_of_the_pod(obj, reads):
    rows = PodRows(reads)

    assert rows.row(decoded(obj, reads)) == rows.row(obj)


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        pytest.param(
            Reads(),
            {"spec": {"schedulerName", "priorityClassName", "nodeName"}, "status": {"phase"}},
            id="bare",
        ),
        pytest.param(
            Reads(scheduling=True),
            {
                "spec": {"schedulerName", "priorityClassName", "nodeName"},
                "status": {"phase", "conditions"},
            },
            id="why it has no node",
        ),
    ],
)
def test_what_nobody_declared_is_not_built(reads, expected):
    found = decoded(FULL, reads)

    assert {part: set(found[part]) for part in ("spec", "status")} == expected
    assert found["metadata"]["labels"] == {}
    assert found["metadata"]["annotations"] == {}


@given(st.dictionaries(st.sampled_from(["metadata", "spec", "status"]), values))
def test_so_it_is_whatever_the_pod_looks_like(parts):
    rows = PodRows(EVERYTHING)

    assert rows.row(decoded(parts, EVERYTHING)) == rows.row(parts)


PATHS = ("spec", "spec.replicas", "spec.template.spec", "status", "status.replicas")
OBJECT_KEYS = ("metadata", "labels", "managedFields", "spec", "replicas", "template", "status", "kind")
objects = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(OBJECT_KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


def shown(obj, paths):
    (line,) = (
        Decoder(object_shape(paths))
        .lines(json.dumps({"type": "ADDED", "object": obj}).encode() + b"\n")
        .lines
    )
    return line.object


@given(st.dictionaries(st.sampled_from(OBJECT_KEYS), objects), st.frozensets(st.sampled_from(PATHS)))
def test_of_a_decoded_object_as_much_is_kept_as_of_the_object(obj, paths):
    assert trimmed(shown(obj, paths), paths) == trimmed(obj, paths)


def test_what_nobody_reads_of_an_owner_is_not_built():
    web = owner("apps/v1 ReplicaSet", "web", spec={"replicas": 1, "template": {}}, managedFields=[{}])

    found = shown(web, frozenset({"spec.replicas"}))

    assert (found["spec"], "managedFields" in found["metadata"]) == ({"replicas": 1}, False)
