"""What a plan needs to know of a cluster, read once: pods, the owners above them, groups, rules.

Only reads. What may not be read is told to the plan as the controller would meet it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from podgrouper.config.model import Config
from podgrouper.core.fields import kind_of, owner_refs, ref_of, uid
from podgrouper.core.interfaces import Profile
from podgrouper.core.kinds import CLUSTER_SCOPED
from podgrouper.core.model import POD, Ending, Json, Kind, OwnerRef
from podgrouper.core.owners import DEPTH_LIMIT
from podgrouper.kube.client import Client
from podgrouper.kube.errors import Forbidden, NotFound, UnknownKind
from podgrouper.kube.requests import WatchSpec
from podgrouper.wiring import texts_wanted, wire

PRIORITY_CLASS = Kind("scheduling.k8s.io/v1", "PriorityClass")
NAMESPACE = Kind("v1", "Namespace")
CONFIG_MAP = Kind("v1", "ConfigMap")
Place = tuple[Kind, str, str]


@dataclass(frozen=True, slots=True)
class Seen:
    """Objects by kind, namespace and name, and the kinds that are hidden from us."""

    objects: dict[Place, Json] = field(default_factory=dict)
    unreadable: dict[Kind, Ending] = field(default_factory=dict)

    def add(self, found: Iterable[Json]) -> None:
        for obj in found:
            ref = ref_of(obj)
            self.objects[(kind_of(obj), ref.namespace, ref.name)] = obj


async def survey(
    client: Client, config: Config, *, every_pod: bool = False, besides: Iterable[WatchSpec] = ()
) -> Seen:
    """Everything that `planning.plan` looks at. Raises ApiError when pods may not be read.

    `every_pod`: those of other schedulers too. `besides`: what else is wanted, if it may be read.
    """
    profiles = wire(config, {}).profiles
    seen = Seen()
    for spec in _pods(profiles, config, every_pod=every_pod):
        seen.add(await client.list(spec))
    for spec in (*_if_readable(profiles, config), *besides):
        await _list_if_readable(client, spec, seen)
    for source in texts_wanted(config):
        await _get_if_there(client, CONFIG_MAP, source.namespace, source.name, seen)
    await _owners(client, seen)
    return seen


def _pods(profiles: tuple[Profile, ...], config: Config, *, every_pod: bool) -> Iterable[WatchSpec]:
    schedulers = sorted({name for profile in profiles for name in profile.schedulers})
    selectors = [""] if every_pod else [f"spec.schedulerName={scheduler}" for scheduler in schedulers]
    for namespace in config.namespaces or ("",):
        for selector in selectors:
            yield WatchSpec(POD, namespace, field_selector=selector)


def _if_readable(profiles: tuple[Profile, ...], config: Config) -> Iterable[WatchSpec]:
    """Groups, kinds that count even where no pod leads to them, and what has no namespace.

    With namespaces no Role grants what has none: of that only what decides about groups is tried.
    """
    groups = {profile.dialect.kind for profile in profiles}
    declared = {kind for p in profiles for kind in (*p.reads.paths, *p.reads.self_standing)} - {POD}
    out_of_reach = CLUSTER_SCOPED if config.namespaces else frozenset[Kind]()
    for kind in sorted((groups | declared) - out_of_reach):
        for namespace in config.namespaces or ("",):
            yield WatchSpec(kind, namespace)
    if any(profile.reads.priority_classes for profile in profiles):
        yield WatchSpec(PRIORITY_CLASS, metadata_only=True)
    if any(profile.kai.namespace_label_selector for profile in config.profiles):
        yield WatchSpec(NAMESPACE, metadata_only=True)


async def _list_if_readable(client: Client, spec: WatchSpec, seen: Seen) -> None:
    try:
        seen.add(_as(spec.kind, await client.list(spec)))
    except Forbidden:
        seen.unreadable[spec.kind] = Ending.FORBIDDEN
    except UnknownKind:
        seen.unreadable[spec.kind] = Ending.UNKNOWN_KIND


async def owners_of(client: Client, pods: Iterable[Json]) -> tuple[Json, ...]:
    """Everything above these pods that may be read, and the pods."""
    seen = Seen()
    seen.add(pods)
    await _owners(client, seen)
    return tuple(seen.objects.values())


async def _owners(client: Client, seen: Seen) -> None:
    """Level by level: what the objects of one level name as owners is the next one."""
    level = [obj for obj in seen.objects.values() if kind_of(obj) == POD]
    for _ in range(DEPTH_LIMIT):
        wanted = dict.fromkeys(
            (owner, ref_of(obj).namespace) for obj in level for owner in owner_refs(obj) if owner.complete
        )
        level = [found for owner, space in wanted for found in await _owner(client, owner, space, seen)]
        if not level:
            return


async def _owner(client: Client, owner: OwnerRef, namespace: str, seen: Seen) -> list[Json]:
    """The owner in the pod's namespace, else the cluster-scoped one; empty where there is none."""
    for place in ((owner.kind, namespace, owner.name), (owner.kind, "", owner.name)):
        if place in seen.objects:
            return [seen.objects[place]]
    if owner.kind in seen.unreadable:
        return []
    await _get_if_there(client, owner.kind, namespace, owner.name, seen)
    found = seen.objects.get((owner.kind, namespace, owner.name)) or seen.objects.get(
        (owner.kind, "", owner.name)
    )
    return [found] if found is not None and uid(found) == owner.uid else []


async def _get_if_there(client: Client, kind: Kind, namespace: str, name: str, seen: Seen) -> None:
    try:
        seen.add(_as(kind, [await client.get(kind, namespace, name)]))
    except NotFound:
        return
    except Forbidden:
        if kind != CONFIG_MAP:
            seen.unreadable[kind] = Ending.FORBIDDEN
    except UnknownKind:
        seen.unreadable[kind] = Ending.UNKNOWN_KIND


def _as(kind: Kind, found: Iterable[Json]) -> Iterable[Json]:
    """Under the version that was asked for; a list's items do not say theirs, metadata says another."""
    named: Mapping[str, object] = {"apiVersion": kind.api_version, "kind": kind.kind}
    return ({**obj, **named} for obj in found)
