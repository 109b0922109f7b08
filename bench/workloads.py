"""What lies in the cluster: owners of several kinds, and pods of the size that real ones have. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from podgrouper.core.model import Kind
from tests.cluster import objects
from tests.cluster.api import Object

PYTORCH_JOB = Kind("kubeflow.org/v1", "PyTorchJob")
REPLICA_TYPE = "training.kubeflow.org/replica-type"

BARE = 2310
"""Bytes of a stored pod that has no settings, with uid, defaults, status and `managedFields`."""
SETTING = 181
"""Bytes of one, with what `managedFields` says of it."""
_VALUE = "x" * 80


@dataclass(frozen=True, slots=True)
class Gang:
    """The owners above some pods, from the top down, and the labels by which their controller knows them."""

    owners: tuple[Object, ...]
    labels: Mapping[str, str]


def deep_kind(level: int) -> Kind:
    """A kind that nobody knows: what people build above the built-in ones."""
    return Kind("bench.podgrouper.io/v1", f"Level{level}")


DEEPEST = 5
"""Owners of the longest chain."""

PLURALS: Mapping[str, str] = {
    "Pod": "pods",
    "Job": "jobs",
    "ReplicaSet": "replicasets",
    "Deployment": "deployments",
    "PyTorchJob": "pytorchjobs",
    **{deep_kind(level).kind: f"level{level}s" for level in range(2, DEEPEST + 1)},
}


def plural_of(kind: Kind) -> str:
    return PLURALS[kind.kind]


def owners_of(shape: str, namespace: str, name: str, scheduler: str, members: int) -> Gang:
    """Owners without references to each other: whoever creates them knows their uids."""
    return SHAPES[shape](namespace, name, scheduler, members)


def _replica_set(namespace: str, name: str, scheduler: str, members: int) -> Gang:
    return Gang((objects.replica_set(namespace, name, scheduler, members),), {"app": name})


def _job(namespace: str, name: str, scheduler: str, members: int) -> Gang:
    return Gang((objects.job(namespace, name, scheduler, members),), {"job-name": name})


def _deployment(namespace: str, name: str, scheduler: str, members: int) -> Gang:
    top = objects.deployment(namespace, name, scheduler, members)
    return Gang((top, *_replica_set(namespace, name, scheduler, members).owners), {"app": name})


def _pytorch_job(namespace: str, name: str, scheduler: str, members: int) -> Gang:
    template = {"spec": objects.pod_spec(scheduler)}
    roles = {"Worker": {"replicas": members, "restartPolicy": "Never", "template": template}}
    job = {**objects.custom(PYTORCH_JOB, namespace, name), "spec": {"pytorchReplicaSpecs": roles}}
    return Gang((job,), {"training.kubeflow.org/job-name": name, REPLICA_TYPE: "worker"})


def _chain(levels: int) -> Callable[[str, str, str, int], Gang]:
    """Above a ReplicaSet so many kinds of somebody's own that the chain has this many owners."""

    def chain(namespace: str, name: str, scheduler: str, members: int) -> Gang:
        above = [objects.custom(deep_kind(level), namespace, name) for level in range(levels, 1, -1)]
        return Gang((*above, *_replica_set(namespace, name, scheduler, members).owners), {"app": name})

    return chain


SHAPES: Mapping[str, Callable[[str, str, str, int], Gang]] = {
    "ReplicaSet": _replica_set,
    "Job": _job,
    "Deployment": _deployment,
    "PyTorchJob": _pytorch_job,
    **{f"chain of {levels}": _chain(levels) for levels in range(1, DEEPEST + 1)},
}


def pod(name: str, scheduler: str, owner: Object, labels: Mapping[str, str], size: int) -> Object:
    """A pod that is stored with about `size` bytes, most of them in its container's environment."""
    made = objects.pod(owner["metadata"]["namespace"], name, scheduler, owner)
    made["metadata"]["labels"] = {**labels, "app.kubernetes.io/managed-by": "bench"}
    made["metadata"]["annotations"] = {"bench.podgrouper.io/note": "as an operator leaves one"}
    settings = max(0, round((size - BARE) / SETTING))
    made["spec"]["containers"][0]["env"] = [
        {"name": f"SETTING_{number:04}", "value": _VALUE} for number in range(settings)
    ]
    return made


_CONDITIONS = ("PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")
CHANGES = 5
"""Status changes that a kubelet makes until a pod is ready."""


def status_changes() -> Sequence[Mapping[str, object]]:
    """What a kubelet writes of a pod that it starts, as merge patches of the status, in order."""
    waiting = [_container({"waiting": {"reason": "ContainerCreating"}}, ready=False)]
    running = [_container({"running": {"startedAt": "2026-01-01T00:00:10Z"}}, ready=False)]
    ready = [_container({"running": {"startedAt": "2026-01-01T00:00:10Z"}}, ready=True)]
    return (
        {"conditions": _conditions(1), "startTime": "2026-01-01T00:00:00Z"},
        {"conditions": _conditions(2), "containerStatuses": waiting},
        {"conditions": _conditions(2), "phase": "Running", "podIP": "10.1.0.1", "containerStatuses": running},
        {"conditions": _conditions(3), "containerStatuses": ready},
        {"conditions": _conditions(4), "containerStatuses": ready},
    )


def _conditions(true: int) -> Sequence[Mapping[str, str]]:
    return [
        {"type": name, "status": "True" if place < true else "False"}
        for place, name in enumerate(_CONDITIONS)
    ]


def _container(state: Mapping[str, object], *, ready: bool) -> Mapping[str, object]:
    image = {"image": "pause", "imageID": "pause"}
    return {"name": "main", **image, "ready": ready, "restartCount": 0, "started": ready, "state": state}
