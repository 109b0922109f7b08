"""The groups of a cluster in one table, whatever their dialect."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from podgrouper.core.fields import controller_ref, kind_of, owner_refs, ref_of, text, uid
from podgrouper.core.interfaces import Dialect, Profile
from podgrouper.core.model import Json, OwnerRef, Pod, Ref
from podgrouper.core.observed import gang_of, pods_by_group, shown_phase
from podgrouper.core.status import Floors, Gang


@dataclass(frozen=True, slots=True)
class Entry:
    """One group: what it is, what it asks for, what it has."""

    ref: Ref
    scheduler: str
    """The name of the dialect."""
    status: str
    floor: int
    have: int
    """Members that are alive, and those that succeeded where they still count."""
    running: int
    queue: str
    priority_class: str
    owner: OwnerRef | None
    created: str
    object: Json

    @property
    def owner_text(self) -> str:
        return f"{self.owner.kind.kind}/{self.owner.name}" if self.owner else ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which groups are wanted; what is empty chooses all of them."""

    names: frozenset[str] = frozenset()
    owned_by: frozenset[str] | None = None
    """Uids: an object and everything below it (`lineage`)."""

    def takes(self, entry: Entry) -> bool:
        if self.names and entry.ref.name not in self.names:
            return False
        owners = {owner.uid for owner in owner_refs(entry.object)}
        return self.owned_by is None or not owners.isdisjoint(self.owned_by)


def lineage(root: str, objects: Iterable[Json]) -> frozenset[str]:
    """The uid of an object and those of everything below it, whatever the order of the objects."""
    below: dict[str, list[str]] = {}
    for obj in objects:
        for owner in owner_refs(obj):
            below.setdefault(owner.uid, []).append(uid(obj))
    found = {root}
    level = [root]
    while level:
        level = [child for parent in level for child in below.get(parent, ()) if child not in found]
        found.update(level)
    return frozenset(found)


def entries(
    groups: Iterable[Json], pods: Iterable[Pod], profiles: Iterable[Profile], choice: Choice | None = None
) -> tuple[Entry, ...]:
    """An entry for each chosen group that one of the profiles reads, by namespace and name."""
    dialects = {profile.dialect.kind: profile.dialect for profile in profiles}
    pods = tuple(pods)
    members = {kind: pods_by_group(pods, dialect) for kind, dialect in dialects.items()}
    found = (
        _entry(group, members[kind_of(group)], dialects[kind_of(group)])
        for group in groups
        if kind_of(group) in dialects
    )
    choice = choice or Choice()
    return tuple(sorted(filter(choice.takes, found), key=_place))


def _entry(group: Json, members: Mapping[tuple[str, str], tuple[Pod, ...]], dialect: Dialect) -> Entry:
    ref = ref_of(group)
    gang = gang_of(group, members.get((ref.namespace, ref.name), ()), dialect)
    owners = owner_refs(group)
    return Entry(
        ref,
        dialect.name,
        str(shown_phase(dialect.lifecycle.read(group), gang)),
        floor_shown(gang.floors),
        _have(gang),
        gang.whole.running,
        text(group, "spec.queue"),
        text(group, "spec.priorityClassName"),
        controller_ref(owners) or (owners[0] if owners else None),
        text(group, "metadata.creationTimestamp"),
        group,
    )


def floor_shown(floors: Floors) -> int:
    """One number for what may be a tree: the floor of the whole, or what its parts ask for together."""
    if floors.parts and not floors.total_counts:
        return sum(part.floor or 0 for part in floors.parts)
    return floors.floor


def _have(gang: Gang) -> int:
    return gang.whole.live + (gang.whole.succeeded if gang.floors.succeeded_count else 0)


def _place(entry: Entry) -> tuple[str, str, str]:
    return (entry.ref.namespace, entry.ref.name, entry.scheduler)
