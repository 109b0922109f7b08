"""What is kept of an owner."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.trimming import DEPTH_LIMIT, WHOLE_PATH, trimmed
from tests.core.test_fields import json_values

METADATA = {"name": "a", "labels": {"x": "1"}, "managedFields": [{}], "selfLink": "/a"}
JOB = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": METADATA,
    "spec": {
        "parallelism": 2,
        "template": {"spec": {"volumes": [1], "containers": [{"name": "c", "image": "i"}]}},
    },
    "status": {"active": 1},
}
KEPT = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "labels": {"x": "1"}}}


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        pytest.param((), {}, id="metadata alone"),
        pytest.param(("spec.parallelism",), {"spec": {"parallelism": 2}}, id="a path"),
        pytest.param(("status",), {"status": {"active": 1}}, id="all of status"),
        pytest.param(("spec.completions",), {"spec": {}}, id="a path that leads nowhere"),
        pytest.param(("data.key",), {}, id="a part that is not there"),
        pytest.param(("status.active", "status"), {"status": {"active": 1}}, id="a path inside another one"),
        pytest.param(("spec.parallelism.deeper",), {"spec": {"parallelism": {}}}, id="beyond a number"),
    ],
)
def test_keeps_metadata_and_the_declared_paths(paths, expected):
    assert trimmed(JOB, paths) == KEPT | expected


def test_the_whole_object_is_kept_without_its_noise():
    containers = [{"name": "c"}]

    assert trimmed(JOB, {WHOLE_PATH}) == KEPT | {
        "spec": {"parallelism": 2, "template": {"spec": {"containers": containers}}},
        "status": {"active": 1},
    }


@pytest.mark.parametrize("metadata", [None, 7, "text", []], ids=repr)
def test_metadata_that_is_none_is_left_out(metadata):
    assert trimmed({"kind": "Job", "metadata": metadata}, ()) == {"kind": "Job"}


def test_what_is_nested_beyond_reason_is_cut():
    deep = leaf = {}
    for _ in range(5000):
        leaf["a"] = leaf = {}

    found = trimmed({"spec": deep}, {"spec"})

    assert str(found).count("a") <= DEPTH_LIMIT


objects = st.dictionaries(st.sampled_from(["kind", "metadata", "spec", "status", "volumes"]), json_values)
paths = st.sets(st.sampled_from(["", "spec", "spec.a", "status.b.c", "metadata", "metadata.labels"]))


@given(objects, paths)
def test_trimming_twice_is_trimming_once_and_leaves_the_object_alone(obj, wanted):
    before = copy.deepcopy(obj)

    once = trimmed(obj, wanted)

    assert obj == before
    assert trimmed(once, wanted) == once
