"""StatefulSets: numbered pods, one after the other or all at once; updates go from the last to the first.

Volume claims are not made. What a revision looked like stands in its ControllerRevision, as in a real
cluster, so pods below the partition come back as they were.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from podgrouper.core.fields import being_deleted, integer, labels, mapping, text
from podgrouper.core.model import POD, Json, Kind
from podgrouper.sandbox.actors.cluster import Cluster
from podgrouper.sandbox.actors.pods import ended, healthy, pod_from, replicas_wanted, revision_of

REVISION = Kind("apps/v1", "ControllerRevision")
HASH = "controller-revision-hash"
POD_NAME = "statefulset.kubernetes.io/pod-name"
POD_INDEX = "apps.kubernetes.io/pod-index"


@dataclass(frozen=True, slots=True)
class Scene:
    """A StatefulSet as it stands: its pods by number, and the revisions between which it is."""

    owner: Json
    pods: Mapping[int, Json]
    current: str
    update: str

    @property
    def numbers(self) -> range:
        first = integer(self.owner, "spec.ordinals.start", 0)
        return range(first, first + replicas_wanted(self.owner))

    @property
    def partition(self) -> int:
        return integer(self.owner, "spec.updateStrategy.rollingUpdate.partition", 0)

    @property
    def ordered(self) -> bool:
        return text(self.owner, "spec.podManagementPolicy") != "Parallel"

    @property
    def rolling(self) -> bool:
        return text(self.owner, "spec.updateStrategy.type") != "OnDelete"


def act(cluster: Cluster, owner: Json) -> None:
    scene = _scene(cluster, owner)
    if not being_deleted(owner):
        _keep_revision(cluster, owner, scene.update)
        _advance(cluster, scene)
    cluster.report(owner, _status(_scene(cluster, owner)))


def _scene(cluster: Cluster, owner: Json) -> Scene:
    pods = {_number(pod): pod for pod in cluster.controlled(owner, POD)}
    update = f"{text(owner, 'metadata.name')}-{revision_of(mapping(owner, 'spec.template'))}"
    return Scene(owner, pods, text(owner, "status.currentRevision") or update, update)


def _advance(cluster: Cluster, scene: Scene) -> None:
    """One step of an ordered set, every possible one of a parallel set; only then updates."""
    for number in scene.numbers:
        pod = scene.pods.get(number)
        if pod is None:
            cluster.create(_pod(cluster, scene, number), scene.owner)
        elif ended(pod) and not being_deleted(pod):
            cluster.delete(pod)
        if scene.ordered and not (pod and healthy(pod)):
            return
    surplus = sorted((number for number in scene.pods if number not in scene.numbers), reverse=True)
    for number in surplus:
        cluster.delete(scene.pods[number])
        if scene.ordered:
            return
    if scene.rolling and not surplus:
        _update(cluster, scene)


def _update(cluster: Cluster, scene: Scene) -> None:
    """The last pod that is not as it should be is replaced, once everything after it is healthy."""
    for number in reversed(scene.numbers):
        pod = scene.pods.get(number)
        if number < scene.partition or pod is None:
            return
        if labels(pod).get(HASH) != scene.update and not being_deleted(pod):
            cluster.delete(pod)
            return
        if not healthy(pod):
            return


def _pod(cluster: Cluster, scene: Scene, number: int) -> Json:
    """Below the partition, or before anything was updated, a pod is of the current revision."""
    name = f"{text(scene.owner, 'metadata.name')}-{number}"
    old = scene.rolling and number < scene.partition and scene.current != scene.update
    found = _template(cluster, scene, scene.current) if old else None
    kept = {key: value for key, value in (found or {}).items() if key != "$patch"}
    template = kept or mapping(scene.owner, "spec.template")
    revision = scene.current if found else scene.update
    marks = {HASH: revision, POD_NAME: name, POD_INDEX: str(number)}
    return pod_from(template, name=name, labels=marks)


def _template(cluster: Cluster, scene: Scene, revision: str) -> Json | None:
    kept = cluster.controlled(scene.owner, REVISION)
    return next(
        (mapping(one, "data.spec.template") for one in kept if text(one, "metadata.name") == revision), None
    )


def _keep_revision(cluster: Cluster, owner: Json, name: str) -> None:
    kept = cluster.controlled(owner, REVISION)
    newest = max((integer(one, "revision", 0) for one in kept), default=0)
    found = next((one for one in kept if text(one, "metadata.name") == name), None)
    if found is None:
        template = mapping(owner, "spec.template")
        body = {
            "apiVersion": REVISION.api_version,
            "kind": REVISION.kind,
            "metadata": {"name": name, "labels": labels(template)},
            "data": {"spec": {"template": {**template, "$patch": "replace"}}},
            "revision": newest + 1,
        }
        cluster.create(body, owner)
    elif integer(found, "revision", 0) < newest:
        cluster.change(found, {"revision": newest + 1})


def _number(pod: Json) -> int:
    tail = text(pod, "metadata.name").rpartition("-")[2]
    return int(tail) if tail.isdecimal() else -1


def _status(scene: Scene) -> Json:
    pods = [scene.pods[number] for number in scene.numbers if number in scene.pods]
    of_update = [pod for pod in pods if labels(pod).get(HASH) == scene.update]
    through = len(of_update) == len(pods) == len(scene.numbers) and all(map(healthy, pods))
    current = scene.update if through and scene.rolling else scene.current
    of_current = [pod for pod in pods if labels(pod).get(HASH) == current]
    counts = {
        "readyReplicas": sum(map(healthy, pods)),
        "currentReplicas": len(of_current),
        "updatedReplicas": len(of_update),
    }
    return {
        "observedGeneration": integer(scene.owner, "metadata.generation", 1),
        "replicas": len(scene.pods),
        "availableReplicas": sum(map(healthy, pods)),
        **{name: count for name, count in counts.items() if count},
        "currentRevision": current,
        "updateRevision": scene.update,
        "collisionCount": 0,
    }
