"""From the events of a watch to the store: what a relist does not show any more is gone, row by row."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from podgrouper.controller.tables import Spot, Table, number
from podgrouper.controller.triggers import Triggers
from podgrouper.core.fields import text
from podgrouper.core.model import Json
from podgrouper.kube.errors import ApiError
from podgrouper.kube.watching import Event, Failing, Put, Recovered, Removed, Restarted, Synced


class Feed(ABC):
    """One watch. Subclasses say where its objects go; the order of calls is that of the events."""

    def __init__(self) -> None:
        self.synced = False
        self.error: ApiError | None = None
        self.first_answer = asyncio.Event()
        """Set when it is known how the watch stands: everything listed, or refused."""
        self._seen: set[Spot] | None = None

    def __call__(self, events: Sequence[Event]) -> None:
        for event in events:
            self._take(event)

    @abstractmethod
    def put(self, obj: Json) -> None: ...

    @abstractmethod
    def removed(self, obj: Json) -> None: ...

    @abstractmethod
    def rows(self) -> tuple[tuple[Spot, str], ...]:
        """What the store has of this watch's scope, with its versions."""

    @abstractmethod
    def dropped(self, spot: Spot) -> None: ...

    @abstractmethod
    def changed(self) -> None:
        """`synced` or `error` is another now."""

    def _take(self, event: Event) -> None:
        match event:
            case Put(obj):
                if self._seen is not None:
                    self._seen.add(_spot(obj))
                self.put(obj)
            case Removed(obj):
                if self._seen is not None:
                    self._seen.discard(_spot(obj))
                self.removed(obj)
            case Restarted():
                self._seen = set()
            case Synced(version):
                self._complete(version)
            case Failing(error):
                self.error = error
                self._answered()
            case Recovered():
                self.error = None
                self.changed()

    def _complete(self, version: str) -> None:
        """What the listing did not show is gone, unless it is younger than the listing: a write of ours."""
        seen, self._seen = self._seen or set(), None
        for spot, row_version in self.rows():
            if spot not in seen and not 0 < number(version) < number(row_version):
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

    def rows(self) -> tuple[tuple[Spot, str], ...]:
        return tuple(row for row in self._table.versions() if self._namespace in ("", row[0][0]))

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

    def rows(self) -> tuple[tuple[Spot, str], ...]:
        pods = self._triggers.store.pods()
        return tuple(
            ((pod.namespace, pod.name), pod.version)
            for pod in pods
            if pod.scheduler == self._scheduler and self._namespace in ("", pod.namespace)
        )

    def dropped(self, spot: Spot) -> None:
        self._triggers.pod_removed(*spot)

    def changed(self) -> None:
        self._on_change()


def _spot(obj: Json) -> Spot:
    return (text(obj, "metadata.namespace"), text(obj, "metadata.name"))
