"""Small clusters in which a gang does not run, for one reason each."""

from collections.abc import Mapping

from podgrouper.core.difference import merged
from tests.builders import Object, Reference, controls, owner, pod

LINK = "scheduling.k8s.io/group-name"
KAI_LINK = "pod-group-name"
SIZE = "scheduling.volcano.sh/group-min-member"
GROUP_NAME = "podgroup-uid-web"


def with_(obj: Object, **parts: object) -> Object:
    """The object with these parts merged into it."""
    found = merged(obj, parts)
    assert isinstance(found, dict)
    return found


def replica_set(*up: Reference, floor: int = 2, replicas: int = 2) -> Object:
    return owner(
        "apps/v1 ReplicaSet", "web", *up, spec={"replicas": replicas}, annotations={SIZE: str(floor)}
    )


def stateful_set(policy: str = "OrderedReady") -> Object:
    spec = {"replicas": 2, "podManagementPolicy": policy}
    return owner("apps/v1 StatefulSet", "web", spec=spec, annotations={SIZE: "2"})


def job(floor: int = 2, **spec: object) -> Object:
    return owner("batch/v1 Job", "web", spec=spec, annotations={SIZE: str(floor)})


def group(floor: int = 2, **parts: object) -> Object:
    made = owner(
        "scheduling.volcano.sh/v1beta1 PodGroup",
        GROUP_NAME,
        spec={"minMember": floor},
        status={"phase": "Pending"},
    )
    return with_(made, **parts)


def linked(name: str, *up: Reference, link: str = GROUP_NAME, **parts: object) -> Object:
    return with_(pod(name, *up, annotations={LINK: link}), **parts)


def unscheduled(reason: str, message: str = "") -> Mapping[str, object]:
    said = {"type": "PodScheduled", "status": "False", "reason": reason, "message": message}
    return {"conditions": [said]}


def pair(*more: Object, floor: int = 2, **parts: object) -> list[Object]:
    """A ReplicaSet, two linked pods of it, and their group."""
    web = replica_set(floor=floor)
    return [web, group(floor), *(linked(name, controls(web), **parts) for name in "ab"), *more]


def below(above: Object, *names: str, floor: int = 2, **parts: object) -> list[Object]:
    """Linked pods of an owner, and their group."""
    return [above, group(floor), *(linked(name, controls(above), **parts) for name in names)]


def event(reason: str, message: str, source: str = "podgrouper.io", about: str = "a") -> Object:
    told: Object = {
        "involvedObject": {"kind": "Pod", "name": about},
        "reason": reason,
        "message": message,
        "reportingComponent": source,
        "type": "Warning",
    }
    return {**owner("v1 Event", f"{about}.1"), **told}


def told_of_group(reason: str, message: str) -> Object:
    """An event of Volcano's about the group."""
    told = event(reason, message, source="volcano", about=GROUP_NAME)
    return with_(told, involvedObject={"kind": "PodGroup"})


def condition(kind: str, reason: str, message: str, minute: str) -> Object:
    """One of a PodGroup of Volcano's, since that minute."""
    time = f"2026-01-01T00:{minute}:00Z"
    return {"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": time}


def in_the_eyes_of_volcano(*conditions: Object) -> list[Object]:
    """A ReplicaSet, its pods, and their group with these conditions."""
    web, _, *pods = pair()
    return [web, group(2, status={"conditions": list(conditions)}), *pods]


def queue(name: str, state: str = "Open") -> Object:
    return owner("scheduling.volcano.sh/v1beta1 Queue", name, namespace="", status={"state": state})


def kai_job(*pods: Object, floor: int = 3, **group_parts: object) -> list[Object]:
    """A Job of KAI's with so many members, and its group."""
    train = owner("batch/v1 Job", "train", annotations={"kai.scheduler/batch-min-member": str(floor)})
    made = owner(
        "scheduling.run.ai/v2alpha2 PodGroup",
        "pg-train-uid-train",
        spec={"minMember": floor, "queue": "default-queue"},
    )
    names = {KAI_LINK: "pg-train-uid-train"}
    below = [with_(one, metadata={"annotations": names}) for one in pods]
    return [train, with_(made, **group_parts), *below]


def kai_pod(name: str, phase: str = "Pending", **parts: object) -> Object:
    train = owner("batch/v1 Job", "train")
    return with_(pod(name, controls(train), scheduler="kai-scheduler", phase=phase), **parts)


def told_by_kai(reason: str, message: str, **details: object) -> Mapping[str, object]:
    entry = {"reason": reason, "message": message, "details": {"queueDetails": details}}
    return {
        "schedulingConditions": [
            {"type": "UnschedulableOnNodePool", "status": "True", "nodePool": "default", "reasons": [entry]}
        ]
    }
