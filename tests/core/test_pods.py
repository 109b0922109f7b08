"""Pods as rows: what is kept of them, and what happens when somebody reads more than that."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.interfaces import Reads
from podgrouper.core.pods import (
    POOL_LIMIT,
    SHARED_LENGTH,
    TOO_LARGE,
    PodRows,
    Undeclared,
    of_shared_text,
    resources_text,
)
from tests.builders import controls, owner, pod
from tests.core.test_fields import json_values

READS = Reads(labels=frozenset({"app", "tier"}), annotations=frozenset({"note"}), resources=True)
ROWS = PodRows(READS)


def row(**more):
    return ROWS.row(pod("p", **more))


def test_holds_what_is_declared():
    labels = row(labels={"app": "web", "other": "x"}).labels

    assert dict(labels) == {"app": "web"}
    assert (labels["app"], labels.get("tier"), "tier" in labels, len(labels)) == ("web", None, False, 1)


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(lambda labels: labels["other"], id="by key"),
        pytest.param(lambda labels: labels.get("other"), id="get does not hide it"),
        pytest.param(lambda labels: "other" in labels, id="asking whether it is there"),
    ],
)
def test_reading_an_undeclared_key_raises(read):
    with pytest.raises(Undeclared, match="'other'"):
        read(row(labels={"other": "x"}).labels)


def test_rows_with_the_same_declared_keys_are_equal():
    assert row(labels={"app": "web", "other": "1"}) == row(labels={"app": "web", "other": "2"})


def test_rows_with_another_value_are_not():
    assert row(labels={"app": "web"}) != row(labels={"app": "api"})
    assert row(labels={"app": ""}) != row(labels={})


def test_picked_keys_equal_a_dictionary_and_those_of_another_builder():
    other = PodRows(Reads(labels=frozenset({"app"}))).row(pod("p", labels={"app": "web"}))

    assert row(labels={"app": "web"}).labels == {"app": "web"}
    assert row(labels={"app": "web"}).labels == other.labels


def test_reads_the_fields_of_a_pod():
    job = owner("batch/v1 Job", "train")
    spec = {"priorityClassName": "high", "nodeName": "one"}

    found = ROWS.row(
        pod("p", controls(job), spec=spec, phase="Running", deletionTimestamp="2026-01-02T00:00:00Z")
    )

    assert (found.namespace, found.name, found.uid, found.version) == ("ns", "p", "uid-p", "1")
    assert [one.name for one in found.owners] == ["train"]
    assert (found.scheduler, found.priority_class, found.node) == ("volcano", "high", "one")
    assert (found.phase, found.deleting) == ("Running", True)


@pytest.mark.parametrize(
    ("phase", "deleted", "expected"),
    [
        pytest.param("Pending", "", True, id="pending"),
        pytest.param("Running", "", True, id="running"),
        pytest.param("Unknown", "", True, id="unknown"),
        pytest.param("", "", True, id="no phase yet"),
        pytest.param("Succeeded", "", False, id="succeeded"),
        pytest.param("Failed", "", False, id="failed"),
        pytest.param("Running", "2026-01-02T00:00:00Z", False, id="being deleted"),
    ],
)
def test_a_pod_lives_until_it_has_ended_or_is_being_deleted(phase, deleted, expected):
    assert row(phase=phase, deletionTimestamp=deleted).live is expected


def test_without_a_reader_resources_are_not_kept():
    assert PodRows(Reads()).row(pod("p", spec={"containers": [{"name": "a"}]})).resources == ""


def test_resources_are_the_same_text_whatever_else_the_pod_says():
    asked = {"requests": {"cpu": "1", "memory": "1Gi"}}
    one = row(spec={"containers": [{"name": "a", "image": "x", "resources": asked}]})
    two = row(spec={"containers": [{"resources": asked, "name": "a", "ports": [1]}]})

    assert one.resources is two.resources
    assert json.loads(one.resources) == {"spec": {"containers": [{"name": "a", "resources": asked}]}}


def test_a_status_that_grants_nothing_says_nothing():
    assert resources_text({}, {"containerStatuses": [{"name": "a", "ready": True}]}) == "{}"


def test_what_pods_share_is_kept_once():
    job = owner("batch/v1 Job", "train")

    one, two = (ROWS.row(pod(name, controls(job), labels={"app": "web"})) for name in ("a", "b"))

    assert one.owners is two.owners


HUGE = "x" * (SHARED_LENGTH + 1)


@pytest.mark.parametrize(
    ("column", "more"),
    [
        pytest.param("owners", {"up": controls(owner("batch/v1 Job", HUGE))}, id="an owner's name"),
        pytest.param("labels", {"labels": {"app": HUGE}}, id="a label"),
        pytest.param("annotations", {"annotations": {"note": HUGE}}, id="an annotation"),
        pytest.param(
            "resources", {"spec": {"containers": [{"name": HUGE, "resources": {}}]}}, id="a container"
        ),
    ],
)
def test_what_is_huge_goes_with_its_pod(column, more):
    up = [more.pop("up")] if "up" in more else []
    one, two = (getattr(ROWS.row(pod(name, *up, **more)), column) for name in ("a", "b"))

    assert one == two
    assert one is not two


@pytest.mark.parametrize(
    ("words", "computed"),
    [
        pytest.param("few", ["few"], id="what pods share: once"),
        pytest.param(HUGE, [HUGE, HUGE], id="what is huge: each time"),
    ],
)
def test_what_follows_from_a_shared_text_is_computed_once(words, computed):
    asked = []
    compute = of_shared_text(asked.append)

    compute(words)
    compute(words)

    assert asked == computed


def deep(levels):
    found = {}
    for _ in range(levels):
        found = {"x": found}
    return found


@pytest.mark.parametrize(
    "containers",
    [
        pytest.param([{"name": f"c{number}"} for number in range(10_000)], id="ten thousand containers"),
        pytest.param([{"name": "c", "resources": deep(100_000)}], id="resources without a bottom"),
    ],
)
def test_a_pod_that_is_too_large_to_count_says_so(containers):
    assert row(spec={"containers": containers}).resources == TOO_LARGE


def test_churn_does_not_break_equality():
    rows = PodRows(Reads(labels=frozenset({"app"})))
    first = rows.row(pod("p", labels={"app": "web"}))

    for number in range(POOL_LIMIT + 2):
        rows.row(pod("q", labels={"app": f"v{number}"}))

    assert rows.row(pod("p", labels={"app": "web"})) == first


shapes = st.dictionaries(
    st.sampled_from(["metadata", "spec", "status"]),
    json_values
    | st.dictionaries(
        st.sampled_from(
            ["labels", "annotations", "ownerReferences", "containers", "conditions", "name", "phase"]
        ),
        json_values,
    ),
)


@given(shapes | json_values)
def test_never_raises(obj):
    found = ROWS.row(obj)

    assert all(isinstance(value, str) for value in (found.name, found.uid, found.phase, found.resources))
    assert isinstance(found.live, bool)
