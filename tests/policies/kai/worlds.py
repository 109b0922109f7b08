"""Small worlds for the kai policy: objects as an API server would show them, and what is made of them."""

from collections.abc import Iterable, Mapping

from podgrouper.core.groups import Group, Grouping
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import Ending, Json, Kind, Ref, Skip
from podgrouper.core.owners import chain_of
from podgrouper.core.road import boundary_of, workload_of
from podgrouper.core.workloads import Unseen
from podgrouper.dialects.kai import KaiDialect
from podgrouper.memory.world import World
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.policy import KaiPolicy
from podgrouper.policies.kai.registry import GROUPERS
from podgrouper.policies.kai.settings import KaiSettings

NAMESPACE = "team"
SCHEDULER = "kai-scheduler"
PLAIN: Mapping[str, str] = {}


def thing(
    kind: str,
    name: str,
    spec: Json | None = None,
    *,
    owner: Json | None = None,
    labels: Mapping[str, str] = PLAIN,
    annotations: Mapping[str, str] = PLAIN,
) -> dict[str, object]:
    """An object of a kind such as `batch/v1 Job`; its uid follows from its name."""
    api_version, _, word = kind.rpartition(" ")
    metadata: dict[str, object] = {
        "namespace": NAMESPACE,
        "name": name,
        "uid": f"uid-{name}",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": dict(labels),
        "annotations": dict(annotations),
    }
    if owner is not None:
        metadata["ownerReferences"] = [reference(owner)]
    return {"apiVersion": api_version, "kind": word, "metadata": metadata, "spec": dict(spec or {})}


def pod(
    name: str,
    owner: Json | None = None,
    *,
    phase: str = "Pending",
    labels: Mapping[str, str] = PLAIN,
    annotations: Mapping[str, str] = PLAIN,
    spec: Json | None = None,
) -> dict[str, object]:
    made = thing(
        "v1 Pod",
        name,
        {"schedulerName": SCHEDULER, **(spec or {})},
        owner=owner,
        labels=labels,
        annotations=annotations,
    )
    return made | {"status": {"phase": phase}}


def deleting(obj: Json) -> dict[str, object]:
    metadata = obj["metadata"]
    assert isinstance(metadata, Mapping)
    return dict(obj) | {"metadata": dict(metadata) | {"deletionTimestamp": "2026-01-02T00:00:00Z"}}


def existing_group(name: str) -> dict[str, object]:
    return thing("scheduling.run.ai/v2alpha2 PodGroup", name, {"minMember": 1})


def priority_class(name: str) -> dict[str, object]:
    obj = thing("scheduling.k8s.io/v1 PriorityClass", name)
    return {key: value for key, value in obj.items() if key != "spec"} | {"value": 100}


def reference(owner: Json) -> Json:
    metadata = owner["metadata"]
    assert isinstance(metadata, Mapping)
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
    }


def kai_profile(settings: KaiSettings | None = None, extra: tuple[Grouper, ...] = ()) -> Profile:
    policy = KaiPolicy(settings, (*extra, *GROUPERS))
    skip = frozenset({"kai.scheduler/skip-podgrouper"})
    return Profile("kai", frozenset({SCHEDULER}), policy, KaiDialect(), skip)


def boundaries(
    objects: Iterable[Json], profile: Profile | None = None, unreadable: Mapping[Kind, Ending] | None = None
) -> Mapping[str, Ref | Skip]:
    """Pod name -> where it belongs together with others."""
    profile = profile or kai_profile()
    world = World(objects, unreadable or {})
    world.see((profile,))
    found = {pod.name: boundary_of(pod, chain_of(pod, world.object), profile, world) for pod in world.pods()}
    return {name: place for name, place in found.items() if not isinstance(place, Unseen)}


def groupings(objects: Iterable[Json], profile: Profile | None = None) -> tuple[Grouping, ...]:
    """What the policy makes of every workload of a world."""
    profile = profile or kai_profile()
    objects = list(objects)
    world = World(objects, {})
    world.see((profile,))
    places = boundaries(objects, profile)
    refs = sorted({place for place in places.values() if isinstance(place, Ref)})
    workloads = [
        workload_of(ref, [pod for pod in world.pods() if places[pod.name] == ref], profile, world)
        for ref in refs
    ]
    return tuple(profile.policy.group(entry) for entry in workloads if not isinstance(entry, Unseen))


def groups(objects: Iterable[Json], profile: Profile | None = None) -> tuple[Group, ...]:
    return tuple(group for grouping in groupings(objects, profile) for group in grouping.groups)


def only_group(*objects: Json, settings: KaiSettings | None = None) -> Group:
    """The one group of a world that has one."""
    (group,) = groups(objects, kai_profile(settings))
    return group


def reasons(objects: Iterable[Json], profile: Profile | None = None) -> Mapping[str, str]:
    """Pod name -> why it has no group."""
    return {
        entry.pod.name: entry.skip.reason.value
        for grouping in groupings(objects, profile)
        for entry in grouping.unplaced
    }
