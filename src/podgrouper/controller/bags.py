"""Members by group, in little room: most groups have few members, and there are a hundred thousand groups."""

from collections.abc import Collection, Iterator
from typing import Generic, TypeVar

Group = TypeVar("Group")
Member = TypeVar("Member")

FEW = 16
"""So many stand in a tuple, which takes a fifth of a set of ten. More are a set: each costs the same."""


class Bags(Generic[Group, Member]):
    """No bag stays empty, and no member is in one twice."""

    __slots__ = ("_bags",)

    def __init__(self) -> None:
        self._bags: dict[Group, tuple[Member, ...] | set[Member]] = {}

    def __iter__(self) -> Iterator[Group]:
        return iter(self._bags)

    def __contains__(self, group: object) -> bool:
        return group in self._bags

    def __len__(self) -> int:
        return len(self._bags)

    def of(self, group: Group) -> Collection[Member]:
        """What is in the bag, in no order; not to be kept."""
        return self._bags.get(group, ())

    def add(self, group: Group, member: Member) -> None:
        bag = self._bags.get(group, ())
        if isinstance(bag, set):
            bag.add(member)
        elif member not in bag:
            self._bags[group] = {*bag, member} if len(bag) == FEW else (*bag, member)

    def discard(self, group: Group, member: Member) -> bool:
        """Takes a member out. True when it was the last one."""
        bag = self._bags.get(group)
        if bag is None or member not in bag:
            return False
        if len(bag) == 1:
            del self._bags[group]
            return True
        if isinstance(bag, set):
            bag.discard(member)
        else:
            self._bags[group] = tuple(one for one in bag if one != member)
        return False
