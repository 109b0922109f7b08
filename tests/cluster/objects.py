"""Small objects that tests put on a real API server."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from podgrouper.core.model import Kind
from tests.cluster.api import Object, kind_of

BIG_NODE: Mapping[str, str] = MappingProxyType({"cpu": "64", "memory": "256Gi", "pods": "1000"})


def pod(namespace: str, name: str, scheduler: str, owner: Mapping[str, Any] | None = None) -> Object:
    """A pod of one container that asks for a little; an `owner` as the server sent it controls it."""
    metadata: Object = {"namespace": namespace, "name": name}
    if owner:
        metadata["ownerReferences"] = [controlled_by(owner)]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec(scheduler)}


def pod_spec(scheduler: str, restart: str = "Never") -> Object:
    asked = {"requests": {"cpu": "10m", "memory": "16Mi"}}
    return {
        "schedulerName": scheduler,
        "restartPolicy": restart,
        "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "main", "image": "pause", "resources": asked}],
    }


def controlled_by(owner: Mapping[str, Any]) -> Object:
    kind = kind_of(owner)
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def job(namespace: str, name: str, scheduler: str, parallelism: int = 1) -> Object:
    template = {"metadata": {"labels": {"app": name}}, "spec": pod_spec(scheduler)}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"parallelism": parallelism, "completions": parallelism, "template": template},
    }


def replica_set(namespace: str, name: str, scheduler: str, replicas: int = 1) -> Object:
    return _replicated("ReplicaSet", namespace, name, scheduler, replicas)


def deployment(namespace: str, name: str, scheduler: str, replicas: int = 1) -> Object:
    return _replicated("Deployment", namespace, name, scheduler, replicas)


def _replicated(kind: str, namespace: str, name: str, scheduler: str, replicas: int) -> Object:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pod_spec(scheduler, "Always")}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"namespace": namespace, "name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    }


def crd(kind: Kind, plural: str, *versions: str, status: bool = False, namespaced: bool = True) -> Object:
    """Of a kind that may hold anything, in these versions besides its own."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    shape = {"served": True, "schema": {"openAPIV3Schema": anything}}
    shape |= {"subresources": {"status": {}}} if status else {}
    names = (kind.version, *versions)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{kind.group}",
            # The server does not serve a group below k8s.io without it.
            "annotations": {"api-approved.kubernetes.io": "unapproved, for tests"},
        },
        "spec": {
            "group": kind.group,
            "scope": "Namespaced" if namespaced else "Cluster",
            "names": {"kind": kind.kind, "plural": plural},
            "versions": [{**shape, "name": name, "storage": name == kind.version} for name in names],
        },
    }


def custom(kind: Kind, namespace: str, name: str) -> Object:
    """An object of which nothing but the name matters."""
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"namespace": namespace, "name": name},
    }


def node(name: str, capacity: Mapping[str, str] = BIG_NODE) -> Object:
    """A node that calls itself ready and has no kubelet."""
    conditions = [{"type": "Ready", "status": "True", "reason": "Pretended"}]
    status = {"capacity": dict(capacity), "allocatable": dict(capacity), "conditions": conditions}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def namespace(*, generate_name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": generate_name}}


def cluster_role(name: str, rules: Sequence[Mapping[str, Any]]) -> Object:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": list(rules),
    }


def role(namespace: str, name: str, rules: Sequence[Mapping[str, Any]]) -> Object:
    """A Role, or without a namespace a ClusterRole."""
    if not namespace:
        return cluster_role(name, rules)
    made = cluster_role(name, rules)
    return {**made, "kind": "Role", "metadata": {"name": name, "namespace": namespace}}


def binding_of(role: Object, user: str) -> Object:
    """Gives that role to a user, where it holds."""
    group = "rbac.authorization.k8s.io"
    return {
        **{key: role[key] for key in ("apiVersion", "metadata")},
        "kind": f"{role['kind']}Binding",
        "roleRef": {"apiGroup": group, "kind": role["kind"], "name": role["metadata"]["name"]},
        "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
    }


def right_to_nothing(name: str) -> Object:
    """A rule about something that does not exist: whoever may do it has got the role that contains it."""
    return {"apiGroups": ["tests"], "resources": [name], "verbs": ["get"]}


def access_review(user: str, rule: Mapping[str, Any], namespace: str = "") -> Object:
    """Asks whether the user may do the first thing that a role's rule grants."""
    asked = {"group": rule["apiGroups"][0], "resource": rule["resources"][0], "verb": rule["verbs"][0]}
    if namespace:
        asked["namespace"] = namespace
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "metadata": {},
        "spec": {"user": user, "resourceAttributes": asked},
    }
