"""JobSets: a tree of replicated jobs, each with a leaf for every one of its replicas."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from podgrouper.core.fields import annotations, dig, items, mapping, strings, text
from podgrouper.core.groups import Grouping, Part, Topology
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import GroupWanted, Json, Kind, Owner, Pod
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.defaults import default_group, template_topology
from podgrouper.policies.kai.floors import none_while_absent
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outcomes import Seated, joined, seated
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.texts.names import named_after, valid_name
from podgrouper.policies.kai.values import BadValue, members_asked, number_in, text_at

JOB_SET = Kind("jobset.x-k8s.io/v1alpha2", "JobSet")
JOBS = "spec.replicatedJobs"
ORDER = "spec.startupPolicy.startupPolicyOrder"


@dataclass(frozen=True, slots=True)
class ReplicatedJob:
    """One entry of the list, read and checked."""

    name: str
    replicas: int
    floor: int
    topology: Topology | None
    template: Json
    after: frozenset[str]
    """Names of those that must have run before."""

    def leaf(self, index: object) -> str:
        return f"{self.name}-replica-{index}"


class JobSetGrouper(Grouper):
    """One group; how many replicated jobs must start together follows from their order."""

    kinds = (JOB_SET,)
    heeds = (keys.MIN_MEMBERS, keys.TOPOLOGY_REQUIRED, keys.TOPOLOGY_PREFERRED, "searchLegacyGroups")
    free_steps = frozenset({0})
    """A job that had to wait for another one is there now."""
    reads = Reads(
        labels=frozenset({keys.REPLICATED_JOB, keys.JOB_INDEX}),
        paths={JOB_SET: frozenset({JOBS, "spec.startupPolicy"})},
    )

    def wants(self, scene: Scene) -> Sequence[GroupWanted]:
        if not scene.settings.search_legacy_groups:
            return ()
        names = (text(entry, "name") for entry in items(scene.owner.object, JOBS))
        old = named_after(scene.owner.ref.name, scene.owner.ref.uid)
        return [GroupWanted(scene.namespace, name) for name in (old, *(f"{old}-{name}" for name in names))]

    def group(self, scene: Scene) -> Grouping:
        jobs = jobs_of(scene.owner)
        if any(scene.is_flat(want.name) for want in self.wants(scene)):
            return _as_of_old(scene)
        leaves = frozenset(job.leaf(index) for job in jobs for index in range(job.replicas))
        placed = seated(scene.members, lambda pod: leaf_of(pod, leaves))
        if not placed.members:
            return Grouping(unplaced=placed.unplaced)
        group = replace(
            default_group(scene, placed.members),
            floor=None,
            floor_of_parts=parts_needed(scene.owner, jobs),
            parts=_parts(jobs, placed),
            placements=placed.placements,
        )
        return Grouping((group,), placed.unplaced)


def jobs_of(owner: Owner) -> tuple[ReplicatedJob, ...]:
    """The replicated jobs that have replicas, in order."""
    entries = dig(owner.object, JOBS)
    if not isinstance(entries, list | tuple) or not entries:
        raise BadValue(f"{owner.ref} has no {JOBS}: add its jobs")
    found: list[ReplicatedJob] = []
    in_order = text_at(owner, ORDER) == "InOrder"
    for place, entry in enumerate(entries):
        job = _job(entry, f"{owner.ref}, {JOBS}[{place}]")
        if job.replicas:
            before = frozenset(earlier.name for earlier in found)
            found.append(replace(job, after=before if in_order else job.after))
    there = frozenset(job.name for job in found)
    return tuple(replace(job, after=job.after & there) for job in found)


def _job(entry: object, what: str) -> ReplicatedJob:
    if not isinstance(entry, Mapping) or not text(entry, "name"):
        raise BadValue(f"{what} has no name: give it one")
    said = strings(entry, "template.metadata.annotations")
    asked = members_asked(said, keys.MIN_MEMBERS, f"{what}.template")
    if asked == 0:
        raise BadValue(f"{what}.template, annotation {keys.MIN_MEMBERS} is 0: write a number from 1")
    return ReplicatedJob(
        name=text(entry, "name"),
        replicas=_count(entry, "replicas", what, 1),
        floor=_at_once(entry, what) if asked is None else asked,
        topology=template_topology(said),
        template=mapping(entry, "template.spec.template"),
        after=frozenset(text(other, "name") for other in items(entry, "dependsOn")),
    )


def _at_once(entry: Json, what: str) -> int:
    """Pods of one replica that exist at the same time: never more than there is work."""
    parallelism = _count(entry, "template.spec.parallelism", what, 1)
    return min(parallelism, _count(entry, "template.spec.completions", what, parallelism))


def _count(entry: Json, path: str, what: str, default: int) -> int:
    number = number_in(entry, path, what)
    return default if number is None else number


def parts_needed(owner: Owner, jobs: Sequence[ReplicatedJob]) -> int:
    """How many replicated jobs must start together: as many as need not wait for another one."""
    asked = members_asked(annotations(owner.object), keys.MIN_MEMBERS, str(owner.ref))
    if asked == 0:
        raise BadValue(f"{owner.ref}, annotation {keys.MIN_MEMBERS} is 0: write a number from 1")
    return sum(not job.after for job in jobs) if asked is None else min(asked, len(jobs))


def _parts(jobs: Sequence[ReplicatedJob], placed: Seated) -> tuple[Part, ...]:
    lives = Counter(placement.part for placement in placed.placements if placement.pod.live)
    parts: list[Part] = []
    for job in jobs:
        parts.append(Part(job.name, floor_of_parts=job.replicas))
        for index in range(job.replicas):
            leaf = Part(job.leaf(index), job.name, job.floor, topology=job.topology, template=job.template)
            parts.append(none_while_absent(leaf, lives[leaf.name]) if job.after else leaf)
    return tuple(parts)


def leaf_of(pod: Pod, leaves: frozenset[str]) -> str:
    """The leaf that the pod's labels name."""
    name, index = pod.labels.get(keys.REPLICATED_JOB, ""), pod.labels.get(keys.JOB_INDEX, "")
    if not name or not index:
        raise BadValue(f"{pod.ref} lacks label {keys.REPLICATED_JOB} or {keys.JOB_INDEX}")
    leaf = f"{name}-replica-{index}"
    if leaf not in leaves:
        raise BadValue(f"{pod.ref}: its JobSet has no job {name!r} with index {index}")
    return leaf


def _as_of_old(scene: Scene) -> Grouping:
    """The shape that an older KAI gave the JobSet: flat, in order one group for each replicated job."""
    owner = scene.owner
    asked = members_asked(annotations(owner.object), keys.MIN_MEMBERS, str(owner.ref))
    placed = seated(scene.members, lambda pod: _old_suffix(owner, pod))
    name = named_after(owner.ref.name, owner.ref.uid)
    floor = 1 if asked is None else asked
    groups = tuple(
        replace(default_group(scene, members), name=valid_name(f"{name}{suffix}"), floor=floor)
        for suffix, members in placed.by_part.items()
    )
    return joined((Grouping(groups), Grouping(unplaced=placed.unplaced)))


def _old_suffix(owner: Owner, pod: Pod) -> str:
    name = pod.labels.get(keys.REPLICATED_JOB, "")
    if not name:
        raise BadValue(f"{pod.ref} lacks label {keys.REPLICATED_JOB}")
    return f"-{name}" if text_at(owner, ORDER) == "InOrder" else ""
