"""One workload of each form as clusters have them: its owners, and pods of 10 KB that a kubelet runs.

`NUMBER` stands in their names, and later in their uids: a thousand workloads of a form differ by that alone.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from podgrouper.core.fields import items, mapping, text
from podgrouper.core.model import POD, Json, Kind

JOB = Kind("batch/v1", "Job")
DEPLOYMENT = Kind("apps/v1", "Deployment")
REPLICA_SET = Kind("apps/v1", "ReplicaSet")

NUMBER = "77777777"
"""Where the number of a workload stands; nothing else looks like it."""
PODS = 10
"""Of one workload."""
VARIABLES = 22
"""Environment of a training pod: together with its managed fields it makes 10 KB of the pod."""
STARTED = "2026-11-19T08:00:00Z"

Owner: TypeAlias = tuple[Kind, str]
"""Kind and name; it lives in the same namespace."""
Make: TypeAlias = Callable[[str, str], list[Json]]
"""The objects of one workload from its namespace and its scheduler's name, owners first."""


def job(namespace: str, scheduler: str, pods: int = PODS) -> list[Json]:
    """A gang: one Job whose pods belong together."""
    name = f"train-{NUMBER}"
    spec = {"parallelism": pods, "completions": pods, "template": _template(name, scheduler)}
    owner = _object(JOB, namespace, name) | {"spec": spec}
    return [owner, *_pods(namespace, name, scheduler, (JOB, name), pods)]


def deployment(namespace: str, scheduler: str) -> list[Json]:
    """A service: for some policies each of its pods is a group of its own."""
    name = f"serve-{NUMBER}"
    spec = _replicas(name, scheduler, PODS)
    revision = f"{name}-6d4cf56db6"
    return [
        _object(DEPLOYMENT, namespace, name) | {"spec": spec},
        _object(REPLICA_SET, namespace, revision, (DEPLOYMENT, name)) | {"spec": spec},
        *_pods(namespace, revision, scheduler, (REPLICA_SET, revision)),
    ]


def alone(namespace: str, scheduler: str) -> list[Json]:
    """Pods that nobody owns: each is a group of its own for every policy."""
    return _pods(namespace, f"alone-{NUMBER}", scheduler)


def old_rollout(namespace: str, scheduler: str) -> list[Json]:
    """What a Deployment keeps of an older revision: a ReplicaSet that wants no pods."""
    name = f"rolled-{NUMBER}"
    spec = _replicas(name, scheduler, 0)
    return [_object(REPLICA_SET, namespace, f"{name}-5c7d9f8b4a") | {"spec": spec}]


FORMS: Mapping[str, Make] = MappingProxyType(
    {
        "job": job,
        "deployment": deployment,
        "alone": alone,
        "old-rollout": old_rollout,
    }
)


def running() -> Json:
    """The status that a kubelet gives a pod that runs."""
    conditions = [
        {"type": word, "status": "True", "lastProbeTime": None, "lastTransitionTime": STARTED}
        for word in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    ]
    container = {
        "name": "main",
        "ready": True,
        "started": True,
        "restartCount": 0,
        "image": "registry.example/training/main:2.7.1",
        "imageID": "registry.example/training/main@sha256:" + "5a" * 32,
        "containerID": "containerd://" + "c3" * 32,
        "state": {"running": {"startedAt": STARTED}},
    }
    return {
        "phase": "Running",
        "conditions": conditions,
        "containerStatuses": [container, container | {"name": "sidecar"}],
        "hostIP": "10.0.0.7",
        "hostIPs": [{"ip": "10.0.0.7"}],
        "podIP": "10.1.0.7",
        "podIPs": [{"ip": "10.1.0.7"}],
        "startTime": STARTED,
        "qosClass": "Burstable",
    }


def owned(obj: Json, uids: Mapping[tuple[str, str], str]) -> Json:
    """The object with its owner's uid, which is known by kind and name once the owner is born."""
    metadata = mapping(obj, "metadata")
    references = [
        {**reference, "uid": uids[text(reference, "kind"), text(reference, "name")]}
        for reference in items(metadata, "ownerReferences")
    ]
    return {**obj, "metadata": {**metadata, "ownerReferences": references}} if references else obj


def _replicas(name: str, scheduler: str, replicas: int) -> Json:
    selector = {"matchLabels": {"app": name}}
    return {"replicas": replicas, "selector": selector, "template": _template(name, scheduler)}


def _pods(
    namespace: str, name: str, scheduler: str, owner: Owner | None = None, pods: int = PODS
) -> list[Json]:
    template = _template(name, scheduler)
    return [
        _object(POD, namespace, f"{name}-{number}", owner, **mapping(template, "metadata"))
        | {"spec": template["spec"]}
        for number in range(pods)
    ]


def _object(
    kind: Kind, namespace: str, name: str, owner: Owner | None = None, **metadata: object
) -> dict[str, object]:
    named: dict[str, object] = {"namespace": namespace, "name": name, **metadata}
    if owner:
        named["ownerReferences"] = [
            {
                "apiVersion": owner[0].api_version,
                "kind": owner[0].kind,
                "name": owner[1],
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ]
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": named}


def _template(name: str, scheduler: str) -> Json:
    """Of a pod that trains: what fills such pods is environment, volumes and probes."""
    return {
        "metadata": {"labels": {"app": name, "team": "research"}, "annotations": {"example.com/cost": "17"}},
        "spec": {
            "schedulerName": scheduler,
            "restartPolicy": "OnFailure" if name.startswith("train") else "Always",
            "terminationGracePeriodSeconds": 30,
            "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "default",
            "enableServiceLinks": False,
            "tolerations": [
                {"key": f"node.kubernetes.io/{why}", "operator": "Exists", "effect": "NoExecute"}
                for why in ("not-ready", "unreachable")
            ],
            "volumes": [{"name": "scratch", "emptyDir": {}}, {"name": "shared", "emptyDir": {}}],
            "containers": [_container("main", VARIABLES), _container("sidecar", 4)],
        },
    }


def _container(name: str, variables: int) -> Json:
    asked = {"cpu": "500m", "memory": "1Gi"}
    return {
        "name": name,
        "image": "registry.example/training/main:2.7.1",
        "imagePullPolicy": "IfNotPresent",
        "command": ["/usr/bin/env", "python", "-m", "training.main", "--resume", "--epochs=90"],
        "env": [
            {"name": f"TRAINING_SETTING_{number:02}", "value": f"what this job is told, part {number}"}
            for number in range(variables)
        ],
        "resources": {"requests": asked, "limits": asked},
        "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}, {"name": "shared", "mountPath": "/d"}],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 20},
    }
