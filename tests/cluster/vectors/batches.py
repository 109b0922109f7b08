"""Vectors side by side on one API server, a namespace of its own for each.

Those with one configuration and the same PriorityClasses, which have no namespace, share a controller. When
it has fallen silent, the result is read back from the server and compared as everywhere.
"""

import asyncio
import json
import selectors
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

import yaml

from podgrouper.cli.run import setup_of
from podgrouper.controller.run import Controller
from podgrouper.core.fields import kind_of, owner_refs
from podgrouper.core.model import POD, Json, Kind
from podgrouper.kube.client import Client
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import AiohttpTransport, Answer, Stream, Transport
from podgrouper.memory.builtins import PRIORITY_CLASS
from tests.cluster.api import Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.objects import cluster_role
from tests.cluster.program import output_of
from tests.cluster.vectors.restoring import clear, restore
from tests.cluster.waiting import eventually_async
from tests.golden.outcome import difference, expected
from tests.golden.running import GROUP_KINDS, Seen, came_out, seen
from tests.golden.vectors import Vector

T = TypeVar("T")

EVENT = Kind("v1", "Event")
SILENT_SECONDS = 1.5
"""Nothing that can still succeed waits longer before it is tried again for the first time."""
WITHIN_SECONDS = 60.0
WAKING = 1
"""The socket by which an event loop wakes itself."""


@dataclass(frozen=True)
class Batch:
    """Vectors that one controller can look after together."""

    vectors: tuple[Vector, ...]

    @property
    def objects(self) -> list[Json]:
        """PriorityClasses once."""
        found = [obj for vector in self.vectors for obj in vector.world]
        classes = {obj["metadata"]["name"]: obj for obj in found if kind_of(obj) == PRIORITY_CLASS}
        return [*(obj for obj in found if kind_of(obj) != PRIORITY_CLASS), *classes.values()]

    @property
    def kinds(self) -> set[Kind]:
        """Of the objects, and of the groups that may come."""
        return {kind_of(obj) for obj in self.objects} | {GROUP_KINDS[self.vectors[0].profile]}


def batches(vectors: Iterable[Vector]) -> list[Batch]:
    alike: dict[object, list[Vector]] = {}
    for number, vector in enumerate(vectors):
        classes = sorted(obj["metadata"]["name"] for obj in vector.world if kind_of(obj) == PRIORITY_CLASS)
        key = (json.dumps(vector.config, sort_keys=True), *classes)
        alike.setdefault(key, []).append(moved(vector, f"v{number}"))
    return [Batch(tuple(found)) for found in alike.values()]


def moved(vector: Vector, prefix: str) -> Vector:
    """The same vector in namespaces that no other one has."""
    return replace(vector, world=_moved(vector.world, prefix), expect=_moved(vector.expect, prefix))


def _moved(value: T, prefix: str, key: str = "") -> T:
    if isinstance(value, Mapping):
        return {name: _moved(item, prefix, name) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_moved(item, prefix) for item in value)
    return f"{prefix}-{value}" if key == "namespace" and value else value


def differences(plane: ControlPlane, batch: Batch) -> Iterator[tuple[str, str]]:
    """Vector -> how the server's state differs from what it states."""
    for namespace in sorted({place for vector in batch.vectors for place in namespaces(vector)}):
        plane.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    restore(plane, batch.objects)
    before = _there(plane, batch)
    user = plane.fresh_user()
    plane.allow(user, [cluster_role("vectors", rules_of(plane, batch))])
    _run(_until_silent(plane, user, batch))
    after, events = _there(plane, batch), plane.api.all_of(EVENT)
    clear(plane, batch.kinds)
    for vector in batch.vectors:
        found = came_out(
            vector, _inside(vector, before), _inside(vector, after), list(_warnings(vector, events))
        )
        yield vector.id, difference(expected(vector, found), found)


