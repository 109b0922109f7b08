"""How a floor follows the course of a workload: the one place where floors change after the grouper.

KAI's scheduler counts living members only. A gang of four of which one has succeeded would wait for a
fourth for ever, so members that are done count no more. And a floor below zero is no floor. For a scheduler
that counts the succeeded itself, floors stay as they were asked for.
"""

from collections import Counter
from dataclasses import replace

from podgrouper.core.fields import integer, items, text
from podgrouper.core.groups import Group, Part, Placement
from podgrouper.core.model import Json, Pod
from podgrouper.policies.kai import keys


def settled(group: Group) -> Group:
    """The group with the floors that fit the members which are still to run.

    To be done once, with the floors of the grouper. How many parts are needed does not change.
    """
    by_part: dict[str, list[Placement]] = {}
    for placement in group.placements:
        by_part.setdefault(placement.part, []).append(placement)
    return replace(
        group,
        floor=_settled(group.floor, list(group.placements)),
        parts=tuple(_settled_part(part, by_part.get(part.name, [])) for part in group.parts),
    )


def never_negative(group: Group) -> Group:
    """The group as its grouper made it, without floors that are none."""

    def least(part: Part) -> Part:
        return replace(part, floor=_at_least_zero(part.floor))

    return replace(
        group,
        floor=_at_least_zero(group.floor),
        parts=tuple(map(least, group.parts)),
        roles=tuple(map(least, group.roles)),
    )


def _at_least_zero(floor: int | None) -> int | None:
    return None if floor is None else max(floor, 0)


def held_back(group: Group, live: Json | None, steps: frozenset[int] = frozenset()) -> Group:
    """The group with no floor above what runs, where that would be news to a gang that runs already.

    KAI evicts a running gang, after its grace, when a floor is raised above its active pods. So with running
    members a floor goes up only when that many of them run; with none it follows the workload at once. Only
    a member whose link stands counts: a group is written before the links to it, and KAI would miss it
    meanwhile. `steps` are floors that the kind leaves as a matter of course (a leader that waited for its
    workers).
    """
    active = [one for one in group.placements if _runs_in(group.name, one.pod)]
    if live is None or not active:
        return group
    running = Counter(one.part for one in active if one.pod.labels.get(keys.PART_OF_POD, "") == one.part)
    before = {text(entry, "name"): integer(entry, "minMember", 0) for entry in items(live, "spec.subGroups")}
    parts = (_held(part.floor, before.get(part.name, 0), running[part.name], steps) for part in group.parts)
    wanted = group.floor or 0
    floor = _held(group.floor, integer(live, "spec.minMember", wanted), len(active), steps)
    if not before:
        return replace(group, floor=floor)
    held = tuple(replace(part, floor=kept) for part, kept in zip(group.parts, parts, strict=True))
    return replace(group, floor=floor, parts=held)


def _runs_in(group: str, pod: Pod) -> bool:
    return pod.live and pod.phase == "Running" and pod.annotations.get(keys.GROUP_OF_POD) == group


def _held(floor: int | None, before: int, running: int, steps: frozenset[int]) -> int | None:
    if floor is None or floor <= max(before, running) or before in steps:
        return floor
    return before


def _settled_part(part: Part, placements: list[Placement]) -> Part:
    return replace(part, floor=_settled(part.floor, placements))


def _settled(floor: int | None, placements: list[Placement]) -> int | None:
    """Less the succeeded, but at least one while somebody lives, unless the floor itself asks for less."""
    if floor is None:
        return None
    count = Counter("live" if p.pod.live else p.pod.phase for p in placements)
    least = min(1, floor) if count["live"] else 0
    return max(floor - count["Succeeded"], least, 0)


def none_while_absent(part: Part, living: int) -> Part:
    """A part whose pods are made only later asks for none of them until one is there.

    KAI takes a group for stale when any leaf has fewer active pods than its floor, and evicts it.
    """
    return part if living else replace(part, floor=0)
