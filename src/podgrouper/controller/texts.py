"""What is kept of an object: the text that policies may read, and nothing else.

An object is JSON text, trimmed when it arrives and decoded when somebody asks: text is a tenth of what
dicts take, and the garbage collector of Python does not look into it. Objects of one template differ in
their metadata only; the rest of their text is kept once.
"""

from dataclasses import dataclass

import msgspec

from podgrouper.controller.identities import Identity, Spot, life_of, spelled
from podgrouper.core.difference import entries_of
from podgrouper.core.fields import mapping
from podgrouper.core.model import Json
from podgrouper.core.trimming import trimmed

DECODED_LIMIT = 512
DECODED_BYTES = 16 << 20
"""Of text. As objects they take ten times that."""
COMMON_LIMIT = 256
"""Objects of one template come one after the other, in lists as in life."""
COMMON_BYTES = 32 << 10
"""A text that is longer goes with its object."""
VOLATILE = frozenset({"resourceVersion", "generation"})
"""Changes with every status update of whoever owns the object; no reason to look at its pods again."""
BESIDE = frozenset({"namespace", "name", "uid"})
"""Known from where the object stands."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An object as text. Its version stands beside it, so that texts of equal meaning are equal."""

    identity: Identity
    metadata: bytes
    """Without what stands beside it and in the object's place."""
    common: bytes
    """Everything else, and who wrote which fields."""
    status: bytes = b""
    """Beside the text, because it changes often and decides nothing. Only where somebody looks after it."""

    @property
    def uid(self) -> str:
        return spelled(self.identity)[0]

    @property
    def version(self) -> str:
        return spelled(self.identity)[1]

    @property
    def meaning(self) -> tuple[object, ...]:
        """Equal where nothing changed that somebody reads."""
        return (life_of(self.identity), self.metadata, self.common)


class Texts:
    """Turns objects of one kind into text and text into objects."""

    def __init__(self, paths: frozenset[str], managers: frozenset[str], *, with_status: bool) -> None:
        self._paths = paths
        self._managers = managers
        self._keeps_status = with_status
        self._decoded: dict[Spot, Json] = {}
        self._decoded_bytes = 0
        """Read since it was empty: what was dropped meanwhile still counts."""
        self._commons: dict[bytes, tuple[bytes, Json]] = {}
        """Text, kept once, and what it says."""

    def kept(self, obj: Json, held: Identity) -> Kept:
        common = dict(trimmed(obj, self._paths))
        metadata = mapping(common, "metadata")
        own = {key: metadata[key] for key in metadata.keys() - VOLATILE - BESIDE}
        common["metadata"] = {}
        if self._managers:
            common.pop("status", None)
            common["metadata"] = {"managedFields": entries_of(obj, self._managers)}
        status = msgspec.json.encode(obj["status"]) if self._keeps_status and "status" in obj else b""
        return Kept(held, _encoded(own), self._shared(_encoded(common)), status)

    def read(self, spot: Spot, kept: Kept) -> Json:
        """The object. Whoever asks again soon gets the same one."""
        found = self._decoded.get(spot)
        if found is None:
            found = self._object(spot, kept)
            size = len(kept.metadata) + len(kept.common)
            self._decoded_bytes += size
            if len(self._decoded) >= DECODED_LIMIT or self._decoded_bytes > DECODED_BYTES:
                self._decoded.clear()
                self._decoded_bytes = size
            self._decoded[spot] = found
        return found

    def forget(self, spot: Spot) -> None:
        """The object there is another one now."""
        self._decoded.pop(spot, None)

    def _object(self, spot: Spot, kept: Kept) -> Json:
        uid, version = spelled(kept.identity)
        namespace = {"namespace": spot[0]} if spot[0] else {}
        common = self._said(kept.common)
        metadata = {
            **msgspec.json.decode(kept.metadata),
            **mapping(common, "metadata"),
            **namespace,
            "name": spot[1],
            "uid": uid,
            "resourceVersion": version,
        }
        return {**common, "metadata": metadata}

    def _shared(self, text: bytes) -> bytes:
        return text if len(text) > COMMON_BYTES else self._common(text)[0]

    def _said(self, text: bytes) -> Json:
        said: Json = msgspec.json.decode(text) if len(text) > COMMON_BYTES else self._common(text)[1]
        return said

    def _common(self, text: bytes) -> tuple[bytes, Json]:
        found = self._commons.get(text)
        if found is None:
            if len(self._commons) >= COMMON_LIMIT:
                self._commons.clear()
            found = self._commons[text] = (text, msgspec.json.decode(text))
        return found


def _encoded(value: Json) -> bytes:
    return msgspec.json.encode(value, order="deterministic")
