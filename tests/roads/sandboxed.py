"""The controller itself on the embedded API, in one process and in virtual time."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from podgrouper.cli.run import setup_of
from podgrouper.config.model import Config
from podgrouper.controller.run import Controller, Turn
from podgrouper.core.fields import kind_of, owner_refs
from podgrouper.core.model import Ending, Json, Kind, Ref
from podgrouper.kube import requests
from podgrouper.kube.client import Client
from podgrouper.kube.pace import IN_FLIGHT, Pace
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer, Transport
from podgrouper.memory.resources import found_in_file
from podgrouper.memory.store import Store
from podgrouper.sandbox import crds
from podgrouper.sandbox.api import Api
from podgrouper.sandbox.seeds import seed
from podgrouper.sandbox.transport import MemoryTransport

EVENT = Kind("v1", "Event")
QUIET_SECONDS = 20.0
"""Longer than any retry of something that can still succeed by itself."""
BIRTH = datetime(2026, 11, 19, tzinfo=UTC)


class Sandbox:
    """A cluster in memory that counts what is asked of it."""

    def __init__(self, objects: Iterable[Json] = (), hidden: Mapping[Kind, Ending] | None = None) -> None:
        self.asked: list[Request] = []
        hidden = hidden or {}
        uids = (f"00000000-0000-4000-9000-{number:012}" for number in itertools.count())
        self.store = Store(now=self._now, uid=lambda: next(uids))
        self.api = Api(self.store, before=self._note)
        self.refuse: Callable[[Request], Answer | None] = lambda _: None
        seed(self.store)
        crds.install(self.store)
        objects = tuple(objects)
        for kind, ending in hidden.items():
            if ending is Ending.UNKNOWN_KIND:
                self.store.catalog.withdraw(kind)
        for obj in objects:
            if hidden.get(kind_of(obj)) is not Ending.UNKNOWN_KIND:
                self.store.load(obj)
        self.serve(custom_owners(objects) - hidden.keys())
        forbidden = [kind for kind, ending in hidden.items() if ending is Ending.FORBIDDEN]
        self.api.denied |= {(verb, kind) for verb in ("get", "list", "watch") for kind in forbidden}

    def serve(self, kinds: Iterable[Kind]) -> None:
        """Serves these kinds, whether there are objects of them or not."""
        for kind in kinds:
            if self.store.catalog.find(kind) is None:
                self.store.catalog.add(found_in_file(kind, namespaced=True))

    def writes(self) -> list[Request]:
        """What was asked that is no read, events about trouble aside."""
        return [one for one in self.asked if one.method != "GET" and not one.path.endswith("/events")]

    def path(self, ref: Ref) -> str:
        """Where the object is served."""
        resource = self.store.catalog.resource(ref.kind)
        return requests.Resource(resource.kind, resource.plural, resource.namespaced).path(
            ref.namespace, ref.name
        )

    def warned(self) -> list[Json]:
        """The Warning events that were written."""
        return [event for event in self.store.list(EVENT) if event.get("type") == "Warning"]

    def client(self, transport: Transport | None = None, *, in_flight: int = IN_FLIGHT) -> Client:
        """For whoever runs in the present loop."""
        time = asyncio.get_running_loop().time
        pace = Pace(in_flight, now=time)
        return Client(transport or MemoryTransport(self.api), pace, ask_again_seconds=5.0, now=time)

    @asynccontextmanager
    async def controller(
        self,
        config: Config,
        transport: Transport | None = None,
        turn: Turn | None = None,
        *,
        observe: bool = False,
    ) -> AsyncIterator[Controller]:
        """A controller that runs while the context is open, and is gone at once afterwards, as if killed."""
        controller = Controller(
            self.client(transport), setup_of(config, observe=observe), now=self.clock, turn=turn
        )
        task = asyncio.create_task(controller.run(asyncio.Event()))
        try:
            yield controller
        finally:
            task.cancel()
            await asyncio.wait((task,))
            if not task.cancelled():
                task.result()

    async def quiet(self, seconds: float = QUIET_SECONDS) -> None:
        """Waits until nothing was written for so long."""
        written = -1
        while written != self.store.version:
            written = self.store.version
            await asyncio.sleep(seconds)

    def clock(self) -> datetime:
        try:
            passed = asyncio.get_running_loop().time()
        except RuntimeError:
            passed = 0.0
        return BIRTH + timedelta(seconds=passed)

    def _now(self) -> str:
        return self.clock().strftime("%Y-%m-%dT%H:%M:%SZ")

    def _note(self, request: Request) -> Answer | None:
        self.asked.append(request)
        return self.refuse(request)


def custom_owners(objects: Iterable[Json]) -> set[Kind]:
    """Kinds of CRDs that owner references name: their objects may be gone, they are served all the same."""
    owners = (owner.kind for obj in objects for owner in owner_refs(obj) if owner.complete)
    return {kind for kind in owners if "." in kind.group}
