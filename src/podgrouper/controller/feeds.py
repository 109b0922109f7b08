"""From the events of a watch to the store: what a relist does not show any more is gone, row by row."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence

from podgrouper.controller.identities import Spot
from podgrouper.controller.rights import level_of
from podgrouper.controller.tables import Table, number
from podgrouper.controller.triggers import Triggers
from podgrouper.core.fields import ref_of, text
from podgrouper.core.model import Json
from podgrouper.kube.errors import ApiError, Forbidden, NotAllowed, UnknownKind
from podgrouper.kube.watching import Event, Failing, Put, Recovered, Removed, Restarted, Synced

log = logging.getLogger(__name__)

_LOST = (Forbidden, NotAllowed, UnknownKind)
"""What a watch showed before such an answer is not kept up to date any more. Others pass."""


class Feed(ABC):
    """One watch. Subclasses say where its objects go; the order of calls is that of the events."""

    def __init__(self) -> None:
        self.synced = False
        self.error: ApiError | None = None
        self.first_answer = asyncio.Event()
        """Set when it is known how the watch stands: everything listed, or refused."""
        self._unseen: dict[str, set[str]] = {}
        """What was there when a listing began and has not come up in it: names by namespace."""

    def __call__(self, events: Sequence[Event]) -> None:
        """Never raises: an object that we fail at is one that we do not have, and no other suffers."""
        for event in events:
            try:
                self._take(event)
            except Exception:
                log.exception("%s: passed over", _named(event))

    @abstractmethod
    def put(self, obj: Json) -> None: ...

    @abstractmethod
    def removed(self, obj: Json) -> None: ...

    @abstractmethod
    def names(self) -> dict[str, set[str]]:
        """What the store has of this watch's scope, by namespace."""

    @abstractmethod
    def version(self, spot: Spot) -> str:
        """Of the object there, as the store has it; empty when it has none."""

    @abstractmethod
    def dropped(self, spot: Spot) -> None: ...

    def unconfirmed(self) -> Iterable[Spot]:
        """What only answers of our own requests brought so far."""
        return ()

    @abstractmethod
    def changed(self) -> None:
        """`synced` or `error` is another now."""

    def _take(self, event: Event) -> None:
        match event:
            case Put(obj):
                if self._unseen:
                    namespace, name = _spot(obj)
                    self._unseen.get(namespace, set()).discard(name)
                self.put(obj)
            case Removed(obj):
                self.removed(obj)
            case Restarted():
                self._unseen = self.names()
            case Synced(version):
                self._complete(version)
            case Failing(error):
                log.log(level_of(error, logging.WARNING), "%s", error)
                self.error = error
                self.synced = self.synced and not isinstance(error, _LOST)
                self._answered()
            case Recovered():
                log.log(level_of(self.error, logging.INFO), "works again: %s", self.error)
                self.error = None
                self.changed()

    def _complete(self, version: str) -> None:
        """What the listing did not show is gone, unless it is younger than the listing: a write of ours."""
        unseen, self._unseen = self._unseen, {}
        left = [(namespace, name) for namespace, names in unseen.items() for name in names]
        for spot in dict.fromkeys((*left, *self.unconfirmed())):
            found = self.version(spot)
            if found and not 0 < number(version) < number(found):
                self.dropped(spot)
        self.synced, self.error = True, None
        self._answered()

    def _answered(self) -> None:
        self.changed()
        self.first_answer.set()


class TableFeed(Feed):
    """A watch of one kind, in one namespace or in all of them."""

    def __init__(
        self, table: Table, triggers: Triggers, namespace: str, on_change: Callable[[Table], None]
    ) -> None:
        super().__init__()
        self._table = table
        self._triggers = triggers
        self._namespace = namespace
        self._on_change = on_change

    def put(self, obj: Json) -> None:
        self._triggers.object_put(self._table, obj)

    def removed(self, obj: Json) -> None:
        self._triggers.object_removed(self._table, obj)

    def names(self) -> dict[str, set[str]]:
        return _by_namespace(spot for spot in self._table.spots() if self._namespace in ("", spot[0]))

    def unconfirmed(self) -> Iterable[Spot]:
        return (spot for spot in self._table.unconfirmed if self._namespace in ("", spot[0]))

    def version(self, spot: Spot) -> str:
        return self._table.version(spot)

    def dropped(self, spot: Spot) -> None:
        self._triggers.object_dropped(self._table, spot)

    def changed(self) -> None:
        self._on_change(self._table)


class PodFeed(Feed):
    """The pods of one scheduler, in one namespace or in all of them."""

    def __init__(
        self, triggers: Triggers, scheduler: str, namespace: str, on_change: Callable[[], None]
    ) -> None:
        super().__init__()
        self._on_change = on_change
        self._triggers = triggers
        self._scheduler = scheduler
        self._namespace = namespace

    def put(self, obj: Json) -> None:
        self._triggers.pod_put(obj)

    def removed(self, obj: Json) -> None:
        version = text(obj, "metadata.resourceVersion")
        self._triggers.pod_removed(*_spot(obj), uid=text(obj, "metadata.uid"), version=version)

    def names(self) -> dict[str, set[str]]:
        return self._triggers.store.pod_names(self._scheduler, self._namespace)

    def version(self, spot: Spot) -> str:
        pod = self._triggers.store.pod(*spot)
        return pod.version if pod else ""

    def dropped(self, spot: Spot) -> None:
        self._triggers.pod_removed(*spot)

    def changed(self) -> None:
        self._on_change()


def _by_namespace(spots: Iterable[Spot]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for namespace, name in spots:
        names.setdefault(namespace, set()).add(name)
    return names


def _spot(obj: Json) -> Spot:
    return (text(obj, "metadata.namespace"), text(obj, "metadata.name"))


def _named(event: Event) -> str:
    """What the event is about, for the log."""
    name = type(event).__name__
    return f"{name} of {ref_of(event.obj)}" if isinstance(event, Put | Removed) else name
