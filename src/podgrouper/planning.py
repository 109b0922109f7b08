"""The road on files: what podgrouper would make of these objects, without a cluster.

Walks the road over a world in memory until nothing changes any more, as the controller would: what a
write brings about (a link that becomes part of a group's metadata) is seen in the next pass.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from podgrouper.config.model import Config, ConfigMapKey
from podgrouper.core.fields import dig
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import Ending, Json, Key, Kind, Pod, Ref, Skip
from podgrouper.core.owners import chain_of
from podgrouper.core.plans import Change, CreateGroup, DeleteGroup, LinkPod, Report, UpdateGroup
from podgrouper.core.reasons import Reason
from podgrouper.core.road import (
    Claims,
    boundary_of,
    boundary_of_group,
    key_of,
    plan_changes,
    profile_of,
    walk,
)
from podgrouper.core.workloads import Unseen
from podgrouper.memory.world import World
from podgrouper.wiring import BadText, texts_wanted, wire

PASSES = 10
"""Worlds settle in two or three; more would be two rules that take each other back."""
READABLE: Mapping[Kind, Ending] = MappingProxyType({})
CONFIG_MAP = Kind("v1", "ConfigMap")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A pod that gets no group, and why."""

    pod: Ref
    skip: Skip


@dataclass(frozen=True, slots=True)
class Plan:
    """What would happen, and the PodGroups that would be there afterwards."""

    pod_groups: tuple[Json, ...]
    """All of them, untouched ones included, by namespace and name."""
    created: tuple[Ref, ...]
    changed: tuple[tuple[Ref, Json], ...]
    """The group and the merge patch that it gets; several patches of one group follow each other."""
    links: tuple[LinkPod, ...]
    deleted: tuple[Ref, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[Report, ...]
    bad_texts: tuple[BadText, ...] = ()


def plan(
    objects: Iterable[Json], config: Config | None = None, *, unreadable: Mapping[Kind, Ending] = READABLE
) -> Plan:
    """What podgrouper would do in a cluster that holds these objects.

    `unreadable` kinds are hidden from it, as 403 (`Ending.FORBIDDEN`) or 404 (`Ending.UNKNOWN_KIND`)
    would hide them. Same objects, same plan, in whatever order they come.
    """
    config = config or Config()
    world = World(objects, unreadable)
    wired = wire(config, texts_of(config, world))
    world.see(wired.profiles)
    done: list[Change] = []
    claims = Claims()
    for _ in range(PASSES):
        outcome = _one_pass(world, wired.profiles, claims)
        writes = [change for change in outcome.changes if not isinstance(change, Report)]
        if not writes:
            break
        for change in writes:
            world.apply(change)
        done += writes
    return Plan(
        pod_groups=tuple(group for kind in _group_kinds(wired.profiles) for group in world.of_kind(kind)),
        created=tuple(change.ref for change in done if isinstance(change, CreateGroup)),
        changed=tuple((change.ref, change.patch) for change in done if isinstance(change, UpdateGroup)),
        links=tuple(change for change in done if isinstance(change, LinkPod)),
        deleted=tuple(change.ref for change in done if isinstance(change, DeleteGroup)),
        skipped=outcome.skipped,
        warnings=tuple(change for change in outcome.changes if isinstance(change, Report)),
        bad_texts=wired.bad_texts,
    )


@dataclass(frozen=True, slots=True)
class _Outcome:
    changes: tuple[Change, ...]
    skipped: tuple[Skipped, ...]


def _one_pass(world: World, profiles: tuple[Profile, ...], claims: Claims) -> _Outcome:
    """Every boundary once, all of them looking at the same world."""
    boundaries, skipped = _boundaries(world, profiles)
    decisions = []
    for key, (boundary, pods) in boundaries.items():
        profile = next(profile for profile in profiles if profile.name == key.profile)
        decision = walk(boundary, pods, profile, world)
        assert not isinstance(decision, Unseen), "a world in files is seen as a whole"
        claims.stake(decision)
        decisions.append((decision, profile))
    changes: list[Change] = []
    for decision, profile in decisions:
        changes += plan_changes(decision, profile.dialect, world.group, claims).changes
        skipped += [Skipped(entry.pod.ref, entry.skip) for entry in decision.grouping.unplaced]
    return _Outcome(tuple(changes), tuple(sorted(skipped, key=lambda entry: entry.pod)))


def _boundaries(
    world: World, profiles: tuple[Profile, ...]
) -> tuple[dict[Key, tuple[Ref, list[Pod]]], list[Skipped]]:
    """Where the pods belong together, and the pods that belong nowhere."""
    found: dict[Key, tuple[Ref, list[Pod]]] = {}
    skipped: list[Skipped] = []
    for pod in world.pods():
        profile = profile_of(pod, profiles)
        boundary = (
            Skip(Reason.OTHER_SCHEDULER, f"{pod.ref} asks for scheduler {pod.scheduler!r}")
            if profile is None
            else boundary_of(pod, chain_of(pod, world.object), profile, world)
        )
        if isinstance(boundary, Ref) and profile:
            found.setdefault(key_of(boundary, profile, pod.namespace), (boundary, []))[1].append(pod)
        elif isinstance(boundary, Skip):
            skipped.append(Skipped(pod.ref, boundary))
    for profile in profiles:
        for group in world.of_kind(profile.dialect.kind):
            owner = boundary_of_group(group, profile)
            if owner is not None:
                found.setdefault(key_of(owner, profile, owner.namespace), (owner, []))
    return dict(sorted(found.items())), skipped


def texts_of(config: Config, world: World) -> Mapping[ConfigMapKey, str]:
    """What the ConfigMaps of the world say that the configuration points at."""
    return dict(_texts_found(config, world))


def _texts_found(config: Config, world: World) -> Iterator[tuple[ConfigMapKey, str]]:
    for source in texts_wanted(config):
        data = dig(world.whole(CONFIG_MAP, source.namespace, source.name), "data")
        text = data.get(source.key) if isinstance(data, Mapping) else None
        if isinstance(text, str):
            yield source, text


def _group_kinds(profiles: tuple[Profile, ...]) -> tuple[Kind, ...]:
    return tuple(dict.fromkeys(profile.dialect.kind for profile in profiles))
