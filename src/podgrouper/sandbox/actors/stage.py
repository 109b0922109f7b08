"""Calls the actors: about an object when something happened to it or to what it controls, or at its time.

Nothing waits in here and the clock is handed in; `playing` is the loop around it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from podgrouper.core.fields import owner_refs, ref_of
from podgrouper.core.model import Json, Kind
from podgrouper.memory.history import Event
from podgrouper.memory.store import Store
from podgrouper.sandbox.actors.cluster import Cluster

Act = Callable[[Cluster, Json], datetime | None]
"""Does what there is to do for an object, however often it is asked. May give the time of the next look."""
Place = tuple[Kind, str, str]

RETRY = timedelta(seconds=1)
"""After a refused create: what it lacks may come without any change to the object itself."""
MOST_LOOKS = 100_000
"""More than any cluster of a test needs to come to rest: beyond it two actors undo each other's work."""


class Overseer(Protocol):
    """Looks at the cluster as a whole: a scheduler."""

    def act(self, cluster: Cluster) -> datetime | None:
        """Asked after every change, and at the time that it gave."""
        ...


@dataclass(frozen=True, slots=True)
class Cast:
    """Who acts."""

    acts: Mapping[Kind, Sequence[Act]]
    stirs: Mapping[Kind, Sequence[Kind]] = field(default_factory=dict)
    """A change of such an object concerns all objects of these kinds: new nodes want their daemons."""
    overseers: Sequence[Overseer] = ()


class Stage:
    """All actors of one store."""

    def __init__(self, store: Store, cast: Cast, now: Callable[[], datetime]) -> None:
        self.cluster = Cluster(store, now)
        self._store = store
        self._cast = cast
        self._touched: dict[Place, None] = {}
        self._alarms: dict[Place, datetime] = {}
        self._stirred = True
        """Something happened since the overseers looked."""
        self._sessions: dict[int, datetime] = {}
        self.on_change: Callable[[], None] = lambda: None
        """Called at every write of anybody: there may be something to do."""
        for _, obj in store.everything():
            self._touch(obj)
        self._stop = store.subscribe(self._on)

    def close(self) -> None:
        self._stop()
        self.cluster.close()

    def act(self) -> datetime | None:
        """Everything that can be done now. Gives the time at which there is more, if nothing else happens."""
        self._wake()
        for _ in range(MOST_LOOKS):
            if self._touched:
                self._look_at(next(iter(self._touched)))
            elif self._stirred:
                self._oversee()
            else:
                return min([*self._alarms.values(), *self._sessions.values()], default=None)
        raise RuntimeError(f"the actors do not come to rest; next would be {next(iter(self._touched), None)}")

    def _wake(self) -> None:
        now = self.cluster.now
        for place in [place for place, when in self._alarms.items() if when <= now]:
            del self._alarms[place]
            self._touched[place] = None
        if any(when <= now for when in self._sessions.values()):
            self._stirred = True

    def _look_at(self, place: Place) -> None:
        del self._touched[place]
        self._alarms.pop(place, None)
        for act in self._cast.acts[place[0]]:
            obj = self._store.find(*place)
            if obj is None:
                return
            again = [act(self.cluster, obj), self.cluster.now + RETRY if self.cluster.refused() else None]
            times = [when for when in (*again, self._alarms.get(place)) if when is not None]
            if times:
                self._alarms[place] = min(times)

    def _oversee(self) -> None:
        self._stirred = False
        for number, overseer in enumerate(self._cast.overseers):
            again = overseer.act(self.cluster)
            self._sessions.pop(number, None)
            if again is not None:
                self._sessions[number] = again

    def _on(self, event: Event) -> None:
        self._touch(event.object)
        if event.previous is not None:
            self._touch_owners(event.previous)
        for kind in self._cast.stirs.get(event.resource.kind, ()):
            for obj in self._store.list(kind):
                self._touch(obj)
        self._stirred = True
        self.on_change()

    def _touch(self, obj: Json) -> None:
        ref = ref_of(obj)
        if ref.kind in self._cast.acts:
            self._touched[ref.kind, ref.namespace, ref.name] = None
        self._touch_owners(obj)

    def _touch_owners(self, obj: Json) -> None:
        namespace = ref_of(obj).namespace
        for owner in owner_refs(obj):
            if owner.controller and owner.kind in self._cast.acts:
                self._touched[owner.kind, namespace, owner.name] = None


@asynccontextmanager
async def playing(stage: Stage) -> AsyncIterator[Stage]:
    """Lets the actors act while it is entered, never inside the write that gives them cause.

    An actor that fails ends whatever is inside, with its error.
    """
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(_play(stage))
        try:
            yield stage
        finally:
            task.cancel()
            stage.close()


async def _play(stage: Stage) -> None:
    cause = asyncio.Event()
    stage.on_change = cause.set
    while True:
        cause.clear()
        again = stage.act()
        pause = None if again is None else max(0.0, (again - stage.cluster.now).total_seconds())
        try:
            async with asyncio.timeout(pause):
                await cause.wait()
        except TimeoutError:
            continue
