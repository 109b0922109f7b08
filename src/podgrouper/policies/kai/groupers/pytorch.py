"""PyTorchJobs: master and workers are parts of one gang, which may be elastic and cut into segments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from podgrouper.core.fields import strings
from podgrouper.core.groups import Grouping, Part, Topology
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Json, Kind, Member, Owner, Pod
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.defaults import default_group, speaker_of
from podgrouper.policies.kai.families.replica_counts import (
    MIN_AVAILABLE,
    replica_types,
    replicas_in_all,
    templates_of,
)
from podgrouper.policies.kai.families.segments import segment_size, segment_topology, segments_in
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outcomes import joined, seated
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.values import BadValue, number_at, whole_number

PYTORCH_JOB = Kind("kubeflow.org/v1", "PyTorchJob")
REPLICAS = "spec.pytorchReplicaSpecs"
MASTER, WORKER = "master", "worker"


@dataclass(frozen=True, slots=True)
class Roles:
    """How many of each are needed."""

    total: int
    masters: int
    workers: int | None
    """None: the job has no workers at all."""
    others: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Segments:
    """How the workers are cut."""

    size: int
    count: int
    workers: int
    """All that there can be, elastic ones included."""
    topology: Topology | None


Templates = Mapping[str, Json]
"""Replica type, in small letters, to what its pods are made from."""


class PyTorchGrouper(Grouper):
    """One group with a part for each replica type; the workers' part may hold one for each segment."""

    kinds = (PYTORCH_JOB,)
    heeds = (keys.SEGMENT_SIZE, keys.SEGMENT_REQUIRED, keys.SEGMENT_PREFERRED)
    reads = Reads(
        labels=frozenset({keys.REPLICA_TYPE, keys.REPLICA_INDEX}),
        annotations=frozenset(
            {keys.SEGMENT_SIZE, keys.SEGMENT_REQUIRED, keys.SEGMENT_PREFERRED, keys.TOPOLOGY}
        ),
        paths={PYTORCH_JOB: frozenset({REPLICAS, "spec.runPolicy", "spec.elasticPolicy"})},
    )

    def group(self, scene: Scene) -> Grouping:
        roles = roles_of(scene.owner)
        sensible = seated(scene.members, _with_a_usable_segment)
        if not sensible.members:
            return Grouping(unplaced=sensible.unplaced)
        segments = segments_of(scene, sensible.members)
        placed = seated(sensible.members, lambda pod: part_of(pod, roles, segments))
        failed = Grouping(unplaced=(*sensible.unplaced, *placed.unplaced))
        if not placed.members:
            return failed
        group = replace(
            default_group(scene, placed.members),
            floor=roles.total,
            parts=parts_of(roles, segments, templates_of(scene.owner, REPLICAS)),
            placements=placed.placements,
        )
        return joined((Grouping((group,)), failed))


def roles_of(owner: Owner) -> Roles:
    """Floors of the replica types. Of a total that is asked for, workers get what the others leave."""
    types = replica_types(owner, REPLICAS)
    counts = {name: number_at(owner, f"{REPLICAS}.{name}.replicas") or 0 for name in types}
    total = _total(owner)
    masters = counts.get("Master", 0)
    others = {name.lower(): counts[name] for name in sorted(counts.keys() - {"Master", "Worker"})}
    rest = max(0, total - masters - sum(others.values()))
    return Roles(total, masters, rest if "Worker" in types else None, others)


def _total(owner: Owner) -> int:
    asked = number_at(owner, MIN_AVAILABLE)
    if asked is not None:
        return asked
    everyone = replicas_in_all(owner, REPLICAS)
    elastic = _elastic_minimum(owner)
    return everyone if elastic is None else elastic


def _elastic_minimum(owner: Owner) -> int | None:
    """KAI passes over a minimum of a wrong type without a word, and so do we."""
    try:
        return number_at(owner, "spec.elasticPolicy.minReplicas")
    except BadValue:
        return None


def segments_of(scene: Scene, members: Sequence[Member]) -> Segments | None:
    """How the workers are cut, as the oldest worker that lives says, else the workers' template."""
    pod = speaker_of([member for member in members if _is_worker(member.pod)] or members).pod
    types = replica_types(scene.owner, REPLICAS)
    template = strings(types.get("Worker", {}), "template.metadata.annotations")
    of_template = segment_size(template, f"{scene.owner.ref}, template of Worker")
    size = segment_size(pod.annotations, str(pod.ref)) or of_template
    if size is None or "Worker" not in types:
        return None
    asked = number_at(scene.owner, f"{REPLICAS}.Worker.replicas")
    workers = 1 if asked is None else asked
    count = segments_in(workers, size, str(scene.owner.ref))
    topology = segment_topology(pod.annotations, template, scene.annotations)
    return Segments(size, count, workers, topology) if count else None


def parts_of(roles: Roles, segments: Segments | None, templates: Templates) -> tuple[Part, ...]:
    """Masters, workers with their segments, then whatever else the job has."""
    nothing: Json = {}
    worker = templates.get(WORKER, nothing)
    masters = Part(MASTER, floor=roles.masters, template=templates.get(MASTER, nothing))
    parts = [masters] if roles.masters else []
    if roles.workers is not None and segments is None:
        parts.append(Part(WORKER, floor=roles.workers, template=worker))
    elif roles.workers is not None and segments is not None:
        parts.append(Part(WORKER, floor_of_parts=segments.count))
        parts += [
            Part(f"{WORKER}-{place}", WORKER, floor, topology=segments.topology, template=worker)
            for place, floor in enumerate(segment_floors(roles.workers, segments))
        ]
    others = (Part(name, floor=n, template=templates[name]) for name, n in roles.others.items())
    return (*parts, *others)


def segment_floors(needed: int, segments: Segments) -> tuple[int, ...]:
    """Segments that hold needed workers must be whole, those after them may stay empty."""
    mandatory = -(-needed // segments.size)
    rest = segments.workers % segments.size
    sizes = [segments.size] * (segments.count - 1) + [rest or segments.size]
    return tuple(size if place < mandatory else 0 for place, size in enumerate(sizes))


def part_of(pod: Pod, roles: Roles, segments: Segments | None) -> str:
    """The part that takes the pod; none for a pod of no role or beyond the last segment."""
    role = pod.labels.get(keys.REPLICA_TYPE, "")
    if role == MASTER:
        return MASTER if roles.masters else ""
    if role != WORKER:
        return role if role in roles.others else ""
    if segments is None:
        return WORKER if roles.workers is not None else ""
    index = whole_number(pod.labels.get(keys.REPLICA_INDEX, ""), f"{pod.ref}, label {keys.REPLICA_INDEX}")
    place = index // segments.size
    return f"{WORKER}-{place}" if 0 <= place < segments.count else ""


def _with_a_usable_segment(pod: Pod) -> str:
    segment_size(pod.annotations, str(pod.ref))
    return ""


def _is_worker(pod: Pod) -> bool:
    return pod.labels.get(keys.REPLICA_TYPE) == WORKER
