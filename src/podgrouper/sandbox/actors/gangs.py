"""What a gang scheduler reads of groups and pods, and what it writes into them: a row for each scheduler."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from podgrouper.core.fields import annotations, being_deleted, integer, items, labels, mapping, text
from podgrouper.core.model import Json, Kind
from podgrouper.sandbox.actors.cluster import Cluster
from podgrouper.sandbox.actors.pods import bound, conditions_with, phase
from podgrouper.sandbox.actors.scheduling import Part


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a session found about one group."""

    group: Json
    pods: Sequence[Json]
    """As they are afterwards."""
    need: int
    """Pods that have to start together."""
    waiting: Mapping[str, str]
    """Pods that got no node, each with the reason."""
    whole: bool
    """As many as need each other have a node, or have done their work."""

    @property
    def why(self) -> str:
        return next((f"{name}: {reason}" for name, reason in sorted(self.waiting.items())), "")


@dataclass(frozen=True, slots=True)
class Scheduler:
    """How one gang scheduler sees pods and groups."""

    name: str
    kind: Kind
    group_of: Callable[[Json], str]
    """The name of a pod's group; empty: the pod is none of its business yet."""
    leaf_of: Callable[[Json], str]
    counts_done: bool
    """Members that have succeeded count towards what has to start together."""
    tree: Callable[[Json], Part]
    tell: Callable[[Cluster, Verdict], None]


def _volcano_tree(group: Json) -> Part:
    return Part("", integer(group, "spec.minMember", 0))


def _kai_tree(group: Json) -> Part:
    """With subgroups the group's own minMember does not count; a parent without a number needs all parts."""
    listed = items(group, "spec.subGroups")
    if not listed:
        return Part("", integer(group, "spec.minMember", 1))
    return Part("", integer(group, "spec.minSubGroup", len(_below(listed, ""))), _parts(listed, ""))


def _parts(listed: Sequence[Json], parent: str) -> tuple[Part, ...]:
    return tuple(_part(listed, one) for one in _below(listed, parent))


def _part(listed: Sequence[Json], one: Json) -> Part:
    name = text(one, "name")
    parts = _parts(listed, name)
    if parts:
        return Part(name, integer(one, "minSubGroup", len(parts)), parts)
    return Part(name, integer(one, "minMember", 0))


def _below(listed: Sequence[Json], parent: str) -> list[Json]:
    return [one for one in listed if text(one, "parent") == parent and text(one, "name") != parent]


def _tell_volcano(cluster: Cluster, verdict: Verdict) -> None:
    """Phase, counters and conditions as Volcano's gang plugin and session close write them, in short form."""
    group = verdict.group
    if verdict.whole:
        condition = {"type": "Scheduled", "reason": "tasks in gang are ready to be scheduled", "message": ""}
    else:
        text_of_fit = (
            f"pod group is not ready, {len(verdict.waiting)} Pending, {verdict.need} minAvailable; "
            f"Pending: {len(verdict.waiting)} Unschedulable. Origin reason is {verdict.why}"
        )
        missing = f"{len(verdict.waiting)}/{len(verdict.pods)} tasks in gang unschedulable: {text_of_fit}"
        condition = {"type": "Unschedulable", "reason": "NotEnoughResources", "message": missing}
    kept = [one for one in items(group, "status.conditions") if one.get("type") != condition["type"]]
    old = next((one for one in items(group, "status.conditions") if one.get("type") == condition["type"]), {})
    known = {key: old.get(key) for key in condition} == condition
    stamped = {**condition, "status": "True", "lastTransitionTime": cluster.time}
    told = [*kept, old if known else stamped] if verdict.pods else kept
    counts = {name.lower(): sum(phase(pod) == name for pod in verdict.pods) for name in _COUNTED}
    status = {"phase": _phase(verdict), **{name: count for name, count in counts.items() if count}}
    cluster.report(group, status | ({"conditions": told} if told else {}))


_COUNTED = ("Running", "Succeeded", "Failed")


def _phase(verdict: Verdict) -> str:
    """Step by step as Volcano's `jobStatus` decides; a group that nobody vetoes is in the queue."""
    phases = [phase(pod) for pod in verdict.pods]
    if "Running" in phases and not verdict.whole:
        return "Unknown"
    over = sum(one in ("Succeeded", "Failed") for one in phases)
    scheduled = sum(
        bound(pod) or one in ("Succeeded", "Failed") for pod, one in zip(verdict.pods, phases, strict=True)
    )
    if scheduled >= verdict.need:
        return "Completed" if scheduled == over else "Running"
    return "Inqueue"


def _tell_kai(cluster: Cluster, verdict: Verdict) -> None:
    """One scheduling condition while pods wait and none has a node; none at all when nothing waits."""
    group = verdict.group
    status = {key: value for key, value in mapping(group, "status").items() if key != "schedulingConditions"}
    old = next(iter(items(group, "status.schedulingConditions")), {})
    if verdict.waiting and not verdict.whole:
        message = f"not enough resources for the workload: {verdict.why}"
        new = {
            "type": "UnschedulableOnNodePool",
            "nodePool": "default",
            "reason": "Unschedulable",
            "message": message,
            "reasons": [{"reason": "Unschedulable", "message": message}],
            "status": "True",
            "transitionID": str(int(text(old, "transitionID") or 0) + 1),
            "lastTransitionTime": cluster.time,
        }
        status["schedulingConditions"] = [old if old.get("message") == message else new]
    cluster.report(group, status)


def tell_pod(cluster: Cluster, pod: Json, why: str) -> None:
    """`PodScheduled=False`, as every scheduler says it."""
    if being_deleted(pod):
        return
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": why}
    conditions = conditions_with(pod, cluster.time, condition)
    cluster.report(pod, {**mapping(pod, "status"), "conditions": conditions})


VOLCANO = Scheduler(
    name="volcano",
    kind=Kind("scheduling.volcano.sh/v1beta1", "PodGroup"),
    group_of=lambda pod: annotations(pod).get("scheduling.k8s.io/group-name", ""),
    leaf_of=lambda _: "",
    counts_done=True,
    tree=_volcano_tree,
    tell=_tell_volcano,
)
KAI = Scheduler(
    name="kai-scheduler",
    kind=Kind("scheduling.run.ai/v2alpha2", "PodGroup"),
    group_of=lambda pod: annotations(pod).get("pod-group-name", ""),
    leaf_of=lambda pod: labels(pod).get("kai.scheduler/subgroup-name", ""),
    counts_done=False,
    tree=_kai_tree,
    tell=_tell_kai,
)
GANG_SCHEDULERS = (VOLCANO, KAI)
