"""When pods were first seen, and when with a link: what a third party can say about a linker. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec


class Metadata(msgspec.Struct, gc=False):
    namespace: str = ""
    name: str = ""
    annotations: dict[str, str] = {}


class Object(msgspec.Struct, gc=False):
    metadata: Metadata = msgspec.field(default_factory=Metadata)


class Event(msgspec.Struct, gc=False):
    type: str
    object: Object


@dataclass(slots=True)
class Sighting:
    """One pod. `linked` is 0 until it is."""

    seen: float
    linked: float = 0.0


class Sightings:
    """Fed with the lines of a watch and the time at which they came."""

    def __init__(self, link: str) -> None:
        self._link = link
        self._decoder = msgspec.json.Decoder(Event)
        self._pods: defaultdict[str, dict[str, Sighting]] = defaultdict(dict)
        """By namespace, then by name."""

    def take(self, lines: bytes, at: float) -> None:
        for event in self._decoder.decode_lines(lines):
            self._take(event.type, event.object.metadata, at)

    def of(self, namespace: str, beginning: str = "") -> Iterator[tuple[str, Sighting]]:
        """Pods by name, of those whose names begin so."""
        for name, sighting in self._pods[namespace].items():
            if name.startswith(beginning):
                yield name, sighting

    def linked(self, namespace: str, beginning: str = "") -> Sequence[Sighting]:
        return [sighting for _, sighting in self.of(namespace, beginning) if sighting.linked]

    def _take(self, change: str, metadata: Metadata, at: float) -> None:
        """Bookmarks, and errors that end a watch, say nothing about a pod."""
        pods = self._pods[metadata.namespace]
        match change:
            case "ADDED" | "MODIFIED":
                sighting = pods.setdefault(metadata.name, Sighting(at))
                if not sighting.linked and self._link in metadata.annotations:
                    sighting.linked = at
            case "DELETED":
                pods.pop(metadata.name, None)
