"""What a watch sends, line by line: a pure step from what happened since to bytes.

A feed keeps no queue: it knows how far it came and reads the store's history from there. One that is
too far behind is told so (410) and ended, like a watcher that a real server gives up on.
"""

from collections.abc import Iterator

from podgrouper.core.fields import mapping, text
from podgrouper.core.model import Json
from podgrouper.memory.history import Change, Event
from podgrouper.memory.refusals import Refused
from podgrouper.memory.resources import Resource
from podgrouper.memory.selectors import Selector, selector
from podgrouper.memory.store import Store, in_version
from podgrouper.memory.writing import with_metadata
from podgrouper.sandbox.forms import Form, encoded, object_form
from podgrouper.sandbox.options import ListOptions, too_large

_END_OF_LIST = {"k8s.io/initial-events-end": "true"}


class Feed:
    """One watch of one collection. Ended: nothing more will come."""

    def __init__(
        self, store: Store, resource: Resource, namespace: str, options: ListOptions, form: Form
    ) -> None:
        self._store = store
        self._resource = resource
        self._namespace = namespace
        self._options = options
        self._form = form
        self._selector = selector(resource, options.labels, options.fields)
        self._version = 0
        self.seconds = options.seconds
        """How long it lasts; 0 leaves that to whoever sends it."""
        self.ended = False

    def beginning(self) -> bytes:
        """What there is already, if it was asked for; or what happened since the version asked for."""
        options = self._options
        asked = options.version or 0
        self._version = self._store.version
        if asked > self._store.version and options.initial_events:
            return self._error(too_large(asked, self._store.version))
        if options.initial_events:
            lines = [*self._everything()]
            if options.bookmarks:
                lines.append(self._line("BOOKMARK", self._mark(_END_OF_LIST)))
            return b"".join(lines)
        if asked == 0:
            return b"".join(self._everything())
        self._version = asked
        return self.news()

    def news(self) -> bytes:
        """What happened since this was asked last."""
        if self._version > self._store.version:
            return b""
        try:
            events = self._store.events(self._version)
        except Refused as refused:
            return self._error(refused)
        self._version = self._store.version
        return b"".join(line for event in events for line in self._lines_of(event))

    def bookmark(self) -> bytes:
        """How far this came, for clients that want to know."""
        return self._line("BOOKMARK", self._mark({})) if self._options.bookmarks and not self.ended else b""

    def _everything(self) -> Iterator[bytes]:
        for obj in self._store.list(
            self._resource.kind, self._namespace, labels=self._options.labels, fields=self._options.fields
        ):
            yield self._line(Change.ADDED, obj)

    def _lines_of(self, event: Event) -> Iterator[bytes]:
        if event.resource.storage != self._resource.storage:
            return
        if self._namespace and text(event.object, "metadata.namespace") != self._namespace:
            return
        seen = _visible(event, self._selector)
        if seen is not None:
            change, obj = seen
            yield self._line(change, in_version(obj, self._resource))

    def _mark(self, annotations: dict[str, str]) -> Json:
        metadata: dict[str, object] = {"resourceVersion": str(self._version), "creationTimestamp": None}
        if annotations:
            metadata["annotations"] = annotations
        return {
            "kind": self._resource.kind.kind,
            "apiVersion": self._resource.kind.api_version,
            "metadata": metadata,
        }

    def _error(self, refused: Refused) -> bytes:
        self.ended = True
        return encoded({"type": "ERROR", "object": refused.json}) + b"\n"

    def _line(self, change: str, obj: Json) -> bytes:
        return encoded({"type": change, "object": object_form(obj, self._form)}) + b"\n"


def _visible(event: Event, wanted: Selector) -> tuple[Change, Json] | None:
    """What a watcher with this selector sees of a write.

    Leaving the selector is a deletion to it: the old content under the new resourceVersion.
    """
    if not wanted:
        return event.change, event.object
    before = event.previous is not None and wanted.matches(event.previous)
    after = event.change is not Change.DELETED and wanted.matches(event.object)
    if after:
        return (Change.MODIFIED if before else Change.ADDED), event.object
    if not before or event.previous is None:
        return None
    version = mapping(event.object, "metadata").get("resourceVersion")
    last = (
        event.object
        if event.change is Change.DELETED
        else with_metadata(event.previous, resourceVersion=version)
    )
    return Change.DELETED, last
