"""How a floor follows the course of a workload: the one place where floors change after the grouper.

KAI's scheduler counts living members only. A gang of four of which one has succeeded would wait for a
fourth for ever, so members that are done count no more. And a floor below zero is no floor.
"""

from collections import Counter
from dataclasses import replace

from podgrouper.core.model import Group, Part, Placement


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
