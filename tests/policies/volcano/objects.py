"""Small worlds for the volcano policy: the objects, and what the policy makes of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from podgrouper.core.groups import Group, Grouping, Remark, Retired
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import Ending, Kind, Pod, Ref, Skip
from podgrouper.core.owners import chain_of
from podgrouper.core.quantity import Quantity
from podgrouper.core.workloads import Unseen, boundary_of, workload_of
from podgrouper.dialects.volcano import VolcanoDialect
from podgrouper.memory.world import World
from podgrouper.policies.volcano.policy import VolcanoPolicy

Object = dict[str, object]

LINK = "scheduling.k8s.io/group-name"
GANG_SIZE = "scheduling.volcano.sh/group-min-member"
QUEUE = "scheduling.volcano.sh/queue-name"
OWNER_QUEUE = "volcano.sh/queue-name"


def owner(kind: str, name: str, by: Object | None = None, **more: object) -> Object:
    """An owner `group/version Kind`, whose uid is `uid-<name>`. Other keywords are metadata, or the spec."""
    api_version, _, kind_name = kind.rpartition(" ")
    spec = more.pop("spec", None)
    status = more.pop("status", None)
    metadata = {
        "namespace": "ns",
        "name": name,
        "uid": f"uid-{name}",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        **({"ownerReferences": [reference(by)]} if by else {}),
        **more,
    }
    parts = {"metadata": metadata, "spec": spec, "status": status}
    return {
        "apiVersion": api_version,
        "kind": kind_name,
        **{key: part for key, part in parts.items() if part is not None},
    }


def replica_set(name: str, by: Object | None = None, replicas: int = 1, **more: object) -> Object:
    return owner("apps/v1 ReplicaSet", name, by, spec={"replicas": replicas}, **more)


def deployment(name: str, replicas: int = 1, **more: object) -> Object:
    return owner("apps/v1 Deployment", name, spec={"replicas": replicas}, **more)


def job(name: str, by: Object | None = None, **more: object) -> Object:
    return owner("batch/v1 Job", name, by, **more)


def workflow(name: str, **more: object) -> Object:
    return owner("argoproj.io/v1alpha1 Workflow", name, **more)


def reference(by: Object, *, controller: bool = True) -> Object:
    metadata = by["metadata"]
    assert isinstance(metadata, Mapping)
    return {
        "apiVersion": by["apiVersion"],
        "kind": by["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": controller,
        "blockOwnerDeletion": True,
    }


def pod(name: str, *by: Object, link: str = "", phase: str = "Pending", **more: object) -> Object:
    """A pod of the first owner; further ones are no controllers."""
    spec = {"schedulerName": "volcano", "containers": [], **_mapping(more.pop("spec", {}))}
    annotations = {**({LINK: link} if link else {}), **_mapping(more.pop("annotations", {}))}
    references = [reference(one, controller=index == 0) for index, one in enumerate(by)]
    metadata = {
        "namespace": "ns",
        "name": name,
        "uid": f"uid-{name}",
        "creationTimestamp": "2026-01-02T00:00:00Z",
        "annotations": annotations,
        **({"ownerReferences": references} if references else {}),
        **more,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": spec,
        "status": {"phase": phase},
    }


def group_of(owner_object: Object) -> str:
    """The name of the group that an owner has."""
    return f"podgroup-{_mapping(owner_object['metadata'])['uid']}"


def _mapping(value: object) -> Mapping[str, object]:
    assert isinstance(value, Mapping)
    return value


@dataclass(frozen=True)
class Outcome:
    """What came of all boundaries of a world."""

    boundaries: tuple[Ref, ...]
    groupings: tuple[Grouping, ...]
    live: frozenset[str]

    @property
    def groups(self) -> tuple[Group, ...]:
        return tuple(group for grouping in self.groupings for group in grouping.groups)

    @property
    def seats(self) -> dict[str, str]:
        """Pod -> the group that it is placed in."""
        return {place.pod.name: group.name for group in self.groups for place in group.placements}

    @property
    def by_name(self) -> dict[str, Group]:
        return {group.name: group for group in self.groups}

    @property
    def group(self) -> Group:
        (group,) = self.groups
        return group

    @property
    def skips(self) -> dict[str, Skip]:
        return {entry.pod.name: entry.skip for grouping in self.groupings for entry in grouping.unplaced}

    @property
    def remarks(self) -> tuple[Remark, ...]:
        return tuple(remark for grouping in self.groupings for remark in grouping.remarks)

    @property
    def retired(self) -> tuple[Retired, ...]:
        return tuple(retired for grouping in self.groupings for retired in grouping.retired)


def decided(
    *objects: Object, policy: VolcanoPolicy | None = None, unreadable: Mapping[Kind, Ending] | None = None
) -> Outcome:
    """Every boundary that a pod or an existing group of this world leads to."""
    policy = policy or VolcanoPolicy()
    profile = Profile("volcano", frozenset({"volcano"}), policy, VolcanoDialect(), frozenset())
    world = World(objects, unreadable or {})
    world.see((profile,))
    below: dict[Ref, list[Pod]] = {}
    for row in world.pods():
        boundary = boundary_of(row, chain_of(row, world.object), profile, world)
        assert isinstance(boundary, Ref)
        below.setdefault(boundary, []).append(row)
    for group in world.of_kind(profile.dialect.kind):
        led_to = policy.boundary_of_group(group)
        if led_to:
            below.setdefault(led_to, [])
    groupings = (_grouping(boundary, pods, profile, world) for boundary, pods in below.items())
    live = frozenset(row.name for row in world.pods() if row.live)
    return Outcome(tuple(below), tuple(groupings), live)


def _grouping(boundary: Ref, pods: list[Pod], profile: Profile, world: World) -> Grouping:
    workload = workload_of(boundary, pods, profile, world)
    assert not isinstance(workload, Unseen)
    return profile.policy.group(workload)


def pod_group(name: str, *owners: Object) -> Object:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {
            "namespace": "ns",
            "name": name,
            "uid": f"uid-of-{name}",
            "ownerReferences": [reference(one) for one in owners],
        },
    }


def printed(amounts: Mapping[str, Quantity] | None) -> dict[str, str]:
    return {name: str(amount) for name, amount in (amounts or {}).items()}
