"""What is put on record while a scenario runs: every write of every controller, and what came of it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from podgrouper.core.model import Json
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer
from podgrouper.memory.history import Event
from podgrouper.memory.store import Store
from podgrouper.sandbox.api import Api
from podgrouper.sandbox.feeds import Feed
from tests.soak.past import Moment, Past
from tests.soak.scenarios import Scenario

SECOND_PASS = "the second pass"
ELDER = "the elder"


@dataclass(frozen=True)
class Write:
    """A request that was no read, as it arrived, and what it changed."""

    who: str
    at: float
    request: Request
    status: int
    events: Sequence[Event]

    @property
    def tells(self) -> bool:
        """It is an event about trouble."""
        return self.request.path.endswith("/events")

    def __str__(self) -> str:
        return f"{self.at:.1f} s {self.who}: {self.request.asked} {self.status}"


@dataclass
class Record:
    """Of one run. What was noted stays as it was noted."""

    scenario: Scenario
    moments: list[Moment] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    reads: int = 0
    oddities: int = 0
    """What the network did wrong."""
    objects: Sequence[Json] = ()
    """All that is there in the end."""
    faults: list[str] = field(default_factory=list)
    """Errors that were logged or raised, and a world that never came to rest."""
    misbelieved: Sequence[str] = ()
    """What the last controller knew in the end and what was not so, or the other way round."""

    @cached_property
    def past(self) -> Past:
        """To be asked for when the run is over."""
        return Past(self.moments)


class RecordingApi(Api):
    """An API server for one client that puts on record what is asked of it. Many may serve one store."""

    def __init__(self, store: Store, who: str, record: Record) -> None:
        super().__init__(store)
        self._who = who
        self._record = record

    def answer(self, request: Request) -> Answer | Feed:
        since = self.store.version
        found = super().answer(request)
        if request.method == "GET" or isinstance(found, Feed):
            self._record.reads += 1
        else:
            events = tuple(self.store.events(since))
            self._record.writes.append(Write(self._who, now(), request, found.status, events))
        return found


def now() -> float:
    """Virtual seconds since the beginning."""
    return asyncio.get_running_loop().time()
