"""What happened, in order, as far back as anybody may still ask."""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from podgrouper.core.model import Json
from podgrouper.memory.refusals import expired
from podgrouper.memory.resources import Resource


class Change(StrEnum):
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


@dataclass(frozen=True, slots=True)
class Event:
    """One write. `object` is what it left, or of a deletion the last state under the deletion's version."""

    version: int
    change: Change
    resource: Resource
    object: Json
    previous: Json | None = None


class History:
    """A bounded past. Asking beyond it is an error, as it is after etcd was compacted."""

    def __init__(self, limit: int) -> None:
        self._events: deque[Event] = deque()
        self._limit = limit
        self._forgotten = 0
        """The version of the newest event that is not here any more."""

    def record(self, event: Event) -> None:
        self._events.append(event)
        if len(self._events) > self._limit:
            self._forgotten = self._events.popleft().version

    def since(self, version: int) -> list[Event]:
        """Everything after that version; raises `Refused` (410 Expired) when some of it is forgotten."""
        if version < self._forgotten:
            raise expired(version, self._forgotten)
        recent: list[Event] = []
        for event in reversed(self._events):
            if event.version <= version:
                break
            recent.append(event)
        return recent[::-1]

    def forget(self, version: int) -> None:
        """Forgets everything up to that version: whoever resumes from before it must list again."""
        while self._events and self._events[0].version <= version:
            self._events.popleft()
        self._forgotten = max(self._forgotten, version)
