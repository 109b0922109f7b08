"""What KAI's PodGroup says of resources, as KAI's podgroupcontroller counts it."""

import pytest

from podgrouper.core.difference import merged
from podgrouper.core.fields import mapping
from podgrouper.core.model import Json, Pod
from podgrouper.core.pods import PodRows
from podgrouper.dialects.kai_status import KaiLifecycle
from tests.builders import pod

KAI = KaiLifecycle()
GPU, MEMORY = "nvidia.com/gpu", "run.ai/gpu.memory"
HIGH = {"value": 125}


def asks(**requests: str) -> Json:
    """A container."""
    return {
        "name": "main",
        "resources": {"requests": {name.replace("gpu", GPU): amount for name, amount in requests.items()}},
    }


def member(*containers: Json, phase: str = "Pending", node: str = "", **more: object) -> Pod:
    spec = {"containers": list(containers), "nodeName": node, **more.pop("spec", {})}
    return PodRows(KAI.reads).row(pod("p", scheduler="kai-scheduler", phase=phase, spec=spec, **more))


def used(*members: Pod, group: Json | None = None, **classes: Json) -> Json:
    """`resourcesStatus` after the controller has looked."""
    live = group or {}
    return mapping(merged(live, KAI.usage(live, members, classes)), "status.resourcesStatus")


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        pytest.param([], {}, id="nobody asks for anything"),
        pytest.param(
            [member(asks(cpu="500m"), asks(cpu="1", memory="1Gi")), member(asks(cpu="500m"))],
            {"requested": {"cpu": "2", "memory": "1Gi"}},
            id="all containers of all pods",
        ),
        pytest.param(
            [member(asks(cpu="1"), phase="Succeeded"), member(asks(cpu="1"), phase="Failed")],
            {},
            id="who has ended asks for nothing",
        ),
        pytest.param(
            [member(asks(cpu="1"), spec={"initContainers": [asks(cpu="9")], "overhead": {"cpu": "9"}})],
            {"requested": {"cpu": "1"}},
            id="init containers and overhead do not count",
        ),
        pytest.param(
            [member(asks(cpu="1"), node="n"), member(asks(cpu="1"), phase="Running", node="n")],
            {"requested": {"cpu": "2"}, "allocated": {"cpu": "2"}},
            id="allocated is what has a node",
        ),
        pytest.param(
            [member(asks(), annotations={"gpu-fraction": "0.5", "gpu-fraction-num-devices": "2"})],
            {"requested": {GPU: "1"}},
            id="a share of each of two GPUs",
        ),
        pytest.param(
            [member(asks(), annotations={"gpu-fraction": "0.5"}, node="n")],
            {"requested": {GPU: "500m"}},
            id="a share that was not handed out yet",
        ),
        pytest.param(
            [
                member(
                    asks(),
                    annotations={"gpu-fraction": "0.5", "received-resource-type": "Fraction"},
                    node="n",
                )
            ],
            {"requested": {GPU: "500m"}, "allocated": {GPU: "500m"}},
            id="a share that was handed out",
        ),
        pytest.param(
            [member(asks(), annotations={"gpu-memory": "2000", "gpu-fraction-num-devices": "2"})],
            {"requested": {MEMORY: "4k"}},
            id="GPU memory",
        ),
        pytest.param(
            [member(asks(cpu="much"), annotations={"gpu-fraction": "half"})], {}, id="what is no quantity"
        ),
    ],
)
def test_resources_are_counted_from_the_pods(pods, expected):
    assert used(*pods) == expected


@pytest.mark.parametrize(
    ("spec", "classes", "expected"),
    [
        pytest.param({}, {}, False, id="the usual priority can be preempted"),
        pytest.param({"preemptibility": "non-preemptible"}, {}, True, id="the group says that it cannot"),
        pytest.param({"priorityClassName": "high"}, {"high": HIGH}, True, id="its priority is high"),
        pytest.param(
            {"priorityClassName": "high", "preemptibility": "preemptible"},
            {"high": HIGH},
            False,
            id="the group's own word beats its priority",
        ),
        pytest.param(
            {"priorityClassName": "gone"},
            {"usual": {"value": 200, "globalDefault": True}},
            True,
            id="the default of the cluster where its class is not there",
        ),
        pytest.param({"priorityClassName": "low"}, {"low": {"value": 99}}, False, id="just below"),
    ],
)
def test_what_cannot_be_preempted_is_counted_apart(spec, classes, expected):
    found = used(member(asks(cpu="1"), node="n"), group={"spec": spec}, **classes)

    assert ("allocatedNonPreemptible" in found) is expected


def test_what_could_not_be_preempted_once_stays_as_kai_leaves_it():
    group = {
        "spec": {"preemptibility": "preemptible"},
        "status": {"resourcesStatus": {"allocatedNonPreemptible": {"cpu": "3"}}},
    }

    assert used(member(asks(cpu="1"), node="n"), group=group)["allocatedNonPreemptible"] == {"cpu": "3"}


def test_equal_amounts_are_not_written_again():
    group = {"status": {"resourcesStatus": {"requested": {"cpu": "1000m"}}}}

    assert KAI.usage(group, [member(asks(cpu="1"))], {}) == {}


def test_what_is_asked_for_no_longer_goes():
    group = {"status": {"resourcesStatus": {"requested": {"cpu": "1", GPU: "8"}}}}

    assert used(member(asks(cpu="1")), group=group) == {"requested": {"cpu": "1"}}
