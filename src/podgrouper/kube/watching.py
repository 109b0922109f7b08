"""List and watch as a state machine: from answers to events, and to what to ask next.

Pure: no clock, no network. `watcher` is the loop around it. What it promises to whoever follows the events:
between `Restarted` and `Synced` everything there is comes as `Put`, so what does not come is gone; after
`Synced` no change is missed, however often connections break, only told late.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from podgrouper.core.fields import EMPTY, annotations, text
from podgrouper.core.model import Json
from podgrouper.kube.backoff import Backoff
from podgrouper.kube.decoding import Assembly, Decoder, Line, Shape
from podgrouper.kube.errors import (
    ApiError,
    BadRequest,
    Forbidden,
    Gone,
    Invalid,
    NotAcceptable,
    NotAllowed,
    NotFound,
    TooMany,
    Unavailable,
    UnknownKind,
    error_of_status,
    unreachable,
)
from podgrouper.kube.requests import PAGE, Request, Resource, WatchSpec, list_page, watch

INITIAL_EVENTS_END = "k8s.io/initial-events-end"
LINE_LIMIT = 64 << 20
"""No object is this large (etcd takes 1.5 MB); whoever sends it is no API server."""
LONG_ENOUGH_SECONDS = 10.0
"""A watch that lived this long worked, also when nothing happened in it."""
BROKEN_LINES = 3
"""So often the same place of a watch may be unreadable before everything is listed again."""
_SLOW = (BadRequest, Forbidden, Invalid, NotAcceptable, NotAllowed, NotFound, UnknownKind)
_FIRST_WAIT: Mapping[type[ApiError], float] = dict.fromkeys(_SLOW, 5.0)
"""What only a person changes need not be asked for at once."""


@dataclass(frozen=True, slots=True)
class Put:
    """The object is like this now."""

    obj: Json


@dataclass(frozen=True, slots=True)
class Removed:
    """The object left what is watched; this is the last that was seen of it."""

    obj: Json


@dataclass(frozen=True, slots=True)
class Restarted:
    """A full listing begins. It may begin again before it is through."""


@dataclass(frozen=True, slots=True)
class Synced:
    """The listing is through. It is the state of that version: what is younger it does not know of."""

    version: str


@dataclass(frozen=True, slots=True)
class Failing:
    """It does not work and is tried again and again; told once for each class of error."""

    error: ApiError


@dataclass(frozen=True, slots=True)
class Recovered:
    """It works again after `Failing`."""


Event: TypeAlias = Put | Removed | Restarted | Synced | Failing | Recovered


@dataclass(frozen=True, slots=True)
class Ask:
    """The next request; its answer is a stream of lines or one page."""

    request: Request
    streams: bool


class Watching:
    """One kind, one selection. `random` gives numbers from 0 to 1.

    The loop: wait for `pause()`, send `ask(resource)`, hand in what comes: `page`, or `opened`, `chunk` …,
    `ended`; `failed` whenever an `ApiError` came instead.
    """

    def __init__(
        self, spec: WatchSpec, *, shape: Shape = dict, random: Callable[[], float], version: str = ""
    ) -> None:
        self._spec = spec
        self._random = random
        self._decoder = Decoder(shape)
        self._backoff = Backoff(random)
        self._kind = spec.kind
        self._asked = ""
        self._version = version
        """Where to go on; empty: everything has to be listed."""
        self._by_stream = True
        """The server is believed to know WatchList."""
        self._unmarked = 0
        """How often a WatchList ended before its end mark."""
        self._continue = ""
        self._limit = PAGE
        self._assembly = Assembly()
        self._opened_at = 0.0
        self._streaming = self._progressed = False
        self._broken_lines = 0
        self._failing: type[ApiError] | None = None

    @property
    def streaming(self) -> bool:
        """Whether the stream is worth reading on."""
        return self._streaming

    def pause(self) -> float:
        """Seconds to wait before asking again."""
        return self._backoff.delay

    def ask(self, resource: Resource) -> Ask:
        self._kind = resource.kind
        streams = bool(self._version) or self._by_stream
        seconds = 240 + int(120 * self._random())
        if self._version:
            request = watch(resource, self._spec, version=self._version, seconds=seconds)
        elif self._by_stream:
            request = watch(resource, self._spec, initial=True, seconds=seconds)
        else:
            request = list_page(resource, self._spec, limit=self._limit, continue_token=self._continue)
        self._asked = request.asked
        return Ask(request, streams)

    def page(self, body: bytes, now: float) -> list[Event]:
        """A page of a list came."""
        try:
            page = self._decoder.page(body)
        except ValueError as error:
            return self.failed(unreachable(self._asked, f"the answer is no list ({error})", sent=True), now)
        if not page.version:
            return self.failed(unreachable(self._asked, "the list has no resourceVersion", sent=True), now)
        events = self._works()
        if not self._continue:
            events.append(Restarted())
        events.extend(Put(self._named(item)) for item in page.items)
        self._continue = page.continue_token
        self._backoff.delay = 0.0
        if not page.continue_token:
            self._version, self._limit = page.version, PAGE
            events.append(Synced(page.version))
        return events

    def opened(self, now: float) -> list[Event]:
        """A stream was answered with 200."""
        self._assembly.clear()
        self._streaming = True
        self._progressed = False
        self._opened_at = now
        events = self._works()
        if not self._version:
            events.append(Restarted())
        return events

    def chunk(self, data: bytes, now: float) -> list[Event]:
        """Bytes of the stream, cut anywhere."""
        complete = self._assembly.complete(data)
        if self._assembly.size > LINE_LIMIT:
            return self._cut("sent a line without end", now)
        if not complete:
            return []
        found = self._decoder.lines(complete)
        events = self._events(found.lines, now)
        if found.broken and self._streaming:
            events += self._broken_line(now)
        return events

    def ended(self, now: float) -> list[Event]:
        """The server ended the stream."""
        if self._assembly.size:
            return self._cut("ended in the middle of a line", now)
        self._streaming = False
        if not self._version:
            self._unmarked += 1
            self._by_stream = self._unmarked < 2
            self._backoff.grow()
        elif now - self._opened_at >= LONG_ENOUGH_SECONDS or self._progressed:
            self._backoff.reset()
        else:
            self._backoff.grow()
        return []

    def failed(self, error: ApiError, now: float) -> list[Event]:
        """There was no answer, or one that is an error."""
        opened, self._streaming = self._streaming, False
        self._assembly.clear()
        self._backoff.heard(answer=bool(error.status))
        if opened and now - self._opened_at >= LONG_ENOUGH_SECONDS:
            self._backoff.reset()
        if isinstance(error, Gone):
            self._expire()
            return []
        if isinstance(error, Invalid | BadRequest) and self._initial and not opened:
            self._by_stream = False
            return []
        passing = isinstance(error, Unavailable | TooMany)
        self._continue = self._continue if passing else ""
        if isinstance(error, Forbidden | NotAllowed | UnknownKind):
            self._version = ""  # whoever follows has let go of what it knew
        quiet = passing and not self._backoff.failures
        self._backoff.grow(_FIRST_WAIT.get(type(error), 0.5), error.retry_after)
        if quiet or self._failing is type(error):
            return []
        self._failing = type(error)
        return [Failing(error)]

    @property
    def _initial(self) -> bool:
        """A stream would have to send everything there is."""
        return self._by_stream and not self._version

    def _expire(self) -> None:
        """Our version is too old: list again. At once, unless that is what we have just done."""
        self._limit = 0 if self._continue else PAGE
        self._version = self._continue = ""
        self._backoff.grow(0.5 if self._backoff.failures else 0.0)

    def _works(self) -> list[Event]:
        if self._failing is None:
            return []
        self._failing = None
        return [Recovered()]

    def _cut(self, why: str, now: float) -> list[Event]:
        return self.failed(unreachable(self._asked, f"the watch {why}", sent=True), now)

    def _broken_line(self, now: float) -> list[Event]:
        """Once it may be the connection; again and again at one place, only listing leads past it."""
        self._broken_lines += 1
        if self._broken_lines >= BROKEN_LINES:
            self._version, self._broken_lines = "", 0
        return self._cut("sent a line that is no JSON", now)

    def _events(self, lines: Iterable[Line], now: float) -> list[Event]:
        events: list[Event] = []
        last: Json = EMPTY
        for line in lines:
            obj = line.object
            if obj is None:
                continue
            if line.type == "ERROR":
                self._advance(last)
                return events + self.failed(error_of_status(obj, asked=self._asked), now)
            last = obj
            if line.type in ("ADDED", "MODIFIED"):
                events.append(Put(self._named(obj)))
            elif line.type == "DELETED":
                events.append(Removed(self._named(obj)))
            elif line.type == "BOOKMARK" and not self._version:
                events += self._end_of_listing(obj)
        self._advance(last)
        return events

    def _end_of_listing(self, bookmark: Json) -> list[Event]:
        """The end mark; any other bookmark before it means that the server does not know WatchList."""
        if annotations(bookmark).get(INITIAL_EVENTS_END) != "true":
            self._by_stream = self._streaming = False
            return []
        self._version = text(bookmark, "metadata.resourceVersion")
        self._progress()
        return [Synced(self._version)]

    def _advance(self, last: Json) -> None:
        """While listing, versions come in any order: there is no place to go on from before the end mark."""
        version = text(last, "metadata.resourceVersion")
        if self._version and version and version != self._version:
            self._version = version
            self._progress()

    def _progress(self) -> None:
        self._progressed = True
        self._unmarked = self._broken_lines = 0
        self._backoff.reset()

    def _named(self, obj: dict[str, object]) -> Json:
        """With its kind: items of lists come without, and metadata alone under another name."""
        if obj.get("kind") in (None, "PartialObjectMetadata"):
            obj["apiVersion"], obj["kind"] = self._kind.api_version, self._kind.kind
        return obj
