"""How a group is written for Volcano's scheduler: `scheduling.volcano.sh/v1beta1` PodGroup.

Its CRD has no status subresource, so the phase is part of the creation, and nothing of status is ever
written afterwards.
"""

from collections.abc import Iterator, Mapping

from podgrouper.core.fields import owner_ref_json
from podgrouper.core.groups import Group, LinkPatch, Placement, Rendered, Topology
from podgrouper.core.interfaces import FieldRule, Ownership, Reads
from podgrouper.core.model import Json, Kind, Link, ObjectWanted, Pod
from podgrouper.core.names import is_subdomain
from podgrouper.core.parts import tree_problems
from podgrouper.dialects.volcano_status import VolcanoLifecycle
from podgrouper.dialects.volcano_tasks import TASK, Need, need_of, shown, standing_task, task_of

POD_GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
QUEUE = Kind("scheduling.volcano.sh/v1beta1", "Queue")
DEFAULT_QUEUE = "default"
"""Of groups that name none; the CRD fills it in."""
LINK = "scheduling.k8s.io/group-name"
MIN_AVAILABLE = "volcano.sh/jdb-min-available"
MAX_UNAVAILABLE = "volcano.sh/jdb-max-unavailable"
LARGEST_FLOOR = 2**31 - 1
LARGEST_METADATA = 256 * 1024
"""Bytes that all annotations of one object may have together."""

FIELDS = (
    FieldRule(("metadata", "ownerReferences"), Ownership.CREATION),
    FieldRule(("metadata", "labels", "*"), Ownership.NAMED),
    FieldRule(("metadata", "annotations", MIN_AVAILABLE), Ownership.NAMED, excludes=MAX_UNAVAILABLE),
    FieldRule(("metadata", "annotations", MAX_UNAVAILABLE), Ownership.NAMED, excludes=MIN_AVAILABLE),
    FieldRule(("metadata", "annotations", "*"), Ownership.NAMED),
    FieldRule(("spec", "minMember"), Ownership.OURS, absent_as=0),
    FieldRule(("spec", "minTaskMember"), Ownership.NAMED),
    FieldRule(("spec", "minResources"), Ownership.OURS, quantities=True),
    FieldRule(("spec", "queue"), Ownership.LASTING, absent_as=DEFAULT_QUEUE),
    FieldRule(("spec", "priorityClassName"), Ownership.NAMED),
    FieldRule(("spec", "networkTopology"), Ownership.NAMED),
)
"""Anything else of the object (subGroupPolicy, status) is somebody else's.

The queue stays when nobody names one any more: an admission webhook may have chosen it in our name.
"""


class VolcanoDialect:
    """Without settings: the API is what it is."""

    @property
    def name(self) -> str:
        return "volcano"

    @property
    def kind(self) -> Kind:
        return POD_GROUP

    @property
    def reads(self) -> Reads:
        return Reads(
            labels=frozenset({TASK}),
            annotations=frozenset({LINK, TASK}),
            resources=True,
            paths={QUEUE: frozenset({"status.state"})},
            kinds=frozenset({QUEUE}),
        )

    @property
    def fields(self) -> tuple[FieldRule, ...]:
        return FIELDS

    @property
    def lifecycle(self) -> VolcanoLifecycle:
        return VolcanoLifecycle()

    @property
    def predecessors(self) -> frozenset[str]:
        """Volcano's own controller manager, which makes the same groups."""
        return frozenset({"vc-controller-manager"})

    def render(self, group: Group) -> Rendered:
        need = need_of(group)
        metadata: dict[str, object] = {"namespace": group.namespace, "name": group.name}
        metadata |= _named(
            {
                "labels": dict(group.labels),
                "annotations": _without_links(group.annotations),
                "ownerReferences": [owner_ref_json(owner) for owner in group.owners],
            }
        )
        pod_group = {
            "apiVersion": POD_GROUP.api_version,
            "kind": POD_GROUP.kind,
            "metadata": metadata,
            "spec": _spec(group, need),
            "status": {"phase": "Pending"},
        }
        return Rendered(group, pod_group, (*need.lost, *_lost(group)))

    def link(self, group: Group, placement: Placement) -> LinkPatch:
        """The group, and the pod's task unless it names one by itself."""
        task = "" if standing_task(placement.pod) else task_of(placement)
        return LinkPatch(annotations={LINK: group.name} | ({TASK: task} if task else {}))

    def link_of(self, pod: Pod) -> Link | None:
        group = pod.annotations.get(LINK)
        return None if group is None else Link(group, standing_task(pod))

    def queue_of(self, group: Group) -> ObjectWanted:
        """Volcano's webhook refuses groups of queues that are closed or missing."""
        return ObjectWanted(QUEUE, "", group.queue or DEFAULT_QUEUE)

    def problems(self, group: Group) -> tuple[str, ...]:
        return tuple(_problems(group))


