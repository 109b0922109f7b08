"""How failures stay where they belong: with the pod, or with the part of a workload, that caused them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from podgrouper.core.groups import Grouping, Placement, Unplaced
from podgrouper.core.model import Member, Pod, Skip
from podgrouper.core.reasons import Reason
from podgrouper.policies.kai.values import BadValue


@dataclass(frozen=True, slots=True)
class Seated:
    """Members with a place in their group, and those whose own labels forbid one."""

    members: tuple[Member, ...]
    placements: tuple[Placement, ...]
    unplaced: tuple[Unplaced, ...]

    @property
    def by_part(self) -> Mapping[str, tuple[Member, ...]]:
        """Part -> its members, in the order in which parts first appear."""
        found: dict[str, list[Member]] = {}
        for member, placement in zip(self.members, self.placements, strict=True):
            found.setdefault(placement.part, []).append(member)
        return {part: tuple(members) for part, members in found.items()}


def seated(members: Iterable[Member], part_of: Callable[[Pod], str]) -> Seated:
    """Gives every member its part. Pods fail one by one: one with a bad label takes no other along."""
    there: list[Member] = []
    placements: list[Placement] = []
    unplaced: list[Unplaced] = []
    for member in members:
        try:
            placements.append(Placement(member.pod, part_of(member.pod)))
            there.append(member)
        except BadValue as error:
            unplaced.append(Unplaced(member.pod, Skip(Reason.BAD_VALUE, str(error))))
    return Seated(tuple(there), tuple(placements), tuple(unplaced))


def attempted(members: Sequence[Member], group: Callable[[], Grouping]) -> Grouping:
    """What `group` makes of these members; all of them unplaced when it meets a value that it cannot use."""
    try:
        return group()
    except BadValue as error:
        return unplaced(members, Skip(Reason.BAD_VALUE, str(error)))


def unplaced(members: Iterable[Member], skip: Skip) -> Grouping:
    return Grouping(unplaced=tuple(Unplaced(member.pod, skip) for member in members))


def joined(groupings: Iterable[Grouping]) -> Grouping:
    """Several outcomes of one workload as one."""
    found = tuple(groupings)
    return Grouping(
        tuple(group for grouping in found for group in grouping.groups),
        tuple(entry for grouping in found for entry in grouping.unplaced),
        tuple(entry for grouping in found for entry in grouping.remarks),
        tuple(entry for grouping in found for entry in grouping.retired),
    )
