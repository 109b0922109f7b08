"""A consumer of watch events, as simple as one can be: what it holds must be what the server holds."""

from collections.abc import Sequence

from podgrouper.core.fields import text
from podgrouper.core.model import Json
from podgrouper.kube.errors import ApiError
from podgrouper.kube.watching import Event, Failing, Put, Recovered, Removed, Restarted, Synced


class Mirror:
    """Rows by name. A listing replaces them when it is through, not before."""

    def __init__(self) -> None:
        self.rows: dict[str, Json] = {}
        self.events: list[Event] = []
        self.errors: list[ApiError] = []
        self.synced = 0
        self._listing: dict[str, Json] | None = None

    def take(self, events: Sequence[Event]) -> None:
        self.events.extend(events)
        for event in events:
            self._take(event)

    @property
    def names(self) -> list[str]:
        return sorted(name for name in self.rows)

    @property
    def story(self) -> list[str]:
        """The kinds of events, in order."""
        return [type(event).__name__ for event in self.events]

    def _take(self, event: Event) -> None:
        match event:
            case Restarted():
                self._listing = {}
            case Put(obj):
                rows = self.rows if self._listing is None else self._listing
                rows[text(obj, "metadata.name")] = obj
            case Removed(obj):
                rows = self.rows if self._listing is None else self._listing
                rows.pop(text(obj, "metadata.name"), None)
            case Synced():
                self.synced += 1
                self.rows = self.rows if self._listing is None else self._listing
                self._listing = None
            case Failing(error):
                self.errors.append(error)
            case Recovered():
                pass