def _spec(group: Group, need: Need) -> Json:
    asked = need.resources if group.resources is None else group.resources
    return {
        "minMember": _floor(group, need),
        **_named(
            {
                "minTaskMember": need.tasks,
                "minResources": {name: str(amount) for name, amount in asked.items()},
                "queue": group.queue,
                "priorityClassName": group.priority_class,
                "networkTopology": _topology(group.topology) if group.topology else None,
            }
        ),
    }


def _floor(group: Group, need: Need) -> int:
    """A group of parts alone asks for the pods of all of them; none asks for fewer than its tasks do."""
    return max(1 if group.floor is None else group.floor, need.members)


def _without_links(annotations: Mapping[str, str]) -> Mapping[str, str]:
    """A group that shows the annotations of its one pod does not show how that pod is linked to it."""
    return {key: value for key, value in annotations.items() if key not in (LINK, TASK)}


def _topology(topology: Topology) -> Json:
    tier: Mapping[str, object] = (
        {} if topology.highest_tier is None else {"highestTierAllowed": topology.highest_tier}
    )
    return {**_named({"mode": topology.mode}), **tier}


def _named(fields: Mapping[str, object]) -> dict[str, object]:
    """Without the empty ones: an empty queue would be refused, and the others say nothing."""
    return {name: value for name, value in fields.items() if value}


def _lost(group: Group) -> Iterator[str]:
    """What Volcano's PodGroup has no field for, in words."""
    if group.floor_of_parts is not None and not group.parts:
        yield f"a floor of {group.floor_of_parts} parts"
    parents = dict.fromkeys(part.parent for part in group.parts if part.parent)
    if parents:
        yield f"the nesting of its parts below {shown(parents)}"
    apart = [part.name for part in group.parts if part.topology]
    if apart:
        yield f"the topology of its parts {shown(apart)}"
    topology = group.topology
    if topology and (topology.name or topology.required_level or topology.preferred_level):
        yield f"the topology {topology.name!r} and its levels"
    settings = {
        "preemptibility": group.preemptibility,
        "preemption delay": group.preemption_delay,
        "staleness grace": group.staleness_grace,
    }
    yield from (f"the {what} {value!r}" for what, value in settings.items() if value)


def _problems(group: Group) -> Iterator[str]:
    if not is_subdomain(group.name):
        yield f"metadata.name {group.name!r} is no DNS subdomain"
    if not all(owner.complete for owner in group.owners):
        yield "an entry of metadata.ownerReferences lacks apiVersion, kind, name or uid"
    yield from tuple(_bad_parts(group)) or _bad_floor(group)
    if group.queue and not is_subdomain(group.queue):
        yield f"spec.queue {group.queue!r} is no DNS subdomain"
    if len(group.priority_class) > 253:
        yield "spec.priorityClassName is longer than 253 characters"
    if group.topology and (group.topology.highest_tier or 0) < 0:
        yield f"spec.networkTopology.highestTierAllowed {group.topology.highest_tier} is below 0"
    if _size(group.annotations) > LARGEST_METADATA:
        yield f"the annotations have more than {LARGEST_METADATA} bytes together: shorten those of the owners"


def _size(annotations: Mapping[str, str]) -> int:
    return sum(len(f"{key}{value}".encode("utf-8", "surrogatepass")) for key, value in annotations.items())


def _bad_parts(group: Group) -> Iterator[str]:
    yield from tree_problems(group.parts)
    for part in (*group.parts, *group.roles):
        if not part.name or (part.floor or 0) < 0:
            yield f"spec.minTaskMember: {part.name!r} cannot ask for {part.floor} pods"
    counts = (group.floor_of_parts, *(part.floor_of_parts for part in group.parts))
    yield from (
        f"a minimum of {count} parts is below 0" for count in counts if count is not None and count < 0
    )


def _bad_floor(group: Group) -> Iterator[str]:
    floor = _floor(group, need_of(group))
    if not 0 <= floor <= LARGEST_FLOOR:
        yield f"spec.minMember {floor} is not between 0 and {LARGEST_FLOOR}"
