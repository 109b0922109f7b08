"""Which boundary shapes a group, when several name it.

A Spark application that is tried again names the group of its first driver; two owners may be given one
name by their labels. The older boundary decides what the group looks like, the others only link to it:
so the outcome does not depend on who was looked at last.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from podgrouper.core.groups import Decision
from podgrouper.core.model import Key
from podgrouper.core.precedents import Name, Precedents


class _Claim(NamedTuple):
    """One for all groups that a key names."""

    age: str
    uid: str
    key: Key


class Claims:
    """What every key named when it was decided last, and what binds whoever shapes a group."""

    def __init__(self) -> None:
        self.precedents = Precedents()
        self._by_group: dict[Name, tuple[_Claim, ...]] = {}
        """The oldest first."""
        self._by_key: dict[Key, tuple[Name, ...]] = {}

    def stake(self, decision: Decision) -> frozenset[Key]:
        """Remembers what this decision names. Gives the other keys that shape something else now."""
        key = decision.key
        claim = _Claim(decision.age, key.uid, key)
        named = dict.fromkeys(
            (key.profile, group.namespace, group.name) for group in decision.grouping.groups
        )
        moved = self._drop(key, [name for name in self._by_key.get(key, ()) if name not in named])
        for name in named:
            rivals = self._by_group.get(name, ())
            if claim not in rivals:
                moved |= self._put(name, key, sorted((*_without(rivals, key), claim)))
        if named:
            self._by_key[key] = tuple(named)
        else:
            self._by_key.pop(key, None)
        return frozenset(moved)

    def release(self, key: Key) -> frozenset[Key]:
        """The key is no more. Gives those that shape something now because of it."""
        return frozenset(self._drop(key, self._by_key.pop(key, ())))

    def shapes(self, key: Key, namespace: str, name: str) -> bool:
        """Whether this key is the one that decides what the group looks like."""
        rivals = self._by_group.get((key.profile, namespace, name))
        return not rivals or rivals[0].key == key

    def named(self, profile: str, namespace: str, name: str) -> bool:
        """Whether any key has pods for that group."""
        return (profile, namespace, name) in self._by_group

    def _drop(self, key: Key, names: Iterable[Name]) -> set[Key]:
        moved: set[Key] = set()
        for name in names:
            moved |= self._put(name, key, _without(self._by_group[name], key))
        return moved

    def _put(self, name: Name, key: Key, claims: Sequence[_Claim]) -> set[Key]:
        """Gives the others that shape the group no more, or only now."""
        before = self._by_group.pop(name, ())
        if claims:
            self._by_group[name] = tuple(claims)
        else:
            self.precedents.forget(name)
        first = {one[0].key if one else None for one in (before, claims)}
        return {one for one in first if one and one != key} if len(first) > 1 else set()


def _without(claims: tuple[_Claim, ...], key: Key) -> tuple[_Claim, ...]:
    return tuple(claim for claim in claims if claim.key != key)
