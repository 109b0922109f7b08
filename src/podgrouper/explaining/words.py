"""What schedulers say about a group: conditions of the PodGroup and of its pods, events, gates."""

from collections import Counter
from collections.abc import Iterator, Sequence

from podgrouper.core.changes import MANAGER
from podgrouper.core.fields import items, mapping, text
from podgrouper.core.model import Json
from podgrouper.explaining.model import Word
from podgrouper.explaining.scene import Scene

EVENTS_SHOWN = 3
KINDS_OF_TROUBLE = 3
"""Different sentences of pods that are shown; a thousand pods mostly say the same."""


def words_of(scene: Scene) -> tuple[Word, ...]:
    """The scheduler's own words, the group's first."""
    return (*_of_group(scene), *_of_pods(scene), *_of_events(scene))


def _of_group(scene: Scene) -> Iterator[Word]:
    live = scene.live or {}
    conditions = sorted(items(live, "status.conditions"), key=changed, reverse=True)
    for entry in conditions:
        said = f"{text(entry, 'type')}={text(entry, 'status')}"
        where = "PodGroup" if changed(entry) == changed(conditions[0]) else "PodGroup, before"
        yield Word(where, _joined(said, text(entry, "reason"), text(entry, "message")))
    for entry in items(live, "status.schedulingConditions"):
        pool = text(entry, "nodePool")
        where = f"PodGroup, node pool {pool}" if pool else "PodGroup"
        told = items(entry, "reasons")
        for reason in told:
            yield Word(where, _joined(text(reason, "reason"), text(reason, "message"), _queue_of(reason)))
        if not told:
            yield Word(where, _joined(text(entry, "type"), text(entry, "reason"), text(entry, "message")))


def changed(condition: Json) -> str:
    """When. Volcano leaves an old Unschedulable beside a new Scheduled, and only their times tell."""
    return text(condition, "lastTransitionTime")


def _queue_of(reason: Json) -> str:
    """KAI's account of the queue, in a line; empty where it gave none."""
    details = mapping(reason, "details.queueDetails")
    shown = {
        "requested": "podGroupRequestedResources",
        "requested, non-preemptible": "podGroupRequestedNonPreemptibleResources",
        "quota": "queueDeservedResources",
        "limit": "queueResourceLimits",
        "in use": "queueAllocatedResources",
        "in use, non-preemptible": "queueAllocatedNonPreemptibleResources",
    }
    parts = [f"{name} {_amounts(details, key)}" for name, key in shown.items() if _amounts(details, key)]
    return f"queue {text(details, 'name')}: {'; '.join(parts)}" if parts else ""


def _amounts(details: Json, key: str) -> str:
    return ", ".join(f"{name}={amount}" for name, amount in sorted(mapping(details, key).items()))


def _of_pods(scene: Scene) -> Iterator[Word]:
    said = Counter(word for pod in scene.members if pod.live for word in _of_pod(scene.whole_pod(pod)))
    for word, count in said.most_common(KINDS_OF_TROUBLE):
        yield Word(f"{count} pods" if count > 1 else "1 pod", word)


def _of_pod(pod: Json) -> Iterator[str]:
    for entry in items(pod, "status.conditions"):
        if text(entry, "type") == "PodScheduled" and text(entry, "status") == "False":
            yield _joined(text(entry, "reason"), text(entry, "message"))
    gates = gates_of(pod)
    if gates:
        yield f"scheduling gates: {', '.join(gates)}"


def gates_of(pod: Json) -> tuple[str, ...]:
    return tuple(text(gate, "name") for gate in items(pod, "spec.schedulingGates"))


def _of_events(scene: Scene) -> Iterator[Word]:
    """The newest of the group, and of the pod in the light, that are not our own."""
    about = [ref for ref in (scene.group_ref, scene.pod.ref) if ref]
    for ref in about:
        told = [event for event in scene.events_about(ref) if not by_us(event)]
        yield from (Word(f"event on {ref.kind.kind}", _event(event)) for event in _newest(told))


def by_us(event: Json) -> bool:
    return MANAGER in (text(event, "reportingComponent"), text(event, "source.component"))


def _newest(events: Sequence[Json]) -> Sequence[Json]:
    """One of each reason and message."""
    once = {_event(event): event for event in events}
    return list(once.values())[-EVENTS_SHOWN:]


def _event(event: Json) -> str:
    return _joined(text(event, "reason"), text(event, "message"))


def _joined(*parts: str) -> str:
    return ": ".join(" ".join(part.split()) for part in parts if part)
