"""Deployments: a ReplicaSet for each template, and the way from one to the next."""

from collections.abc import Iterable, Mapping, Sequence

from podgrouper.core.fields import annotations, being_deleted, dig, integer, labels, mapping, text
from podgrouper.core.model import POD, Json
from podgrouper.memory.builtins import REPLICA_SET
from podgrouper.memory.values import same
from podgrouper.sandbox.actors import rollouts
from podgrouper.sandbox.actors.cluster import Cluster
from podgrouper.sandbox.actors.pods import (
    active,
    changed,
    conditions_with,
    replicas_wanted,
    revision_of,
    without_label,
)

HASH = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"
_NOT_COPIED = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        REVISION,
        "deployment.kubernetes.io/revision-history",
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "deprecated.deployment.rollback.to",
    }
)
"""`annotationsToSkip` of the deployment controller; all others are copied to its newest ReplicaSet."""


def act(cluster: Cluster, deployment: Json) -> None:
    if not being_deleted(deployment):
        _advance(cluster, deployment)
    owned = cluster.controlled(deployment, REPLICA_SET)
    cluster.report(deployment, _status(deployment, newest(deployment, owned), owned, cluster.time))


def newest(deployment: Json, owned: Sequence[Json]) -> Json | None:
    """The ReplicaSet with the Deployment's template; after a rollback that is an old one."""
    wanted = mapping(deployment, "spec.template")
    return next(
        (one for one in owned if same(without_label(mapping(one, "spec.template"), HASH), wanted)), None
    )


def _advance(cluster: Cluster, deployment: Json) -> None:
    owned = cluster.controlled(deployment, REPLICA_SET)
    new = newest(deployment, owned)
    old = [one for one in owned if one is not new]
    if dig(deployment, "spec.paused") is True:
        return
    recreated = text(deployment, "spec.strategy.type") == "Recreate"
    if recreated:
        _scale_all(cluster, [(one, 0) for one in old])
        if any(active(pod) for one in old for pod in cluster.controlled(one, POD)):
            return
    revision = _revision(new, old)
    if new is None:
        first = min(replicas_wanted(deployment), _places_left(deployment, old, recreated=recreated))
        cluster.create(_replica_set(deployment, revision, first), deployment)
    else:
        _keep_annotations(cluster, deployment, new, revision)
        wanted = replicas_wanted(deployment) if recreated else rollouts.next_new(deployment, new, owned)
        _scale_all(cluster, [(new, wanted)])
        if not recreated:
            _scale_all(cluster, rollouts.next_old(deployment, new, old))
    if annotations(deployment).get(REVISION) != revision:
        cluster.change(deployment, {"metadata": {"annotations": {REVISION: revision}}})
    _clean_up(cluster, deployment, new, old)


def _places_left(deployment: Json, old: Sequence[Json], *, recreated: bool) -> int:
    """Pods that a new ReplicaSet may have at once."""
    most = replicas_wanted(deployment) + (0 if recreated else rollouts.room_of(deployment).surge)
    return max(0, most - sum(map(replicas_wanted, old)))


def _revision(new: Json | None, old: Sequence[Json]) -> str:
    """One more than every older one's, unless it has that already."""
    before = max(map(_number, old), default=0)
    return str(max(before + 1, _number(new) if new else 0))


def _number(replica_set: Json) -> int:
    written = annotations(replica_set).get(REVISION, "")
    return int(written) if written.isdecimal() else 0


def _copied(deployment: Json, revision: str) -> Mapping[str, str]:
    own = {key: value for key, value in annotations(deployment).items() if key not in _NOT_COPIED}
    wanted = replicas_wanted(deployment)
    return own | {
        REVISION: revision,
        "deployment.kubernetes.io/desired-replicas": str(wanted),
        "deployment.kubernetes.io/max-replicas": str(wanted + rollouts.room_of(deployment).surge),
    }


def _replica_set(deployment: Json, revision: str, replicas: int) -> Json:
    template = mapping(deployment, "spec.template")
    name = revision_of(template)
    label = {HASH: name}
    return {
        "apiVersion": REPLICA_SET.api_version,
        "kind": REPLICA_SET.kind,
        "metadata": {
            "name": f"{text(deployment, 'metadata.name')}-{name}",
            "labels": {**labels(template), **label},
            "annotations": _copied(deployment, revision),
        },
        "spec": {
            "replicas": replicas,
            "selector": changed(mapping(deployment, "spec.selector"), {"matchLabels": label}),
            "template": changed(template, {"metadata": {"labels": label}}),
        },
    }


def _keep_annotations(cluster: Cluster, deployment: Json, new: Json, revision: str) -> None:
    """Copied ones are added and changed, never taken away."""
    wanted = _copied(deployment, revision)
    if not wanted.items() <= annotations(new).items():
        cluster.change(new, {"metadata": {"annotations": wanted}})


def _scale_all(cluster: Cluster, targets: Iterable[tuple[Json, int]]) -> None:
    for replica_set, replicas in targets:
        if replicas_wanted(replica_set) != replicas:
            cluster.change(replica_set, {"spec": {"replicas": replicas}})


def _clean_up(cluster: Cluster, deployment: Json, new: Json | None, old: Sequence[Json]) -> None:
    """Once the rollout is through, old ReplicaSets beyond the history limit go, the oldest first."""
    wanted = replicas_wanted(deployment)
    if new is None or integer(new, "status.availableReplicas", 0) < wanted:
        return
    empty = [one for one in old if not replicas_wanted(one) and not integer(one, "status.replicas", 0)]
    surplus = len(empty) - integer(deployment, "spec.revisionHistoryLimit", 10)
    for one in sorted(empty, key=_number)[: max(0, surplus)]:
        cluster.delete(one)


def _status(deployment: Json, new: Json | None, owned: Sequence[Json], now: str) -> Json:
    wanted = replicas_wanted(deployment)
    total, ready, available = (
        sum(integer(one, f"status.{field}", 0) for one in owned)
        for field in ("replicas", "readyReplicas", "availableReplicas")
    )
    updated = integer(new, "status.replicas", 0) if new else 0
    counts = {
        "replicas": total,
        "updatedReplicas": updated,
        "readyReplicas": ready,
        "availableReplicas": available,
        "unavailableReplicas": max(0, max(total, wanted) - available),
    }
    enough = available >= wanted - rollouts.room_of(deployment).unavailable
    through = bool(new) and updated == total == available == wanted
    conditions = (
        {
            "type": "Available",
            "status": str(enough),
            "reason": "MinimumReplicasAvailable" if enough else "MinimumReplicasUnavailable",
        },
        {
            "type": "Progressing",
            "status": "True",
            "reason": "NewReplicaSetAvailable" if through else "ReplicaSetUpdated",
        },
    )
    return {
        "observedGeneration": integer(deployment, "metadata.generation", 1),
        **{name: count for name, count in counts.items() if count},
        "conditions": conditions_with(deployment, now, *conditions),
    }
