"""LeaderWorkerSets: every replica is a gang of a leader and its workers, which may come in segments."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from podgrouper.core.fields import annotations, mapping, strings
from podgrouper.core.groups import Group, Grouping, Part
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Kind, Member, Owner, Pod
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.defaults import default_group, speaker_of
from podgrouper.policies.kai.families.leader_and_workers import (
    LEADER,
    LEADER_ALONE,
    LEADER_WORKER,
    Layout,
    in_segments,
    leader_and_workers,
)
from podgrouper.policies.kai.families.segments import segment_topology
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outcomes import attempted, joined, seated
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.texts.names import named_after, valid_name
from podgrouper.policies.kai.values import BadValue, number_at, object_at, text_at, value_at, whole_number

LEADER_WORKER_SET = Kind("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")
TEMPLATE = "spec.leaderWorkerTemplate"
SIZE = f"{TEMPLATE}.size"
POLICY_SIZE = f"{TEMPLATE}.subGroupPolicy.subGroupSize"
POLICY_TYPE = f"{TEMPLATE}.subGroupPolicy.subGroupPolicyType"
WORKERS = f"{TEMPLATE}.workerTemplate"
LEADERS = f"{TEMPLATE}.leaderTemplate"
STARTUP = "spec.startupPolicy"
REPLICAS = "spec.replicas"
LEADER_CREATED, LEADER_READY = "LeaderCreated", "LeaderReady"


class LeaderWorkerSetGrouper(Grouper):
    """One group for each replica of the set, told apart by a label of the pods."""

    kinds = (LEADER_WORKER_SET,)
    heeds = (keys.SEGMENT_SIZE, keys.SEGMENT_REQUIRED, keys.SEGMENT_PREFERRED)
    free_steps = frozenset({0, 1})
    """From the leader alone to the whole replica, as soon as the leader has a node."""
    reads = Reads(
        labels=frozenset({keys.LWS_GROUP_INDEX, keys.LWS_WORKER_INDEX}),
        annotations=frozenset({keys.LWS_SIZE, keys.TOPOLOGY, keys.SEGMENT_REQUIRED, keys.SEGMENT_PREFERRED}),
        paths={LEADER_WORKER_SET: frozenset({TEMPLATE, STARTUP, REPLICAS})},
        kinds=frozenset({Kind("apps/v1", "StatefulSet")}),
        self_standing=frozenset({LEADER_WORKER_SET}),
    )

    def outgrown(self, owner: Owner, group: str) -> bool:
        """Replicas are numbered from 0, so one with a number from the count on is gone, or goes soon."""
        index = group.removeprefix(f"{named_after(owner.ref.name, owner.ref.uid)}-group-")
        replicas = number_at(owner, REPLICAS)
        return index.isascii() and index.isdigit() and int(index) >= (1 if replicas is None else replicas)

    def group(self, scene: Scene) -> Grouping:
        by_replica: dict[str, list[Member]] = {}
        for member in scene.members:
            by_replica.setdefault(_suffix(member.pod), []).append(member)
        return joined(
            attempted(members, partial(_of_replica, scene, suffix, members))
            for suffix, members in by_replica.items()
        )


def _of_replica(scene: Scene, suffix: str, members: Sequence[Member]) -> Grouping:
    layout = layout_of(scene, members)
    placed = seated(members, lambda pod: _part_of(pod, layout))
    if not placed.members:
        return Grouping(unplaced=placed.unplaced)
    group = default_group(scene, placed.members)
    named: Group = replace(
        group,
        name=valid_name(f"{group.name}{suffix}"),
        floor=layout.size,
        parts=_with_templates(layout.parts, scene.owner),
        placements=placed.placements,
    )
    return Grouping((named,), placed.unplaced)


def _with_templates(parts: tuple[Part, ...], owner: Owner) -> tuple[Part, ...]:
    """A leader without a template of its own is made as its workers are."""
    worker = mapping(owner.object, WORKERS)
    leader = mapping(owner.object, LEADERS) or worker
    return tuple(replace(part, template=leader if part.name == LEADER else worker) for part in parts)


def layout_of(scene: Scene, members: Sequence[Member]) -> Layout:
    """Who must start together. While the leader is awaited, workers do not exist and are not asked for."""
    owner = scene.owner
    size = number_at(owner, SIZE)
    if size is None or size <= 0:
        raise BadValue(f"{owner.ref}, {SIZE} is {size}: write a number above 0")
    startup = _startup(owner)
    segment = _segment_size(owner, size)
    pod = speaker_of(members).pod
    segmented = in_segments(size, segment, _policy(owner), str(owner.ref)) if segment else None
    if startup == LEADER_READY and _leader_is_awaited(members):
        return LEADER_ALONE
    if segmented is None:
        return leader_and_workers(_size_of_pod(pod, size) if startup == LEADER_READY else size, limit=size)
    template = object_at(owner, WORKERS)
    if template is None:
        return segmented
    said = strings(template, "metadata.annotations")
    return segmented.bound(segment_topology(pod.annotations, said, scene.annotations))


def _startup(owner: Owner) -> str:
    if value_at(owner, STARTUP) is None:
        return LEADER_CREATED
    policy = text_at(owner, STARTUP)
    if policy not in (LEADER_CREATED, LEADER_READY):
        raise BadValue(f"{owner.ref}, {STARTUP} is {policy!r}: write {LEADER_CREATED} or {LEADER_READY}")
    return policy


def _policy(owner: Owner) -> str:
    return text_at(owner, POLICY_TYPE) or LEADER_WORKER


def _segment_size(owner: Owner, size: int) -> int | None:
    """The size that the set's policy asks for, else its annotation, else that of the workers' template."""
    named = number_at(owner, POLICY_SIZE)
    where: tuple[Mapping[str, str], ...] = (
        annotations(owner.object),
        strings(owner.object, f"{WORKERS}.metadata.annotations"),
    )
    if named is None:
        text = next((said[keys.SEGMENT_SIZE] for said in where if said.get(keys.SEGMENT_SIZE)), "")
        named = whole_number(text, f"{owner.ref}, annotation {keys.SEGMENT_SIZE}") if text else None
    if named is not None and not 1 < named <= size:
        raise BadValue(f"{owner.ref} asks for segments of {named}: write a number from 2 to its size, {size}")
    return named


def _leader_is_awaited(members: Sequence[Member]) -> bool:
    live = [member.pod for member in members if member.pod.live]
    leaders = [pod for pod in live if _is_leader(pod)]
    return len(leaders) == len(live) and any(not pod.node for pod in leaders)


def _is_leader(pod: Pod) -> bool:
    return pod.labels.get(keys.LWS_WORKER_INDEX) == "0"


def _size_of_pod(pod: Pod, size: int) -> int:
    """What the replica's size was when its pods were made."""
    try:
        return whole_number(pod.annotations.get(keys.LWS_SIZE, ""), keys.LWS_SIZE)
    except BadValue:
        return size


def _part_of(pod: Pod, layout: Layout) -> str:
    text = pod.labels.get(keys.LWS_WORKER_INDEX)
    index = None if text is None else whole_number(text, f"{pod.ref}, label {keys.LWS_WORKER_INDEX}")
    return layout.part_of(index, str(pod.ref))


def _suffix(pod: Pod) -> str:
    """Of a pod that does not say to which replica it belongs, the group has no number."""
    try:
        index = whole_number(pod.labels.get(keys.LWS_GROUP_INDEX, ""), keys.LWS_GROUP_INDEX)
    except BadValue:
        return ""
    return f"-group-{index}"
