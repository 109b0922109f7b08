"""How objects of a kind that was met for the first time come to be known.

All of them by one list and watch; one by one where only `get` is granted; not at all where nothing is.
What is known may change while we run (a CRD is installed, a right is given): whoever waits is told.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TypeVar

from podgrouper.controller.feeds import TableFeed
from podgrouper.controller.identities import Spot
from podgrouper.controller.shapes import object_shape
from podgrouper.controller.tables import State, Table
from podgrouper.controller.triggers import Triggers
from podgrouper.core.fields import uid
from podgrouper.core.model import POD, Ending, Kind, ObjectWanted
from podgrouper.kube.client import Client
from podgrouper.kube.errors import ApiError, Forbidden, NotAllowed, NotFound, Unavailable, UnknownKind
from podgrouper.kube.requests import WatchSpec
from podgrouper.kube.watcher import watch

log = logging.getLogger(__name__)

Name = TypeVar("Name")
Running = dict[Name, "asyncio.Task[ApiError | None]"]

OPEN_SECONDS = 15.0
"""Longer than a list of a large kind takes; whoever waits tries again then, and others go first."""
ARRIVAL_SECONDS = 0.5
"""An owner is created before its pods, but its watch may be slower. A GET is dearer."""
AGAIN_SECONDS = 60.0
"""How often objects are read again that cannot be watched, and rights are tried that we lacked."""
SERVED_SECONDS = 15.0
"""How often a kind is asked for that was not served and that pods wait for."""
ALL_OF_THEM: Spot = ("", "")
_NO_USE_ASKING = (Ending.FORBIDDEN, Ending.UNKNOWN_KIND)


class Kinds:
    """Opens kinds and reads single objects, each at most once at a time."""

    def __init__(
        self, client: Client, triggers: Triggers, namespaces: Sequence[str], tasks: asyncio.TaskGroup
    ) -> None:
        self._client = client
        self._triggers = triggers
        self._store = triggers.store
        self._namespaces = tuple(namespaces) or ("",)
        self._tasks = tasks
        self._opening: Running[Kind] = {}
        self._feeds: dict[Kind, tuple[TableFeed, ...]] = {}
        self._reading: Running[ObjectWanted] = {}

    async def read(self, wanted: ObjectWanted) -> None:
        """Afterwards the store has an answer, `UNSEEN` excepted. Raises ApiError when there is none now."""
        table = await self._opened(wanted.kind)
        if table.look(wanted.namespace, wanted.name, wanted.uid) in _NO_USE_ASKING:
            return
        if table.state is State.LISTED and await self._arrives(table, wanted):
            return
        await _shared(self._reading, wanted, lambda: self._read_one(table, wanted), self._tasks)

    async def open(self, kind: Kind) -> Table:
        """The kind is listed and watched, or it is known why not. Raises ApiError after too long."""
        return await self._opened(kind)

    async def keep_trying(self) -> None:
        """Looks again, now and then, at what cannot be watched and is still needed."""
        while True:
            for _ in range(round(AGAIN_SECONDS / SERVED_SECONDS)):
                await asyncio.sleep(SERVED_SECONDS)
                await self._try_all_again(State.NOT_SERVED)
            await self._try_all_again(State.READ_ONE_BY_ONE)

    async def _opened(self, kind: Kind) -> Table:
        table = self._store.table(kind)
        if table.state is not State.UNKNOWN:
            return table
        await _shared(self._opening, kind, lambda: self._open(table), self._tasks)
        return table

    async def _open(self, table: Table) -> None:
        if table.kind in self._feeds:
            await self._known(table)
            return
        try:
            resource = await self._client.resource(table.kind)
        except UnknownKind:
            self._set(table, State.NOT_SERVED)
            return
        table.namespaced = resource.namespaced
        if table.kind == POD:
            self._set(table, State.READ_ONE_BY_ONE)
            return
        spaces = self._namespaces if resource.namespaced else ("",)
        feeds = tuple(TableFeed(table, self._triggers, space, self._state_changed) for space in spaces)
        self._feeds[table.kind] = feeds
        for feed, space in zip(feeds, spaces, strict=True):
            spec = WatchSpec(table.kind, space, metadata_only=not table.paths)
            now = asyncio.get_running_loop().time
            shape = object_shape(table.paths)
            self._tasks.create_task(watch(self._client, spec, feed, shape=shape, now=now))
        await self._known(table)

    async def _known(self, table: Table) -> None:
        """Waits until every watch of the kind has its first answer, good or bad."""
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                for feed in self._feeds[table.kind]:
                    await feed.first_answer.wait()
        except TimeoutError:
            raise Unavailable(
                f"{table.kind}: the first list takes longer than {OPEN_SECONDS:.0f} s"
            ) from None
        if table.state is State.UNKNOWN:
            errors = [feed.error for feed in self._feeds[table.kind] if feed.error]
            raise errors[0] if errors else Unavailable(f"{table.kind}: not listed yet")

    def _state_changed(self, table: Table) -> None:
        """A watch of this kind got through, or learned why it cannot."""
        feeds = self._feeds[table.kind]
        errors = [feed.error for feed in feeds if feed.error]
        if all(feed.synced for feed in feeds):
            self._set(table, State.LISTED)
        elif any(isinstance(error, NotFound | UnknownKind) for error in errors):
            self._set(table, State.NOT_SERVED)
        elif any(isinstance(error, Forbidden | NotAllowed) for error in errors):
            self._set(table, State.READ_ONE_BY_ONE)

    def _set(self, table: Table, state: State) -> None:
        if table.state is state:
            return
        log.info("%s: %s", table.kind, state.value)
        table.state = state
        self._triggers.fire_kind(table)

    async def _arrives(self, table: Table, wanted: ObjectWanted) -> bool:
        """Whether the watch brings the object within a moment."""
        spot = table.spot(wanted.namespace, wanted.name)
        deadline = _now() + ARRIVAL_SECONDS
        while isinstance(table.look(*spot, wanted.uid), Ending):
            if not await table.arrival(spot, deadline - _now()):
                break
        return not isinstance(table.look(*spot, wanted.uid), Ending)

    async def _read_one(self, table: Table, wanted: ObjectWanted) -> None:
        """A live GET: the only proof that something is missing, unless doubts came up meanwhile."""
        spot, doubts = table.spot(wanted.namespace, wanted.name), table.doubts
        try:
            found = await self._client.get(table.kind, *spot, metadata_only=not table.paths)
        except UnknownKind:
            self._set(table, State.NOT_SERVED)
        except NotFound:
            self._allowed(table, spot[0])
            if wanted.uid or table.doubts == doubts:
                table.prove_absent(*spot, wanted.uid)
            if table.here(*spot):
                self._triggers.object_dropped(table, spot)
        except (Forbidden, NotAllowed) as error:
            self._not_allowed(table, spot, wanted.uid, error)
        else:
            self._allowed(table, spot[0])
            self._triggers.object_answered(table, found)
            if wanted.uid and uid(found) != wanted.uid:
                table.prove_absent(*spot, wanted.uid)

    def _not_allowed(self, table: Table, spot: Spot, uid: str, error: ApiError) -> None:
        """Listed but not to be got: then the list is the best proof there is."""
        if table.state is State.LISTED:
            log.warning("%s; what its list does not show counts as missing", error)
            table.prove_absent(*spot, uid)
        elif spot[0] not in table.forbidden_in:
            log.info("%s", error)
            table.forbidden_in.add(spot[0])
            self._triggers.fire_kind(table)

    def _allowed(self, table: Table, namespace: str) -> None:
        if namespace in table.forbidden_in:
            table.forbidden_in.discard(namespace)
            self._triggers.fire_kind(table)

    async def _try_all_again(self, *states: State) -> None:
        for table in self._store.tables():
            if table.state in states:
                with suppress(ApiError):
                    await self._try_again(table)

    async def _try_again(self, table: Table) -> None:
        if table.state is State.NOT_SERVED and table.kind not in self._feeds:
            if not self._needed(table):
                self._store.forget(table.kind)
                return
            await self._client.resource(table.kind)
            table.state = State.UNKNOWN
            await self._opened(table.kind)
        elif table.state is State.READ_ONE_BY_ONE:
            await self._read_all_again(table)

    async def _read_all_again(self, table: Table) -> None:
        """Also what was missing: somebody asked for it by name. A kind that is needed as a whole stays as it
        was listed last: names that were forgotten would look like objects that are gone."""
        needed = frozenset(self._triggers.dependencies.spots(table.kind))
        if ALL_OF_THEM in needed:
            return
        for spot in table.spots():
            if spot not in needed:
                table.forget(spot)
        refused: set[str] = set()
        for spot in needed:
            if spot[0] not in refused and (table.kind != POD or self._store.pod(*spot) is None):
                await self._read_one(table, ObjectWanted(table.kind, *spot))
                refused = refused | table.forbidden_in.intersection({spot[0]})

    def _needed(self, table: Table) -> bool:
        return bool(self._triggers.dependencies.spots(table.kind))


async def _shared(
    running: "Running[Name]",
    name: Name,
    work: Callable[[], Coroutine[None, None, None]],
    tasks: asyncio.TaskGroup,
) -> None:
    """Does the work once for all who ask for it at the same time; each of them is told how it ended.

    Cancelling one of them does not end it for the others.
    """
    task = running.get(name)
    if task is None:
        task = running[name] = tasks.create_task(_ending(work))
        task.add_done_callback(lambda _: running.pop(name, None))
    error = await asyncio.shield(task)
    if error:
        raise error


async def _ending(work: Callable[[], Coroutine[None, None, None]]) -> ApiError | None:
    """Begins the work itself: a task that is cancelled before its first step leaves nothing unawaited."""
    try:
        await work()
    except ApiError as error:
        return error
    return None


def _now() -> float:
    return asyncio.get_running_loop().time()
