"""Groups of a LeaderWorkerSet that has fewer replicas than before."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.model import Json
from podgrouper.planning import plan
from tests.policies.kai.worlds import deleting, existing_group, pod, reference, thing

KAI = Config(profiles=BUILT_IN[1:])
INDEX, WORKER = "leaderworkerset.sigs.k8s.io/group-index", "leaderworkerset.sigs.k8s.io/worker-index"
TEMPLATE: Json = {"size": 2}


def lws(replicas: object = 1, name: str = "llm") -> dict[str, object]:
    spec = {"replicas": replicas, "leaderWorkerTemplate": TEMPLATE}
    return thing("leaderworkerset.x-k8s.io/v1 LeaderWorkerSet", name, spec)


def group(index: object, *owners: Json, name: str = "llm") -> dict[str, object]:
    found = existing_group(f"pg-{name}-uid-{name}-group-{index}")
    metadata = found["metadata"]
    assert isinstance(metadata, Mapping)
    return found | {"metadata": {**metadata, "ownerReferences": [reference(one) for one in owners]}}


def member(owner: Json, index: int, phase: str = "Running") -> dict[str, object]:
    return pod(
        f"llm-{index}",
        owner,
        phase=phase,
        labels={INDEX: str(index), WORKER: "0"},
        annotations={"pod-group-name": f"pg-llm-uid-llm-group-{index}"},
    )


def deleted(*objects: Json) -> list[str]:
    return [ref.name.removeprefix("pg-llm-uid-llm-group-") for ref in plan(objects, KAI).deleted]


SET = lws()
STRANGER = thing("example.com/v1 Other", "other")


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([SET, group(0, SET), group(1, SET), group(2, SET)], ["1", "2"], id="beyond the count"),
        pytest.param([lws(0), group(0, SET)], ["0"], id="no replicas at all"),
        pytest.param([lws(None), group(0, SET), group(1, SET)], ["1"], id="one replica when it does not say"),
        pytest.param([SET, group(1, SET), member(SET, 1)], [], id="a live pod keeps its group"),
        pytest.param([SET, group(1, SET), member(SET, 1, "Succeeded")], ["1"], id="a dead one does not"),
        pytest.param([SET, group(1, SET), deleting(member(SET, 1))], ["1"], id="nor one that goes"),
        pytest.param(
            [SET, group(1, SET), pod("lone", annotations={"pod-group-name": "pg-llm-uid-llm-group-1"})],
            [],
            id="a live pod from outside keeps it too",
        ),
        pytest.param([SET, group(1)], [], id="owned by nobody"),
        pytest.param([SET, STRANGER, group(1, STRANGER)], [], id="owned by somebody else"),
        pytest.param([SET, group("x", SET)], [], id="no index in its name"),
        pytest.param([SET, group(1, SET, name="mine")], [], id="named otherwise"),
        pytest.param([group(1, SET)], [], id="the set cannot be read"),
        pytest.param([deleting(lws(0)), group(0, SET)], [], id="the set goes, and its groups with it"),
        pytest.param([lws("two"), group(1, SET)], [], id="a count that makes no sense"),
        pytest.param([lws(3), group(1, SET)], [], id="a replica that has no pods yet"),
    ],
)
def test_a_group_goes_when_its_replica_is_gone_and_no_live_pod_names_it(objects, expected):
    assert deleted(*objects) == expected


INDEXES = st.integers(0, 4)
GROUPS = st.lists(
    st.tuples(INDEXES, st.sampled_from(["ours", "stranger", "nobody"])), unique_by=lambda g: g[0]
)
PODS = st.lists(
    st.tuples(INDEXES, st.sampled_from(["Pending", "Running", "Succeeded", "Failed"])),
    unique_by=lambda p: p[0],
)


@given(st.integers(0, 5), GROUPS, PODS)
def test_never_a_group_with_live_pods_and_never_a_foreign_one(replicas, groups, pods):
    owner = lws(replicas)
    owners = {"ours": [owner], "stranger": [STRANGER], "nobody": []}
    world = [
        owner,
        STRANGER,
        *(group(index, *owners[whose]) for index, whose in groups),
        *(member(owner, index, phase) for index, phase in pods),
    ]
    live = {index for index, phase in pods if phase in ("Pending", "Running")}

    assert set(deleted(*world)) == {
        str(index) for index, whose in groups if whose == "ours" and index >= replicas and index not in live
    }
