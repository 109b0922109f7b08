"""The road on files: what podgrouper would make of these objects, without a cluster.

Walks the road over a world in memory until nothing changes any more, as the controller would: what a
write brings about (a link that becomes part of a group's metadata) is seen in the next pass.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from podgrouper.config.model import Config, ConfigMapKey
from podgrouper.core.fields import dig, labels, owner_refs, ref_of
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import (
    Change,
    CreateGroup,
    DeleteGroup,
    Ending,
    Json,
    Key,
    Kind,
    LinkPod,
    Pod,
    Ref,
    Report,
    Skip,
    UpdateGroup,
)
from podgrouper.core.reasons import Reason
from podgrouper.core.road import boundary_of, profile_of, walk
from podgrouper.core.workloads import Unseen
from podgrouper.memory.world import World
from podgrouper.wiring import BadText, texts_wanted, wire

PASSES = 10
"""Worlds settle in two or three; more would be two rules that take each other back."""
READABLE: Mapping[Kind, Ending] = MappingProxyType({})


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
    wired = wire(config, _texts(config, world))
    done: list[Change] = []
    for _ in range(PASSES):
        outcome = _one_pass(world, wired.profiles, config)
        writes = [change for change in outcome.changes if not isinstance(change, Report)]
        if not writes:
            break
        for change in writes:
            world.apply(change)
        done += writes
    return Plan(
        pod_groups=tuple(
            group for kind in _group_kinds(wired.profiles) for group in world.of_kind(kind)
        ),
        created=tuple(change.ref for change in done if isinstance(change, CreateGroup)),
        changed=tuple((change.ref, change.patch) for change in done if isinstance(change, UpdateGroup)),
        links=tuple(change for change in done if isinstance(change, LinkPod)),
        deleted=tuple(change.ref for change in done if isinstance(change, DeleteGroup)),
        skipped=outcome.skipped,
        warnings=tuple(change for change in outcome.changes if isinstance(change, Report)),
        bad_texts=wired.bad_texts,
    )
