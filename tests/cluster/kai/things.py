"""Objects as operators make them, by the names of their owners: who owns whom is known before any uid is."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podgrouper.core.model import POD, Kind
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.scenes import KAI

Labels = Mapping[str, str]
NONE: Labels = {}
HERE = "{namespace}"
"""In a spec: the namespace in which the thing is made."""


@dataclass(frozen=True)
class Thing:
    """An object, below another one or at the top."""

    kind: Kind
    name: str
    owner: "Thing | None" = None
    labels: Labels = field(default_factory=dict)
    annotations: Labels = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    """Its spec and status."""
    part: str = ""
    """Of a pod: the subgroup that it belongs to."""

    @property
    def key(self) -> tuple[Kind, str]:
        return self.kind, self.name

    def manifest(self, namespace: str, owner: Object | None) -> Object:
        metadata: Object = {
            "namespace": namespace,
            "name": self.name,
            "labels": dict(self.labels),
            "annotations": dict(self.annotations),
        }
        if owner:
            metadata["ownerReferences"] = [objects.controlled_by(owner)]
        head = {"apiVersion": self.kind.api_version, "kind": self.kind.kind}
        return {**head, "metadata": metadata, **self.inside(namespace)}

    def inside(self, namespace: str) -> Object:
        """Spec and status."""
        made: Object = json.loads(json.dumps(self.more).replace(HERE, namespace))
        return made


def thing(
    kind: str,
    name: str,
    owner: Thing | None = None,
    *,
    spec: Mapping[str, Any] | None = None,
    status: Mapping[str, Any] | None = None,
    labels: Labels = NONE,
    annotations: Labels = NONE,
) -> Thing:
    """Of a kind such as `ray.io/v1 RayCluster`."""
    api_version, _, word = kind.rpartition(" ")
    more = {"spec": spec or {}} | ({"status": status} if status else {})
    return Thing(Kind(api_version, word), name, owner, labels, annotations, more)


def pod(name: str, owner: Thing | None = None, labels: Labels = NONE, part: str = "") -> Thing:
    """A small pod of KAI's scheduler."""
    return Thing(POD, name, owner, labels, more={"spec": objects.pod_spec(KAI.scheduler)}, part=part)


def pods(count: int, owner: Thing, name: str = "", labels: Labels = NONE, part: str = "") -> Iterable[Thing]:
    """Alike, and numbered."""
    return [pod(f"{name or owner.name}-{number}", owner, labels, part) for number in range(count)]


def template(**annotations: str) -> Object:
    """A pod template as operators embed it."""
    return {"metadata": {"annotations": annotations}, "spec": objects.pod_spec(KAI.scheduler)}


def stateful_set(name: str, owner: Thing, replicas: int) -> Thing:
    spec = {**_replicated(name, replicas), "serviceName": name}
    return thing("apps/v1 StatefulSet", name, owner, spec=spec)


def deployment(name: str, owner: Thing, replicas: int) -> list[Thing]:
    """With its ReplicaSet, which owns the pods."""
    above = thing("apps/v1 Deployment", name, owner, spec=_replicated(name, replicas))
    below = f"{name}-7d4b9"
    return [above, thing("apps/v1 ReplicaSet", below, above, spec=_replicated(name, replicas))]


def job(name: str, owner: Thing, parallelism: int = 1) -> Thing:
    return thing("batch/v1 Job", name, owner, spec=objects.job("", name, KAI.scheduler, parallelism)["spec"])


def _replicated(name: str, replicas: int) -> Object:
    marks = {"app": name}
    spec = objects.pod_spec(KAI.scheduler, "Always")
    return {
        "replicas": replicas,
        "selector": {"matchLabels": marks},
        "template": {"metadata": {"labels": marks}, "spec": spec},
    }
