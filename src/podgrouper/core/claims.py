"""Which boundary shapes a group, when several name it.

A Spark application that is tried again names the group of its first driver; two owners may be given one
name by their labels. The older boundary decides what the group looks like, the others only link to it:
so the outcome does not depend on who was looked at last.
"""

from collections.abc import Iterable

from podgrouper.core.groups import Decision
from podgrouper.core.model import Key
from podgrouper.core.precedents import Name, Precedents


class Claims:
    """What every key named when it was decided last, and what binds whoever shapes a group."""

    def __init__(self) -> None:
        self.precedents = Precedents()
        self._by_group: dict[Name, dict[Key, str]] = {}
        self._by_key: dict[Key, frozenset[Name]] = {}

    def stake(self, decision: Decision) -> frozenset[Key]:
        """Remembers what this decision names. Gives the other keys that shape something else now."""
        key = decision.key
        named = frozenset((key.profile, group.namespace, group.name) for group in decision.grouping.groups)
        moved = self._drop(key, self._by_key.get(key, frozenset()) - named)
        for name in named:
            rivals = self._by_group.setdefault(name, {})
            before = _first(rivals)
            rivals[key] = decision.age
            moved |= _others(before, _first(rivals), key)
        if named:
            self._by_key[key] = named
        else:
            self._by_key.pop(key, None)
        return frozenset(moved)

    def release(self, key: Key) -> frozenset[Key]:
        """The key is no more. Gives those that shape something now because of it."""
        return frozenset(self._drop(key, self._by_key.pop(key, frozenset())))

    def shapes(self, key: Key, namespace: str, name: str) -> bool:
        """Whether this key is the one that decides what the group looks like."""
        rivals = self._by_group.get((key.profile, namespace, name), {})
        return _first(rivals) in (key, None)

    def named(self, profile: str, namespace: str, name: str) -> bool:
        """Whether any key has pods for that group."""
        return bool(self._by_group.get((profile, namespace, name)))

    def _drop(self, key: Key, names: Iterable[Name]) -> set[Key]:
        moved: set[Key] = set()
        for name in names:
            rivals = self._by_group[name]
            before = _first(rivals)
            rivals.pop(key, None)
            moved |= _others(before, _first(rivals), key)
            if not rivals:
                del self._by_group[name]
                self.precedents.forget(name)
        return moved


def _first(rivals: dict[Key, str]) -> Key | None:
    return min(rivals, key=lambda key: (rivals[key], key.uid)) if rivals else None


def _others(before: Key | None, after: Key | None, key: Key) -> set[Key]:
    return {one for one in (before, after) if one and one != key} if before != after else set()
