"""KAI's PodGroup, `scheduling.run.ai/v2alpha2`: trees of subgroups, durations, topology by levels."""

import re
from collections.abc import Iterator, Mapping

from podgrouper.core.fields import owner_ref_json
from podgrouper.core.groups import Group, LinkPatch, Part, Placement, Rendered, Topology
from podgrouper.core.interfaces import FieldRule, Ownership, Reads
from podgrouper.core.model import Json, Kind, Link, Pod
from podgrouper.core.parts import tree_problems
from podgrouper.dialects.kai_status import KaiLifecycle

GROUP_OF_POD = "pod-group-name"
PART_OF_POD = "kai.scheduler/subgroup-name"
DEFAULT_QUEUE = "default-queue"
"""Of groups whose policy names none: KAI passes over a group without a queue."""
INT32_MAX = 2**31 - 1
LONGEST_NAME = 253

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_PART_NAME = re.compile(_LABEL)

_OURS_IN_SPEC = (
    "minMember",
    "minSubGroup",
    "subGroups",
    "priorityClassName",
    "preemptibility",
    "preemptionDelay",
    "stalenessGracePeriod",
)


class KaiDialect:
    """How a group is written down for the KAI scheduler."""

    name = "kai"
    kind = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
    reads = Reads(annotations=frozenset({GROUP_OF_POD}), labels=frozenset({PART_OF_POD}))
    lifecycle = KaiLifecycle()
    predecessors = frozenset({"podgrouper"})

    def __init__(
        self,
        queue_label_key: str = "kai.scheduler/queue",
        node_pool_label_key: str = "kai.scheduler/node-pool",
    ) -> None:
        pool = (FieldRule(("metadata", "labels", node_pool_label_key), Ownership.NEVER),)
        self.fields = (
            FieldRule(("metadata", "labels", queue_label_key), Ownership.CREATION),
            *(pool if node_pool_label_key else ()),
            FieldRule(("metadata", "labels", "*"), Ownership.NAMED),
            FieldRule(("metadata", "annotations", "*"), Ownership.NAMED),
            FieldRule(("metadata", "ownerReferences"), Ownership.OURS),
            FieldRule(("spec", "queue"), Ownership.CREATION),
            FieldRule(("spec", "topologyConstraint"), Ownership.NAMED),
            FieldRule(("spec", "markUnschedulable"), Ownership.NEVER),
            FieldRule(("spec", "schedulingBackoff"), Ownership.NEVER),
            *(FieldRule(("spec", name), Ownership.OURS) for name in _OURS_IN_SPEC),
        )
        """Queue and node pool are chosen once: moving a group is for whoever runs the queues."""

    def render(self, group: Group) -> Rendered:
        metadata = {
            "name": group.name,
            "namespace": group.namespace,
            "labels": dict(group.labels),
            "annotations": dict(group.annotations),
            "ownerReferences": [owner_ref_json(owner) for owner in group.owners],
        }
        spec = {
            **_floor(group.floor, group.floor_of_parts),
            "queue": group.queue or DEFAULT_QUEUE,
            "priorityClassName": group.priority_class,
            "preemptibility": group.preemptibility,
            "preemptionDelay": group.preemption_delay,
            "stalenessGracePeriod": group.staleness_grace,
            "topologyConstraint": _topology(group.topology),
            "subGroups": [_part(part) for part in group.parts],
        }
        manifest = {
            "apiVersion": self.kind.api_version,
            "kind": self.kind.kind,
            "metadata": _present(metadata),
            "spec": _present(spec),
        }
        return Rendered(group, manifest, tuple(_lost(group)))

    def link(self, group: Group, placement: Placement) -> LinkPatch:
        part = {PART_OF_POD: placement.part} if placement.part else {}
        return LinkPatch({GROUP_OF_POD: group.name}, part)

    def link_of(self, pod: Pod) -> Link | None:
        name = pod.annotations.get(GROUP_OF_POD)
        return None if name is None else Link(name, pod.labels.get(PART_OF_POD, ""))

    def queue_of(self, group: Group) -> None:  # noqa: ARG002  # KAI admits groups of any queue
        return None

    def problems(self, group: Group) -> tuple[str, ...]:
        """What the CRD or KAI's webhook would refuse."""
        return (*_bad_names(group), *tree_problems(group.parts), *_bad_floors(group))


def _floor(members: int | None, parts: int | None) -> Mapping[str, int]:
    """One of the two: KAI's webhook refuses both."""
    if parts is not None:
        return {"minSubGroup": parts}
    return {} if members is None else {"minMember": members}


def _part(part: Part) -> Json:
    return _present(
        {
            "name": part.name,
            "parent": part.parent,
            **_floor(part.floor, part.floor_of_parts),
            "topologyConstraint": _topology(part.topology),
        }
    )


def _topology(topology: Topology | None) -> Json:
    if topology is None or not topology.name:
        return {}
    return _present(
        {
            "topology": topology.name,
            "requiredTopologyLevel": topology.required_level,
            "preferredTopologyLevel": topology.preferred_level,
        }
    )


def _present(fields: Mapping[str, object]) -> Json:
    """Without what says nothing. A floor of 0 says something."""
    return {key: value for key, value in fields.items() if value == 0 or value}


def _lost(group: Group) -> Iterator[str]:
    if group.resources:
        yield "KAI's PodGroup has no minimal resources: they are counted from the pods"
    if group.topology and not group.topology.name:
        yield "KAI's PodGroup knows topologies by name and level, not by mode and tier"


def _bad_names(group: Group) -> Iterator[str]:
    if len(group.name) > LONGEST_NAME or not _SUBDOMAIN.fullmatch(group.name):
        yield f"the name is no DNS subdomain of at most {LONGEST_NAME} characters"
    for part in group.parts:
        if not _PART_NAME.fullmatch(part.name):
            yield f"the name of subgroup {part.name!r} may hold a-z, 0-9 and dashes only"


def _bad_floors(group: Group) -> Iterator[str]:
    floors = {"": (group.floor, group.floor_of_parts)}
    floors |= {f" of subgroup {part.name!r}": (part.floor, part.floor_of_parts) for part in group.parts}
    for where, numbers in floors.items():
        for number in numbers:
            if number is not None and not 0 <= number <= INT32_MAX:
                yield f"the minimum{where} is {number}, beyond 0 to {INT32_MAX}"
