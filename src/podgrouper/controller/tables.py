"""The objects of one kind: which of them are here, which are proven gone, and how sure that is."""

import asyncio
from collections.abc import Iterable
from enum import Enum
from sys import intern
from weakref import WeakValueDictionary

import msgspec

from podgrouper.controller.identities import Spot, identity, life_of
from podgrouper.controller.texts import Kept, Texts
from podgrouper.core.fields import ref_of, text
from podgrouper.core.model import Ending, Json, Kind
from podgrouper.core.names import can_be_meant

PROOFS_LIMIT = 50_000


class State(Enum):
    """How much is known about the objects of a kind."""

    UNKNOWN = "nobody has looked yet"
    LISTED = "all of them are here, and a watch keeps them so"
    READ_ONE_BY_ONE = "they may be got but not listed"
    NOT_SERVED = "the API server does not know the kind"


class Table:
    """The objects of one kind.

    Older news never overwrites newer: versions of one kind are numbers that grow, whichever of the watch
    and our own writes brings them.
    """

    def __init__(
        self,
        kind: Kind,
        paths: Iterable[str],
        managers: frozenset[str] = frozenset(),
        *,
        with_status: bool = False,
    ) -> None:
        self.kind = kind
        self.paths = frozenset(paths)
        self.state = State.UNKNOWN
        self.namespaced = True
        self._texts = Texts(self.paths, managers, with_status=with_status)
        self._rows: dict[Spot, Kept] = {}
        self._proofs: dict[tuple[str, str, str], Ending] = {}
        self._newest: dict[str, int] = {}
        self._awaited: WeakValueDictionary[Spot, asyncio.Event] = WeakValueDictionary()
        """As long as somebody waits."""
        self.unconfirmed: set[Spot] = set()
        """What only answers of our own requests brought so far: no listing has shown it."""
        self.forbidden_in: set[str] = set()
        """Namespaces in which the objects may not even be read one by one."""
        self.doubts = 0
        """How often there was reason to look anew for what had been missing."""

    def __len__(self) -> int:
        return len(self._rows)

    def spots(self) -> tuple[Spot, ...]:
        return tuple(self._rows)

    def version(self, spot: Spot) -> str:
        """Of the object there; empty when there is none."""
        kept = self._rows.get(spot)
        return kept.version if kept else ""

    async def arrival(self, spot: Spot, seconds: float) -> bool:
        """Waits until news of the object come in; whether they did in time."""
        came = self._awaited.setdefault(spot, asyncio.Event())
        try:
            async with asyncio.timeout(seconds):
                await came.wait()
        except TimeoutError:
            return False
        return True

    def spot(self, namespace: str, name: str) -> Spot:
        """Where an object is that is spoken of from inside a namespace."""
        return (namespace if self.namespaced else "", name)

    def look(self, namespace: str, name: str, uid: str = "") -> Json | Ending:
        """The object of that name and life, or why it cannot be had."""
        if not can_be_meant(name, uid):
            return Ending.MISSING
        if self.state is State.NOT_SERVED:
            return Ending.UNKNOWN_KIND
        spot = self.spot(namespace, name)
        if spot[0] in self.forbidden_in and self.state is State.READ_ONE_BY_ONE:
            return Ending.FORBIDDEN
        kept = self._rows.get(spot)
        if kept and uid in ("", kept.uid):
            return self._texts.read(spot, kept)
        proof = self._proofs.get((*spot, uid))
        if proof is None:
            return Ending.UNSEEN
        return Ending.OTHER_UID if kept else proof

    def here(self, namespace: str, name: str) -> Json | None:
        """The object of that name, if it is here."""
        spot = self.spot(namespace, name)
        kept = self._rows.get(spot)
        return self._texts.read(spot, kept) if kept else None

    def with_status(self, namespace: str, name: str) -> Json | None:
        """As `here`, with the status that stands beside it."""
        kept, found = self._rows.get(self.spot(namespace, name)), self.here(namespace, name)
        if kept is None or found is None or not kept.status:
            return found
        return {**found, "status": msgspec.json.decode(kept.status)}

    def put(self, obj: Json) -> bool:
        """Takes news from the watch. True when it means something new."""
        self._passed(obj)
        if self.unconfirmed:
            self.unconfirmed.discard(_spot(obj))
        return self._put(obj)

    def put_answer(self, obj: Json) -> bool:
        """Takes the answer of a request of ours. One that the watch has passed already says nothing new, as
        long as everything that it showed is kept.

        Counted for each namespace, because each may have a watch of its own.
        """
        ref = ref_of(obj)
        version = number(text(obj, "metadata.resourceVersion"))
        passed = self.state is State.LISTED and 0 < version <= self._newest.get(ref.namespace, 0)
        if (ref.namespace, ref.name) not in self._rows:
            if passed:
                return False
            if self.state is State.LISTED:
                self.unconfirmed.add((ref.namespace, ref.name))
        return self._put(obj)

    def remove(self, obj: Json) -> bool:
        """The watch says that the object is gone. False when what is here is younger."""
        ref = ref_of(obj)
        version = self._passed(obj)
        kept = self._rows.get((ref.namespace, ref.name))
        if kept is None or (kept.uid != ref.uid and number(kept.version) > version):
            return False
        self.drop((ref.namespace, ref.name))
        return True

    def drop(self, spot: Spot, uid: str = "") -> None:
        """The object is proven gone; with a uid only that life of it, and a later namesake stays."""
        kept = self._rows.get(spot)
        if kept and uid not in ("", kept.uid):
            self._prove(spot, uid, Ending.MISSING)
            return
        self.forget(spot)
        if kept:
            self._prove(spot, kept.uid, Ending.MISSING)

    def forget(self, spot: Spot) -> None:
        """Nothing is known of the object any more."""
        self._rows.pop(spot, None)
        self._texts.forget(spot)
        self.unconfirmed.discard(spot)

    def prove_absent(self, namespace: str, name: str, uid: str) -> None:
        """Somebody looked: there is no object of that name and life. A uid never comes back.

        Where that life is known to be lived in another namespace, the reference is wrong, not too old.
        """
        life = life_of(identity(uid, "0"))
        elsewhere = bool(uid) and any(life_of(kept.identity) == life for kept in self._rows.values())
        self._prove(self.spot(namespace, name), uid, Ending.ELSEWHERE if elsewhere else Ending.MISSING)

    def doubt(self, spot: Spot) -> None:
        """Somebody names it: what was missing when it was looked for may have come since."""
        if spot not in self._rows:
            self._proofs.pop((*spot, ""), None)
            self.doubts += 1

    def _prove(self, spot: Spot, uid: str, ending: Ending) -> None:
        if len(self._proofs) > PROOFS_LIMIT:
            self._proofs.clear()
        self._proofs[*spot, uid] = ending

    def _passed(self, obj: Json) -> int:
        """Notes how far the watch has come. Gives the object's version as a number."""
        version = number(text(obj, "metadata.resourceVersion"))
        namespace = text(obj, "metadata.namespace")
        self._newest[namespace] = max(self._newest.get(namespace, 0), version)
        return version

    def _put(self, obj: Json) -> bool:
        spot, version = _spot(obj), text(obj, "metadata.resourceVersion")
        held = identity(text(obj, "metadata.uid"), version)
        before = self._rows.get(spot)
        if before and (before.identity == held or 0 < number(version) < number(before.version)):
            return False
        kept = self._texts.kept(obj, held)
        self._rows[intern(spot[0]), spot[1]] = kept
        self._proofs.pop((*spot, ""), None)
        self._texts.forget(spot)
        if self._awaited and (event := self._awaited.pop(spot, None)):
            event.set()
        return before is None or before.meaning != kept.meaning


def _spot(obj: Json) -> Spot:
    return (text(obj, "metadata.namespace"), text(obj, "metadata.name"))


def number(version: str) -> int:
    """A resourceVersion as the number that it is on every API server we know; 0 when it is none."""
    return int(version) if version.isascii() and version.isdigit() and len(version) < 20 else 0
