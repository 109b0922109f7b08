"""Ray: a head and groups of workers, whose sizes stand in the RayCluster, whoever owns that.

A RayJob and a RayService name their cluster in their status; before that there is nothing to group by.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from podgrouper.core.fields import mapping, strings, text
from podgrouper.core.groups import Grouping, Part, Placement, Topology
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import GroupWanted, Json, Kind, Member, ObjectWanted, Owner, Pod, Want
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.defaults import default_group, template_topology, with_priority
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outcomes import attempted, joined
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.sources import owner_labels
from podgrouper.policies.kai.texts.names import named_after, valid_name
from podgrouper.policies.kai.values import BadValue, number_in, text_at, value_in

_LABEL = re.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?")

VERSIONS = ("ray.io/v1", "ray.io/v1alpha1")
CLUSTERS, JOBS, SERVICES = (
    tuple(Kind(version, kind) for version in VERSIONS) for kind in ("RayCluster", "RayJob", "RayService")
)
HEAD, SUBMITTER = "headgroup", "submitter"
CLUSTER_OF = {
    "RayJob": ("status.rayClusterName",),
    "RayService": (
        "status.activeServiceStatus.rayClusterName",
        "status.pendingServiceStatus.rayClusterName",
    ),
}
"""Where an owner names its cluster: the first of these that says something."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A RayCluster as its owner names it, or itself."""

    what: str
    object: Json


class RayGrouper(Grouper):
    """One group with a part for the head and for each group of workers."""

    kinds = (*CLUSTERS, *JOBS, *SERVICES)
    heeds = (keys.RAY_PRIORITY_CLASS, keys.TOPOLOGY_REQUIRED, keys.TOPOLOGY_PREFERRED, "searchLegacyGroups")
    reads = Reads(
        labels=frozenset({keys.RAY_GROUP}),
        paths={
            **dict.fromkeys(CLUSTERS, frozenset({"spec.headGroupSpec", "spec.workerGroupSpecs"})),
            **dict.fromkeys(JOBS, frozenset({"status.rayClusterName"})),
            **dict.fromkeys(
                SERVICES, frozenset({"status.activeServiceStatus", "status.pendingServiceStatus"})
            ),
        },
        kinds=frozenset({Kind("batch/v1", "Job")}),
    )

    def wants(self, scene: Scene) -> Sequence[Want]:
        owner = scene.owner
        own_name = named_after(owner.ref.name, owner.ref.uid)
        flat = [GroupWanted(scene.namespace, own_name)] if scene.settings.search_legacy_groups else []
        cluster = next((name for path in _paths(owner) if (name := text(owner.object, path))), "")
        return (*flat, *([_wanted(scene, cluster)] if cluster else []))

    def group(self, scene: Scene) -> Grouping:
        active = _cluster_name(scene.owner)
        if scene.owner.ref.kind not in SERVICES or not active:
            return _grouped(scene, _cluster(scene), scene.members)
        by_cluster: dict[str, tuple[Owner | None, list[Member]]] = {}
        for member in scene.members:
            above = next((owner for owner in member.chain.owners if owner.ref.kind in CLUSTERS), None)
            other = above if above is not None and above.ref.name != active else None
            by_cluster.setdefault(other.ref.name if other else "", (other, []))[1].append(member)
        return joined(
            attempted(members, partial(_of_service, scene, other, members))
            for other, members in by_cluster.values()
        )


def _of_service(scene: Scene, other: Owner | None, members: Sequence[Member]) -> Grouping:
    """While a service moves to a new cluster, the pods of the one that is not active yet are a gang too."""
    if other is None:
        return _grouped(scene, _cluster(scene), members)
    grouping = _grouped(scene, Cluster(str(other.ref), other.object), members)
    return Grouping(
        tuple(replace(group, name=valid_name(f"{group.name}-{other.ref.name}")) for group in grouping.groups)
    )


def _grouped(scene: Scene, cluster: Cluster, members: Sequence[Member]) -> Grouping:
    parts = parts_of(cluster)
    floor = sum(part.floor or 0 for part in parts)
    label = owner_labels(scene.voices, keys.RAY_PRIORITY_CLASS)
    group = replace(with_priority(scene, default_group(scene, members), label), floor=floor)
    if scene.is_flat(group.name):
        return Grouping((group,))
    placements = tuple(Placement(member.pod, _part_of(scene, member.pod, parts)) for member in members)
    submits = any(placement.part == SUBMITTER and placement.pod.live for placement in placements)
    extra = (Part(SUBMITTER, floor=0),) if submits and _of_a_job(scene) else ()
    return Grouping((replace(group, parts=(*parts, *extra), placements=placements),))


