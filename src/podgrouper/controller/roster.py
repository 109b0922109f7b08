"""Which pods belong together: by their direct owners (families) and by their boundary (members).

Counts as pods come and go, so one event costs the same in a gang of ten and of ten thousand.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeAlias

from podgrouper.controller.bags import Bags
from podgrouper.controller.identities import Spot
from podgrouper.controller.store import Look, Place, PodQuery, carries
from podgrouper.core.model import Key, Kind, OwnerRef, Pod, Ref


@dataclass(frozen=True, slots=True)
class Family:
    """Pods of one namespace with the same direct owners: they have one chain. A pod without is alone."""

    profile: str
    namespace: str
    owners: tuple[OwnerRef, ...]
    uid: str = ""


Item: TypeAlias = Family | Key | Ref
"""What the queue holds: a family has its chain to find, a key has its changes to make, a group (`Ref`) is
looked after once it is made."""


def family_of(profile: str, pod: Pod) -> Family:
    return Family(profile, pod.namespace, pod.owners, "" if pod.owners else pod.uid)


class Roster:
    """Names of pods by family and by key; and the boundaries that keys stand for."""

    def __init__(self) -> None:
        self._families: Bags[Family, str] = Bags()
        self._members: Bags[Key, str] = Bags()
        self._keys: dict[str, dict[str, Key]] = {}
        self._boundaries: dict[Key, tuple[Key, Ref]] = {}
        """With the key itself: its pods share one."""
        self._homeless: Bags[str, str] = Bags()
        self._held: Bags[Key, Spot] = Bags()
        self._holding: dict[Spot, Key] = {}

    def families(self) -> tuple[Family, ...]:
        return tuple(self._families)

    def keys(self) -> tuple[Key, ...]:
        return tuple(self._boundaries)

    def boundary(self, key: Key) -> Ref | None:
        found = self._boundaries.get(key)
        return found[1] if found else None

    def members(self, key: Key) -> Collection[str]:
        return self._members.of(key)

    def of_family(self, family: Family) -> tuple[str, ...]:
        return tuple(self._families.of(family))

    def key_of(self, pod: Pod) -> Key | None:
        return self._keys.get(pod.namespace, {}).get(pod.name)

    def join(self, family: Family, pod: Pod) -> None:
        self._families.add(family, pod.name)

    def part(self, family: Family, pod: Pod) -> bool:
        """The pod is no longer of this family. True when it was the last one."""
        return self._families.discard(family, pod.name)

    def wait(self, pod: Pod) -> None:
        """Nobody knows yet where the pod belongs."""
        if self.key_of(pod) is None:
            self._homeless.add(pod.namespace, pod.name)

    def any_homeless(self, namespace: str) -> bool:
        """Some pod there waits for its place."""
        return namespace in self._homeless

    def settle(self, pod: Pod, key: Key | None, boundary: Ref | None) -> tuple[Key, ...]:
        """The pod belongs to this key, or to none. Gives the keys for which that is news."""
        before = self.key_of(pod)
        self._homeless.discard(pod.namespace, pod.name)
        if before and before != key:
            self._leave(before, pod)
        if key and boundary:
            key, _ = self._boundaries[key] = (self._boundaries.get(key, (key,))[0], boundary)
            self._members.add(key, pod.name)
            self._keys.setdefault(pod.namespace, {})[pod.name] = key
        return tuple(one for one in (before, key) if one) if before != key else ()

    def hold(self, key: Key, boundary: Ref, group: Spot) -> Key | None:
        """A PodGroup belongs to this boundary: it is looked after even without pods.

        Gives the key that looked after it until now.
        """
        before = self.let_go(group)
        self._boundaries.setdefault(key, (key, boundary))
        self._held.add(key, group)
        self._holding[group] = key
        return before

    def let_go(self, group: Spot) -> Key | None:
        """The PodGroup is gone. Gives the key that looked after it."""
        key = self._holding.pop(group, None)
        if key:
            self._held.discard(key, group)
        return key

    def idle(self, key: Key) -> bool:
        """The key has neither pods nor a group to look after."""
        return key not in self._members and key not in self._held

    def drop(self, key: Key) -> None:
        """Forgets an idle key."""
        self._boundaries.pop(key, None)

    def _leave(self, key: Key, pod: Pod) -> None:
        self._members.discard(key, pod.name)
        rows = self._keys.get(pod.namespace, {})
        rows.pop(pod.name, None)
        if not rows:
            self._keys.pop(pod.namespace, None)


class Dependencies:
    """Which items looked at what, when they were looked at last: they run again when it changes."""

    def __init__(self) -> None:
        self._places: dict[Item, tuple[Place, ...]] = {}
        self._at: dict[Kind, Bags[Spot, Item]] = {}
        self._queries: dict[Item, tuple[PodQuery, ...]] = {}
        self._asking: dict[str, Bags[PodQuery, Item]] = {}

    def note(self, item: Item, look: Look) -> None:
        """Replaces what was noted of the item."""
        places = tuple(look.places)
        if self._places.get(item, ()) != places:
            self._forget_places(item)
            self._places[item] = places
            for kind, namespace, name in places:
                self._at.setdefault(kind, Bags()).add((namespace, name), item)
        if self._queries.get(item, ()) != tuple(look.queries):
            self._forget_queries(item)
            self._queries[item] = tuple(look.queries)
            for query in look.queries:
                self._asking.setdefault(query[0], Bags()).add(query, item)

    def forget(self, item: Item) -> None:
        self._forget_places(item)
        self._forget_queries(item)

    def at(self, kind: Kind, spot: Spot) -> tuple[Item, ...]:
        """Items that looked at this object."""
        return tuple(self._at[kind].of(spot)) if kind in self._at else ()

    def on(self, kind: Kind) -> tuple[Item, ...]:
        """Items that looked at anything of this kind."""
        places = self._at.get(kind, Bags())
        return tuple(dict.fromkeys(item for spot in places for item in places.of(spot)))

    def spots(self, kind: Kind) -> tuple[Spot, ...]:
        """What somebody looks at of this kind, whether it exists or not."""
        return tuple(self._at.get(kind, ()))

    def asking_for(self, pod: Pod) -> tuple[Item, ...]:
        """Items that looked for pods with labels that this one has."""
        queries = self._asking.get(pod.namespace)
        if not queries:
            return ()
        return tuple(item for query in queries if carries(pod, query[1]) for item in queries.of(query))

    def _forget_places(self, item: Item) -> None:
        for kind, namespace, name in self._places.pop(item, ()):
            inside = self._at[kind]
            inside.discard((namespace, name), item)
            if not inside:
                del self._at[kind]

    def _forget_queries(self, item: Item) -> None:
        for query in self._queries.pop(item, ()):
            inside = self._asking[query[0]]
            inside.discard(query, item)
            if not inside:
                del self._asking[query[0]]
