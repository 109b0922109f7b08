"""ReplicaSets: as many pods as wanted. Orphans are not adopted, readiness counts at once."""

from podgrouper.core.fields import being_deleted, integer, labels, mapping, text
from podgrouper.core.model import POD, Json
from podgrouper.sandbox.actors.cluster import Cluster
from podgrouper.sandbox.actors.pods import active, expendable_first, pod_from, ready, replicas_wanted


def act(cluster: Cluster, owner: Json) -> None:
    pods = [pod for pod in cluster.controlled(owner, POD) if active(pod)]
    if not being_deleted(owner):
        _scale(cluster, owner, pods)
    cluster.report(owner, _status(owner, [pod for pod in cluster.controlled(owner, POD) if active(pod)]))


def _scale(cluster: Cluster, owner: Json, pods: list[Json]) -> None:
    surplus = len(pods) - replicas_wanted(owner)
    for pod in expendable_first(pods)[: max(0, surplus)]:
        cluster.delete(pod)
    template = mapping(owner, "spec.template")
    for _ in range(-surplus):
        cluster.create(pod_from(template, prefix=f"{text(owner, 'metadata.name')}-"), owner)


def _status(owner: Json, pods: list[Json]) -> Json:
    wanted = labels(mapping(owner, "spec.template"))
    counts = {
        "fullyLabeledReplicas": sum(wanted.items() <= labels(pod).items() for pod in pods),
        "readyReplicas": sum(map(ready, pods)),
        "availableReplicas": sum(map(ready, pods)),
    }
    return {
        "replicas": len(pods),
        **{name: count for name, count in counts.items() if count},
        "observedGeneration": integer(owner, "metadata.generation", 1),
    }