def parts_of(cluster: Cluster) -> tuple[Part, ...]:
    """The head, then every group of workers that is to have any."""
    entries = value_in(cluster.object, "spec.workerGroupSpecs", cluster.what)
    if not isinstance(entries, list | tuple | None):
        raise BadValue(f"{cluster.what}, spec.workerGroupSpecs is no list: write a list of groups")
    head = Part(
        HEAD,
        floor=1,
        topology=_topology(cluster.object, "spec.headGroupSpec", cluster.what),
        template=mapping(cluster.object, "spec.headGroupSpec.template"),
    )
    workers = (_workers(place, entry, cluster.what) for place, entry in enumerate(entries or ()))
    return (head, *(part for part in workers if part))


def _workers(place: int, entry: object, cluster: str) -> Part | None:
    what = f"{cluster}, spec.workerGroupSpecs[{place}]"
    if not isinstance(entry, Mapping):
        raise BadValue(f"{what} is no object: write a group of workers")
    if _flag(entry, "suspend", what) or _flag(entry, "suspended", what):
        return None
    replicas, least = (number_in(entry, path, what) or 0 for path in ("replicas", "minReplicas"))
    hosts = number_in(entry, "numOfHosts", what)
    if not replicas and not least:
        return None
    floor = (least if least > 0 else replicas) * (1 if hosts is None else hosts)
    name = part_name(text(entry, "groupName")) or f"worker-group-{place}"
    topology = _topology({"group": entry}, "group", what)
    return Part(name, floor=floor, topology=topology, template=mapping(entry, "template"))


def part_name(group: str) -> str:
    """Ray's name for a group of workers as a DNS label; it may still be none."""
    return group if _LABEL.fullmatch(group) else re.sub("[^a-z0-9-]", "-", group.lower())


def _flag(entry: Json, key: str, what: str) -> bool:
    value = entry.get(key, False)
    if not isinstance(value, bool):
        raise BadValue(f"{what}.{key} is {str(value)[:60]!r}: write true or false")
    return value


def _topology(obj: Json, path: str, what: str) -> Topology | None:
    said = strings(obj, f"{path}.template.metadata.annotations")
    levels = said.get(keys.TOPOLOGY_REQUIRED) or said.get(keys.TOPOLOGY_PREFERRED)
    if levels and not said.get(keys.TOPOLOGY):
        raise BadValue(f"{what}: its template has a topology level but no annotation {keys.TOPOLOGY}")
    return template_topology(said)


def _part_of(scene: Scene, pod: Pod, parts: Sequence[Part]) -> str:
    """The part that the pod's label names. The pod that submits a RayJob has none and is no worker."""
    group = pod.labels.get(keys.RAY_GROUP, "")
    if not group:
        return SUBMITTER if _of_a_job(scene) else ""
    name = part_name(group)
    return name if any(part.name == name for part in parts) else ""


def _of_a_job(scene: Scene) -> bool:
    return scene.owner.ref.kind in JOBS


def _cluster(scene: Scene) -> Cluster:
    owner = scene.owner
    if owner.ref.kind in CLUSTERS:
        return Cluster(str(owner.ref), owner.object)
    name = _cluster_name(owner)
    if not name:
        raise BadValue(f"{owner.ref} names no RayCluster in its status yet")
    answer = scene.answers.get(_wanted(scene, name))
    if not isinstance(answer, Mapping):
        raise BadValue(f"RayCluster {scene.namespace}/{name}, which {owner.ref} names, cannot be read")
    return Cluster(f"RayCluster {scene.namespace}/{name}", answer)


def _cluster_name(owner: Owner) -> str:
    return next((name for path in _paths(owner) if (name := text_at(owner, path))), "")


def _paths(owner: Owner) -> Sequence[str]:
    return CLUSTER_OF.get(owner.ref.kind.kind, ())


def _wanted(scene: Scene, name: str) -> ObjectWanted:
    return ObjectWanted(Kind(scene.owner.ref.kind.api_version, "RayCluster"), scene.namespace, name)
