"""How many pods an owner keeps alive at one time, and why: a floor above that is never reached."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from podgrouper.core.fields import dig, integer, kind_of, text
from podgrouper.core.model import Json, Kind

REPLICA_SET = Kind("apps/v1", "ReplicaSet")
STATEFUL_SET = Kind("apps/v1", "StatefulSet")
DEPLOYMENT = Kind("apps/v1", "Deployment")
JOB = Kind("batch/v1", "Job")


@dataclass(frozen=True, slots=True)
class Reach:
    """So many pods at once, and the fields that say so."""

    pods: int
    because: str


def _of_job(job: Json) -> Reach:
    """The last wave may be shorter than parallelism; a suspended Job has no pods at all."""
    if dig(job, "spec.suspend") is True:
        return Reach(0, "spec.suspend is true")
    parallelism = integer(job, "spec.parallelism", 1)
    completions = dig(job, "spec.completions")
    if completions is None:
        return Reach(parallelism, f"spec.parallelism is {parallelism}")
    total = integer(job, "spec.completions", parallelism)
    because = f"spec.parallelism is {parallelism} and spec.completions {total}"
    return Reach(min(parallelism, total), because)


def _of_replicas(owner: Json) -> Reach:
    replicas = integer(owner, "spec.replicas", 1)
    return Reach(replicas, f"spec.replicas is {replicas}")


def _of_deployment(deployment: Json) -> Reach:
    """While it rolls, old and new pods live side by side; a group above the ReplicaSets holds both."""
    replicas = integer(deployment, "spec.replicas", 1)
    surge = surplus(deployment, "maxSurge", replicas, up=True)
    because = f"spec.replicas is {replicas} and maxSurge {surge}"
    return Reach(replicas + surge, because)


REACHES: Mapping[Kind, Callable[[Json], Reach]] = {
    JOB: _of_job,
    REPLICA_SET: _of_replicas,
    STATEFUL_SET: _of_replicas,
    DEPLOYMENT: _of_deployment,
}
"""Kinds whose pods can be counted beforehand. Of others nothing is said."""


def reach_of(owner: Json) -> Reach | None:
    rule = REACHES.get(kind_of(owner))
    return rule(owner) if rule else None


def in_a_rollout(replica_set: Json, deployment: Json) -> Reach | None:
    """What a ReplicaSet gets while the old one still has pods; None where nothing rolls.

    The new one starts with maxSurge pods, and with those that maxUnavailable lets go of the old one.
    """
    wanted = integer(deployment, "spec.replicas", 1)
    own = integer(replica_set, "spec.replicas", 1)
    if own >= wanted or text(deployment, "spec.strategy.type") == "Recreate":
        return None
    surge = surplus(deployment, "maxSurge", wanted, up=True)
    unavailable = surplus(deployment, "maxUnavailable", wanted, up=False)
    because = f"the Deployment rolls with maxSurge {surge} and maxUnavailable {unavailable}"
    return Reach(max(own, min(wanted, surge + unavailable)), because)


def surplus(deployment: Json, name: str, replicas: int, *, up: bool) -> int:
    """`maxSurge` or `maxUnavailable` in pods: 25% where nothing is said, surge rounded up, the other down."""
    value = dig(deployment, f"spec.strategy.rollingUpdate.{name}", "25%")
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    percent = value.removesuffix("%") if isinstance(value, str) else ""
    if not (percent.isascii() and percent.isdigit() and len(percent) < 6):
        return 0
    return -(-replicas * int(percent) // 100) if up else replicas * int(percent) // 100


def one_after_another(owner: Json) -> bool:
    """Whether each of its pods is created only when the one before is ready."""
    ordered = text(owner, "spec.podManagementPolicy", "OrderedReady") == "OrderedReady"
    return kind_of(owner) == STATEFUL_SET and ordered
