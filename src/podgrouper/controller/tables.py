"""What is kept of the objects of one kind: the text that policies may read, and nothing else.

An object is JSON text, trimmed when it arrives and decoded when somebody asks: text is a tenth of what
dicts take, and the garbage collector of Python does not look into it. Objects of one template differ in
their metadata only; the rest of their text is kept once.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from weakref import WeakValueDictionary

import msgspec

from podgrouper.core.difference import entries_of
from podgrouper.core.fields import mapping, ref_of, text
from podgrouper.core.model import Ending, Json, Kind
from podgrouper.core.names import can_be_meant
from podgrouper.core.trimming import trimmed

Spot = tuple[str, str]
"""Namespace and name; no namespace for a cluster-scoped object."""
DECODED_LIMIT = 512
DECODED_BYTES = 16 << 20
"""Of text. As objects they take ten times that."""
PROOFS_LIMIT = 50_000
COMMON_LIMIT = 256
"""Objects of one template come one after the other, in lists as in life."""
COMMON_BYTES = 32 << 10
"""A text that is longer goes with its object."""
VOLATILE = frozenset({"resourceVersion", "generation"})
"""Changes with every status update of whoever owns the object; no reason to look at its pods again."""
BESIDE = frozenset({"namespace", "name", "uid"})
"""Known from where the object stands."""


class State(Enum):
    """How much is known about the objects of a kind."""

    UNKNOWN = "nobody has looked yet"
    LISTED = "all of them are here, and a watch keeps them so"
    READ_ONE_BY_ONE = "they may be got but not listed"
    NOT_SERVED = "the API server does not know the kind"


@dataclass(frozen=True, slots=True)
class Kept:
    """An object as text. Its version stands beside it, so that texts of equal meaning are equal."""

    uid: str
    version: str
    metadata: bytes
    """Without what stands beside it and in the object's place."""
    common: bytes
    """Everything else, and who wrote which fields."""
    status: bytes = b""
    """Beside the text, because it changes often and decides nothing. Only where somebody looks after it."""


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
        self._managers = managers
        self._keeps_status = with_status
        self._rows: dict[Spot, Kept] = {}
        self._decoded: dict[Spot, Json] = {}
        self._decoded_bytes = 0
        """Read since it was empty: what was dropped meanwhile still counts."""
        self._commons: dict[bytes, tuple[bytes, Json]] = {}
        """Text, kept once, and what it says."""
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
            return self._read(spot, kept)
        proof = self._proofs.get((*spot, uid))
        if proof is None:
            return Ending.UNSEEN
        return Ending.OTHER_UID if kept else proof

    def here(self, namespace: str, name: str) -> Json | None:
        """The object of that name, if it is here."""
        spot = self.spot(namespace, name)
        kept = self._rows.get(spot)
        return self._read(spot, kept) if kept else None

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
        self._decoded.pop(spot, None)
        self.unconfirmed.discard(spot)

    def prove_absent(self, namespace: str, name: str, uid: str) -> None:
        """Somebody looked: there is no object of that name and life. A uid never comes back.

        Where that life is known to be lived in another namespace, the reference is wrong, not too old.
        """
        elsewhere = bool(uid) and any(kept.uid == uid for kept in self._rows.values())
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
        ref = ref_of(obj)
        spot = (ref.namespace, ref.name)
        version = text(obj, "metadata.resourceVersion")
        before = self._rows.get(spot)
        if before and (version, ref.uid) == (before.version, before.uid):
            return False
        if before and 0 < number(version) < number(before.version):
            return False
        kept = self._kept(obj, ref.uid, version)
        self._rows[spot] = kept
        self._proofs.pop((*spot, ""), None)
        self._decoded.pop(spot, None)
        if self._awaited and (event := self._awaited.pop(spot, None)):
            event.set()
        return before is None or _meaning(before) != _meaning(kept)

    def _kept(self, obj: Json, uid: str, version: str) -> Kept:
        common = dict(trimmed(obj, self.paths))
        metadata = mapping(common, "metadata")
        own = {key: metadata[key] for key in metadata.keys() - VOLATILE - BESIDE}
        common["metadata"] = {}
        if self._managers:
            common.pop("status", None)
            common["metadata"] = {"managedFields": entries_of(obj, self._managers)}
        status = msgspec.json.encode(obj["status"]) if self._keeps_status and "status" in obj else b""
        text = _encoded(common)
        shared = text if len(text) > COMMON_BYTES else self._common(text)[0]
        return Kept(uid, version, _encoded(own), shared, status)

    def _common(self, text: bytes) -> tuple[bytes, Json]:
        if len(text) > COMMON_BYTES:
            return text, msgspec.json.decode(text)
        found = self._commons.get(text)
        if found is None:
            if len(self._commons) >= COMMON_LIMIT:
                self._commons.clear()
            found = self._commons[text] = (text, msgspec.json.decode(text))
        return found

    def _read(self, spot: Spot, kept: Kept) -> Json:
        found = self._decoded.get(spot)
        if found is None:
            common = self._common(kept.common)[1]
            metadata = {
                **msgspec.json.decode(kept.metadata),
                **mapping(common, "metadata"),
                "name": spot[1],
                "uid": kept.uid,
                "resourceVersion": kept.version,
            }
            if spot[0]:
                metadata["namespace"] = spot[0]
            size = len(kept.metadata) + len(kept.common)
            self._decoded_bytes += size
            if len(self._decoded) >= DECODED_LIMIT or self._decoded_bytes > DECODED_BYTES:
                self._decoded.clear()
                self._decoded_bytes = size
            found = self._decoded[spot] = {**common, "metadata": metadata}
        return found


def _meaning(kept: Kept) -> tuple[object, ...]:
    return (kept.uid, kept.metadata, kept.common)


def _encoded(value: Json) -> bytes:
    return msgspec.json.encode(value, order="deterministic")


def _spot(obj: Json) -> Spot:
    return (text(obj, "metadata.namespace"), text(obj, "metadata.name"))


def number(version: str) -> int:
    """A resourceVersion as the number that it is on every API server we know; 0 when it is none."""
    return int(version) if version.isascii() and version.isdigit() and len(version) < 20 else 0
