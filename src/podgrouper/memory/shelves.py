"""Where the objects stand: by resource, namespace and name, with one version for every write.

Knows nothing of rules. Tells everybody who listens, in order, and remembers what it told.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from podgrouper.core.fields import text
from podgrouper.core.model import Json
from podgrouper.memory.history import Change, Event, History
from podgrouper.memory.resources import Resource
from podgrouper.memory.writing import with_metadata

Place = tuple[str, str]
"""Namespace and name; the namespace of cluster-scoped objects is empty."""
Listener = Callable[[Event], None]

_NOTHING: Mapping[Place, Json] = MappingProxyType({})


class Shelves:
    """Objects as they are kept, in the version in which they were written last."""

    def __init__(self, history: int) -> None:
        self.version = 0
        """The resourceVersion of the last write."""
        self.history = History(history)
        self._objects: dict[tuple[str, str], dict[Place, Json]] = {}
        self._listeners: list[Listener] = []
        self._untold: deque[Event] = deque()

    def of(self, resource: Resource) -> Mapping[Place, Json]:
        return self._objects.get(resource.storage, _NOTHING)

    def storages(self) -> Iterable[tuple[str, str]]:
        return tuple(self._objects)

    def keep(self, resource: Resource, obj: Json, previous: Json | None) -> Json:
        """Keeps the object under the next version, which it carries unless it brings one of its own."""
        self.version += 1
        self._objects.setdefault(resource.storage, {})[place_of(obj, resource)] = obj
        change = Change.ADDED if previous is None else Change.MODIFIED
        self._tell(Event(self.version, change, resource, obj, previous))
        return obj

    def remove(self, resource: Resource, obj: Json) -> Json:
        """Takes it away; its last state gets the version of its removal."""
        self.version += 1
        previous = self._objects[resource.storage].pop(place_of(obj, resource))
        last = with_metadata(obj, resourceVersion=str(self.version))
        self._tell(Event(self.version, Change.DELETED, resource, last, previous))
        return last

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls back at every write, in order, before the write returns. Gives the way to stop it.

        A listener may write: what that brings about is told after the event at hand.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self, event: Event) -> None:
        self.history.record(event)
        self._untold.append(event)
        if len(self._untold) > 1:
            return
        while self._untold:
            for listener in tuple(self._listeners):
                listener(self._untold[0])
            self._untold.popleft()


def place(resource: Resource, namespace: str, name: str) -> Place:
    return (namespace if resource.namespaced else "", name)


def place_of(obj: Json, resource: Resource) -> Place:
    return place(resource, text(obj, "metadata.namespace"), text(obj, "metadata.name"))