def namespaces(vector: Vector) -> set[str]:
    return {obj["metadata"]["namespace"] for obj in vector.world if obj["metadata"].get("namespace")}


def _there(plane: ControlPlane, batch: Batch) -> Seen:
    kinds = (POD, GROUP_KINDS[batch.vectors[0].profile])
    return seen(
        {**obj, "apiVersion": kind.api_version, "kind": kind.kind}
        for kind in kinds
        for obj in plane.api.all_of(kind)
    )


def _inside(vector: Vector, objects: Seen) -> Seen:
    here = namespaces(vector)
    return {ref: obj for ref, obj in objects.items() if ref.namespace in here}


def _warnings(vector: Vector, events: Sequence[Object]) -> Iterator[Object]:
    here = namespaces(vector)
    return (
        event for event in events if event["type"] == "Warning" and event["metadata"]["namespace"] in here
    )


def rules_of(plane: ControlPlane, batch: Batch) -> list[Object]:
    """What the program asks for, and the right to read the owners of a batch, less what its vectors hide."""
    vector = batch.vectors[0]
    hidden = {(kind.group, plane.api.served(kind).plural) for kind in vector.unreadable()}
    reads = [
        {"apiGroups": [kind.group], "resources": [plane.api.served(kind).plural], "verbs": _READ}
        for kind in sorted(kinds_in(batch.objects))
    ]
    return [
        allowed
        for rule in (*printed_rules(vector.profile), *reads)
        if (allowed := _without(rule, hidden))["resources"]
    ]


_READ = ["get", "list", "watch"]


@cache
def printed_rules(profile: str) -> tuple[Object, ...]:
    """Of the role that the program prints."""
    roles = yaml.safe_load_all(output_of("rbac", f"--profile={profile}"))
    return tuple(rule for role in roles if role["kind"] == "ClusterRole" for rule in role["rules"])


def _without(rule: Object, hidden: set[tuple[str, str]]) -> Object:
    groups = rule["apiGroups"]
    return {**rule, "resources": [one for one in rule["resources"] if (groups[0], one) not in hidden]}


def kinds_in(objects: Iterable[Json]) -> set[Kind]:
    """Of the objects, and of owners that may be gone: their kinds are served all the same."""
    objects = list(objects)
    owners = {owner.kind for obj in objects for owner in owner_refs(obj) if "." in owner.kind.group}
    return {kind_of(obj) for obj in objects} | owners


class Listened:
    """A transport, and when it was last used for anything but a watch."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self._now = asyncio.get_running_loop().time
        self._last = self._now()

    @property
    def silent_for(self) -> float:
        return self._now() - self._last

    async def send(self, request: Request) -> Answer:
        self._last = self._now()
        try:
            return await self._inner.send(request)
        finally:
            self._last = self._now()

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Stream]:
        async with self._inner.stream(request) as stream:
            yield stream

    async def close(self) -> None:
        await self._inner.close()


async def _until_silent(plane: ControlPlane, user: str, batch: Batch) -> None:
    """Runs a controller until it has nothing more to say."""
    transport = Listened(AiohttpTransport(plane.cluster(user)))
    controller = Controller(Client(transport), setup_of(batch.vectors[0].settings()))
    stop = asyncio.Event()
    running = asyncio.create_task(controller.run(stop))
    try:
        await eventually_async(
            lambda: controller.ready and not controller.queue.busy and transport.silent_for,
            lambda silence: silence >= SILENT_SECONDS,
            within=WITHIN_SECONDS,
        )
    finally:
        stop.set()
        await running
        await transport.close()


def _run(work: Coroutine[object, object, None]) -> None:
    """As `asyncio.run`, but comes back when every connection is closed, for which TLS asks the other side."""
    selector = selectors.DefaultSelector()

    async def to_the_end() -> None:
        await work
        await eventually_async(lambda: len(selector.get_map()), lambda sockets: sockets == WAKING)

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        runner.run(to_the_end())
