"""Gangs that do not run, one reason each: what somebody makes, and what happens when podgrouper was there.

A script can be played on the embedded API and on a real one: its objects are complete enough for both, and
their uids are given when they are made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from podgrouper.core.model import POD, Json, Kind
from tests.builders import Object, Reference, controls, owner, pod

SIZE = "scheduling.volcano.sh/group-min-member"
QUEUE_NAME = "scheduling.volcano.sh/queue-name"
LINK = "scheduling.k8s.io/group-name"
KAI_SIZE = "kai.scheduler/batch-min-member"
VOLCANO_GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
KAI_GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
LABELS = {"app": "web"}
Patch = Mapping[str, object]


@dataclass(frozen=True)
class Step:
    """What somebody else writes into an object: a scheduler, a kubelet, a person. No name: the only group."""

    kind: Kind
    name: str
    patch: Patch
    subresource: str = ""


@dataclass(frozen=True)
class Script:
    """What is made, in this order, and what happens then."""

    objects: tuple[Object, ...]
    then: tuple[Step, ...] = ()
    away: tuple[Step, ...] = ()
    """What happens while podgrouper does not run."""
    asked: str = "pod/a"
    hidden: frozenset[Kind] = frozenset()
    """Kinds that podgrouper may not read."""
    not_served: frozenset[Kind] = frozenset()
    denying: bool = False
    """PodGroups are refused, as by a webhook."""


@dataclass(frozen=True)
class Expected:
    """The code, and words that name the object, the field and the next step."""

    code: str
    words: tuple[str, ...]
    blocks: bool = True


NOTHING_MORE: Json = MappingProxyType({})


def pod_spec(**more: object) -> Mapping[str, object]:
    containers = [{"name": "main", "image": "main", "resources": {"requests": {"cpu": "500m"}}}]
    return {"containers": containers, "restartPolicy": "Always", **more}


def template() -> Mapping[str, object]:
    return {"metadata": {"labels": LABELS}, "spec": pod_spec()}


def member(
    name: str, *up: Reference, scheduler: str = "volcano", spec: Json = NOTHING_MORE, **more: object
) -> Object:
    return pod(name, *up, scheduler=scheduler, spec=pod_spec(**spec), labels=LABELS, **more)


def replica_set(*up: Reference, floor: str = "2", replicas: int = 2, **annotations: str) -> Object:
    spec = {"replicas": replicas, "selector": {"matchLabels": LABELS}, "template": template()}
    return owner("apps/v1 ReplicaSet", "web", *up, spec=spec, annotations={SIZE: floor, **annotations})


def deployment(replicas: int) -> Object:
    spec = {"replicas": replicas, "selector": {"matchLabels": LABELS}, "template": template()}
    return owner("apps/v1 Deployment", "top", spec=spec)


def stateful_set() -> Object:
    spec = {
        "replicas": 2,
        "serviceName": "web",
        "podManagementPolicy": "OrderedReady",
        "selector": {"matchLabels": LABELS},
        "template": template(),
    }
    return owner("apps/v1 StatefulSet", "web", spec=spec, annotations={SIZE: "2"})


def job(name: str = "web", annotations: Mapping[str, str] | None = None, **spec: object) -> Object:
    run_once = {"metadata": {"labels": LABELS}, "spec": pod_spec(restartPolicy="Never")}
    marks = annotations or {SIZE: "3"}
    return owner("batch/v1 Job", name, spec={**spec, "template": run_once}, annotations=marks)


def queue(name: str, state: str = "Open") -> tuple[Object, Step]:
    """A queue, and its state as Volcano writes it."""
    kind = Kind("scheduling.volcano.sh/v1beta1", "Queue")
    made = owner(f"{kind}", name, namespace="", spec={"weight": 1})
    return made, Step(kind, name, {"status": {"state": state}}, "status")


def of(above: Object, *names: str, **more: object) -> tuple[Object, ...]:
    """An owner with pods of it."""
    return (above, *(member(name, controls(above), **more) for name in names))


def is_now(name: str, phase: str) -> Step:
    return Step(POD, name, {"status": {"phase": phase}}, "status")


def finds_no_node(name: str, words: str) -> Step:
    """What a scheduler says of a pod."""
    said = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": words}
    return Step(POD, name, {"status": {"conditions": [said]}}, "status")


TRAINING = job("train", {KAI_SIZE: "3"}, parallelism=3, completions=3)
LOOP = owner("example.com/v1 Loop", "loop")
KNOT = owner("example.com/v1 Loop", "knot", controls(LOOP))
ROUND = owner("example.com/v1 Loop", "loop", controls(KNOT))
GONE = owner("batch/v1 Job", "gone")
THEIRS = owner("scheduling.volcano.sh/v1beta1 PodGroup", "theirs", spec={"minMember": 1})
HIGH = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "high"},
    "value": 1000,
}
ACCOUNT = Kind("v1", "ServiceAccount")
TOP = owner("v1 ServiceAccount", "top")
CLOSED, CLOSING = queue("closed", "Closed")
OPEN, OPENING = queue("open")


def kai(*names: str) -> tuple[Object, ...]:
    return of(TRAINING, *names, scheduler="kai-scheduler")


def told_by_kai(reason: str, message: str, **details: object) -> Step:
    entry = {"reason": reason, "message": message, "details": {"queueDetails": details}}
    condition = {
        "type": "UnschedulableOnNodePool",
        "status": "True",
        "nodePool": "default",
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
        "transitionID": "0",
        "reasons": [entry],
    }
    return Step(KAI_GROUP, "", {"status": {"schedulingConditions": [condition]}}, "status")


SCRIPTS: Mapping[str, tuple[Script, Expected]] = {
    "wrong scheduler name": (
        Script((member("a", scheduler="default-scheduler"),)),
        Expected("OtherScheduler", ("/a asks", "spec.schedulerName", "to one of: kai-scheduler, volcano")),
    ),
    "opted out": (
        Script(of(replica_set(**{"podgrouper.io/skip": "true"}), "a")),
        Expected("OptedOut", ("ReplicaSet", "/web", "opt-out annotation podgrouper.io/skip", "remove it")),
    ),
    "linked elsewhere": (
        Script(
            (
                *of(replica_set(), "b"),
                THEIRS,
                member("a", controls(replica_set()), annotations={LINK: "theirs"}),
            )
        ),
        Expected("LinkedElsewhere", ("/a names", "'theirs'", LINK, "remove"), blocks=False),
    ),
    "linked to nothing": (
        Script((replica_set(), member("a", controls(replica_set()), annotations={LINK: "theirs"}))),
        Expected("LinkedElsewhere", ("/a names", "'theirs', which does not exist", LINK, "remove")),
    ),
    "an owner that may not be read": (
        Script(of(TOP, "a", "b", scheduler="kai-scheduler"), hidden=frozenset({ACCOUNT})),
        Expected(
            "OwnerForbidden", ("ServiceAccount top", "get, list and watch", "podgrouper rbac"), blocks=False
        ),
    ),
    "an owner that is gone": (
        Script((member("a", controls(GONE), scheduler="kai-scheduler"),)),
        Expected("OwnerGone", ("Job gone", "/a", "ownerReferences", "does not exist")),
    ),
    "owners in a circle": (
        Script((ROUND, KNOT, member("a", controls(LOOP), scheduler="kai-scheduler"))),
        Expected("OwnerCycle", ("Loop loop", "reference", "remove")),
    ),
    "a value that a grouper cannot use": (
        Script(of(job("web", {KAI_SIZE: "two"}), "a", scheduler="kai-scheduler")),
        Expected("BadValue", ("/web", KAI_SIZE, "'two'", "whole number")),
    ),
    "a bad annotation": (
        Script(of(replica_set(floor="x"), "a")),
        Expected("BadValue", ("ReplicaSet", "/web", SIZE, "'x'", "accepted is"), blocks=False),
    ),
    "no CRD": (
        Script(of(replica_set(), "a"), not_served=frozenset({VOLCANO_GROUP})),
        Expected("GroupKindMissing", ("scheduling.volcano.sh/v1beta1 PodGroup", "podgrouper crds")),
    ),
    "no such queue": (
        Script((OPEN, *of(replica_set(**{QUEUE_NAME: "nowhere"}), "a", "b")), (OPENING,)),
        Expected("QueueMissing", ("'nowhere'", "spec.queue", "create it")),
    ),
    "a closed queue": (
        Script((CLOSED, *of(replica_set(**{QUEUE_NAME: "closed"}), "a", "b")), (CLOSING,)),
        Expected("QueueClosed", ("'closed' is Closed", "spec.queue", "open it")),
    ),
    "the API denies the group": (
        Script(of(replica_set(), "a", "b"), denying=True),
        Expected("GroupRefused", ("PodGroup", "not today")),
    ),
    "fewer pods than the floor": (
        Script(of(replica_set(floor="3", replicas=3), "a", "b")),
        Expected("TooFewPods", ("2 of 3", "ReplicaSet web has to create")),
    ),
    "more than its replicas": (
        Script(of(replica_set(floor="3", replicas=2), "a", "b")),
        Expected("FloorOutOfReach", ("ReplicaSet web", "spec.replicas is 2", "lower the floor")),
    ),
    "more than its completions": (
        Script(of(job(parallelism=4, completions=2), "a", "b")),
        Expected("FloorOutOfReach", ("Job web", "spec.completions 2", "lower the floor")),
    ),
    "more than a rollout gets": (
        Script(
            (
                deployment(4),
                *of(replica_set(controls(deployment(4)), floor="4", replicas=1), "a"),
            )
        ),
        Expected("FloorOutOfReach", ("ReplicaSet web", "maxSurge", "use Recreate")),
    ),
    "deadlock by design": (
        Script(of(stateful_set(), "a")),
        Expected("OrderedStart", ("StatefulSet web", "spec.podManagementPolicy", "to Parallel")),
    ),
    "no room": (
        Script(
            of(replica_set(), "a", "b"),
            tuple(finds_no_node(name, "0/3 nodes are available: 3 Insufficient cpu.") for name in "ab"),
        ),
        Expected("NotEnoughResources", ("2 of 2 members", "cpu 1", "3 Insufficient cpu", "Free or add")),
    ),
    "gated": (
        Script(of(replica_set(), "a", "b", spec={"schedulingGates": [{"name": "example.com/quota"}]})),
        Expected("PodsGated", ("pods", "spec.schedulingGates", "example.com/quota on 2", "remove")),
    ),
    "failed members": (
        Script(of(replica_set(), "a", "b"), (is_now("b", "Failed"),)),
        Expected("MembersFailed", ("(b)", "kubectl logs")),
    ),
    "a retried member parked": (
        Script(kai("done", "a", "b"), away=(is_now("done", "Succeeded"),)),
        Expected("RetryParked", ("1 members have succeeded", "floor of 3", "lower minMember")),
    ),
    "priority mix": (
        Script(
            (
                HIGH,
                *of(replica_set(), "a"),
                member("b", controls(replica_set()), spec={"priorityClassName": "high"}),
            )
        ),
        Expected("PriorityMix", ("high on 1", "spec.priorityClassName", "give all"), blocks=False),
    ),
    "a backoff that means nothing": (
        Script(kai("a", "b", "c"), (Step(KAI_GROUP, "", {"spec": {"schedulingBackoff": 5}}),)),
        Expected("BadBackoff", ("PodGroup", "spec.schedulingBackoff", "is 5", "set it to -1")),
    ),
    "a queue that is used up": (
        Script(
            kai("a", "b", "c"),
            (
                told_by_kai(
                    "OverLimit",
                    "limit is 2 GPUs",
                    name="team",
                    queueResourceLimits={"gpu": "2"},
                    podGroupRequestedResources={"gpu": "3"},
                ),
            ),
        ),
        Expected("QueueOverLimit", ("queue 'default-queue'", "OverLimit: limit is 2 GPUs", "raise")),
    ),
    "nobody schedules": (
        Script(of(replica_set(), "a", "b")),
        Expected("NotScheduledYet", ("'volcano'", "said nothing", "see whether it runs")),
    ),
}
"""What it is about -> the script, and what is told."""
FOREIGN = frozenset({"a queue that is used up"})
"""Only a foreign scheduler brings these about, or says so."""


def told(subject: Mapping[str, Any], expected: Expected) -> tuple[str, list[str]]:
    """The code of what is in the way, and the words that are missing in its sentence.

    What is only good to know is looked for among all that is told.
    """
    beside = (cause for cause in subject["causes"] if cause["reason"] == expected.code)
    cause = subject["blockedBy"] if expected.blocks else next(beside, None)
    if cause is None:
        return "", list(expected.words)
    return cause["reason"], [words for words in expected.words if words not in cause["message"]]
