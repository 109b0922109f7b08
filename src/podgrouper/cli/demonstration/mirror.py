"""The cluster as it is seen over HTTP: the demo shows and judges this, and knows nothing otherwise."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from podgrouper.cli.complaints import Failure
from podgrouper.core.fields import controller_ref, owner_refs, ref_of, uid
from podgrouper.core.model import POD, Json, Kind
from podgrouper.kube.client import Client
from podgrouper.kube.requests import WatchSpec
from podgrouper.kube.watcher import watch
from podgrouper.kube.watching import Event, Put, Removed, Restarted, Synced
from podgrouper.memory.builtins import DEPLOYMENT, JOB, REPLICA_SET, STATEFUL_SET
from podgrouper.sandbox.actors.training import PYTORCH_JOB
from podgrouper.sandbox.actors.workflows import WORKFLOW

OWNERS = (DEPLOYMENT, REPLICA_SET, STATEFUL_SET, JOB, PYTORCH_JOB, WORKFLOW)
Place = tuple[str, str]


class Mirror:
    """The latest of every object of some kinds."""

    def __init__(self, groups: Sequence[Kind]) -> None:
        self.kinds = (POD, *groups, *OWNERS)
        self._objects: dict[Kind, dict[Place, Json]] = {kind: {} for kind in self.kinds}
        self._unseen: dict[Kind, set[Place]] = {}
        self._news = asyncio.Event()
        self.on_object: Callable[[Json], None] = lambda _: None
        """Told about every object that comes or changes."""

    async def follow(self, client: Client) -> None:
        """Until it is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for kind in self.kinds:
                tasks.create_task(watch(client, WatchSpec(kind), self._listener(kind)))

    def all(self, kind: Kind, namespace: str = "") -> list[Json]:
        """By name."""
        found = self._objects[kind]
        return [found[place] for place in sorted(found) if not namespace or place[0] == namespace]

    def find(self, kind: Kind, namespace: str, name: str) -> Json | None:
        return self._objects[kind].get((namespace, name))

    def chain(self, obj: Json) -> tuple[Json, ...]:
        """The object and its controllers, as far as they are watched."""
        found = [obj]
        while above := self._controller(found[-1]):
            found.append(above)
        return tuple(found)

    async def until(self, what: str, holds: Callable[[], bool], within: float) -> None:
        """Waits for something to be seen. Raises `Failure` when it is not in time."""
        if not await self.settle(holds, within):
            raise Failure(f"not seen within {within:g} seconds: {what}")

    async def settle(self, holds: Callable[[], bool], within: float) -> bool:
        """Waits for something to be seen; whether it was."""
        try:
            async with asyncio.timeout(within):
                while not holds():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return False
        return True

    def _controller(self, obj: Json) -> Json | None:
        reference = controller_ref(owner_refs(obj))
        if reference is None or reference.kind not in self._objects:
            return None
        found = self.find(reference.kind, ref_of(obj).namespace, reference.name)
        return found if found is not None and uid(found) == reference.uid else None

    def _listener(self, kind: Kind) -> Callable[[Sequence[Event]], None]:
        def on_events(events: Sequence[Event]) -> None:
            for event in events:
                self._take(kind, event)
            self._news.set()

        return on_events

    def _take(self, kind: Kind, event: Event) -> None:
        there = self._objects[kind]
        match event:
            case Put(obj):
                there[_place(obj)] = obj
                self._unseen.get(kind, set()).discard(_place(obj))
                self.on_object(obj)
            case Removed(obj):
                there.pop(_place(obj), None)
            case Restarted():
                self._unseen[kind] = set(there)
            case Synced():
                for place in self._unseen.pop(kind, set()):
                    there.pop(place, None)
            case _:
                pass


def _place(obj: Mapping[str, object]) -> Place:
    ref = ref_of(obj)
    return (ref.namespace, ref.name)
