"""The loader, a process of its own: makes workloads, plays the kubelet, and watches pods as a third party.

It does what it is told on standard input (`orders`) and knows nothing about who links the pods.
"""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from http import HTTPStatus
from typing import TypeVar

import aiohttp
import msgspec
import uvloop

from bench.asked import Ask
from bench.orders import (
    Answer,
    Asked,
    Clear,
    Done,
    Failed,
    Kubelet,
    Linked,
    Make,
    NotYet,
    Orders,
    Seen,
    Tally,
    Where,
)
from bench.sightings import Sightings
from bench.wire import session_of, watched
from bench.workloads import Gang, owners_of, plural_of, pod, status_changes
from tests.cluster import objects
from tests.cluster.api import Object, kind_of

AT_ONCE = 16
"""Requests under way: as many as whoever links the pods has."""
_PAUSE = 0.05
"""News are looked at together; when each was seen is known exactly."""
T = TypeVar("T")


class Loader:
    """One API server, as an admin."""

    def __init__(self, session: aiohttp.ClientSession, where: Where) -> None:
        self._session = session
        self._where = where
        self._asked: Counter[Ask] = Counter()
        self._sightings = Sightings(where.link)
        self._news = asyncio.Event()

    async def watch(self) -> None:
        """Until it is cancelled."""
        selector = f"fieldSelector=spec.schedulerName%3D{self._where.scheduler}"
        async for lines in watched(self._session, "/api/v1/pods", selector):
            self._sightings.take(lines, time.monotonic())
            self._news.set()

    async def obey(self, order: Orders) -> Answer:
        match order:
            case Make():
                return await self._make(order)
            case Linked():
                return await self._linked(order)
            case Kubelet():
                return await self._change(order)
            case Clear():
                return await self._clear(order)
            case Tally():
                return Asked(list(self._asked.items()))

    async def _make(self, order: Make) -> Done:
        gangs = [_Gang(self, order, self._where.scheduler, number) for number in range(order.gangs)]
        pods = [(gang, member) for gang in gangs for member in range(order.members)]
        began = time.monotonic()

        async def create(work: tuple[int, tuple[_Gang, int]]) -> None:
            place, (gang, member) = work
            if order.rate:
                await asyncio.sleep(began + place / order.rate - time.monotonic())
            await gang.create(member)

        await _some_at_once(create, enumerate(pods))
        return Done(len(pods), began, time.monotonic())

    async def _linked(self, order: Linked) -> Seen:
        async with asyncio.timeout(order.within):
            while len(found := self._sightings.linked(order.namespace, order.name)) < order.count:
                self._news.clear()
                await self._news.wait()
                await asyncio.sleep(_PAUSE)
        return Seen([one.seen for one in found], [one.linked for one in found])

    async def _change(self, order: Kubelet) -> Done:
        changes = status_changes()
        names = [name for name, _ in self._sightings.of(order.namespace)]
        began = time.monotonic()
        for status in changes:
            change = partial(self._change_one, order.namespace, msgspec.json.encode({"status": status}))
            await _some_at_once(change, names)
        return Done(len(names) * len(changes), began, time.monotonic())

    async def _change_one(self, namespace: str, body: bytes, name: str) -> None:
        await self._ask("PATCH", f"/api/v1/namespaces/{namespace}/pods/{name}/status", "pods/status", body)

    async def _clear(self, order: Clear) -> Done:
        began = time.monotonic()
        for path in order.paths:
            while not await self._deleted(path):
                pass
        return Done(len(order.paths), began, time.monotonic())

    async def _deleted(self, path: str) -> bool:
        """False when the server's patience was over before the collection was empty."""
        async with self._session.delete(path, json={"gracePeriodSeconds": 0}) as response:
            answer = await response.read()
            if response.status >= 400 and response.status != HTTPStatus.GATEWAY_TIMEOUT:
                raise ConnectionError(f"DELETE {path}: {response.status} {answer[:500]!r}")
            return response.status == HTTPStatus.OK

    async def post(self, obj: Object) -> Object:
        """Creates it, and gives it as stored."""
        kind = kind_of(obj)
        plural = plural_of(kind)
        root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.api_version}"
        path = f"{root}/namespaces/{obj['metadata']['namespace']}/{plural}"
        answer = await self._ask("POST", path, plural, msgspec.json.encode(obj))
        stored: Object = msgspec.json.decode(answer)
        return stored

    async def _ask(self, method: str, path: str, resource: str, body: bytes) -> bytes:
        content = "application/merge-patch+json" if method == "PATCH" else "application/json"
        async with self._session.request(
            method, path, data=body, headers={"Content-Type": content}
        ) as response:
            answer = await response.read()
            self._asked[Ask(method, resource, response.status)] += 1
            if response.status >= 400:
                raise ConnectionError(f"{method} {path}: {response.status} {answer[:500]!r}")
            return answer


class _Gang:
    """A workload that is made with its first pod."""

    def __init__(self, loader: Loader, order: Make, scheduler: str, number: int) -> None:
        self._loader = loader
        self._order = order
        self._scheduler = scheduler
        self._name = f"{order.name}-{number}"
        self._owners: asyncio.Future[tuple[Gang, Object]] | None = None

    async def create(self, member: int) -> None:
        if self._owners is None:
            self._owners = asyncio.ensure_future(self._create_owners())
        gang, nearest = await self._owners
        await self._loader.post(
            pod(f"{self._name}-{member}", self._scheduler, nearest, gang.labels, self._order.size)
        )

    async def _create_owners(self) -> tuple[Gang, Object]:
        order = self._order
        gang = owners_of(order.shape, order.namespace, self._name, self._scheduler, order.members)
        above: Object = {}
        for owner in gang.owners:
            if above:
                owner["metadata"]["ownerReferences"] = [objects.controlled_by(above)]
            above = {
                **await self._loader.post(owner),
                "apiVersion": owner["apiVersion"],
                "kind": owner["kind"],
            }
        return gang, above


async def _some_at_once(do: Callable[[T], Awaitable[None]], works: Iterable[T]) -> None:
    """All of them in order, so many under way at once."""
    waiting = iter(works)

    async def some(works: Iterator[T]) -> None:
        for work in works:
            await do(work)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(AT_ONCE):
            tasks.create_task(some(waiting))


async def _lines() -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    return reader


async def _answered(loader: Loader, order: Orders) -> Answer:
    try:
        return await loader.obey(order)
    except TimeoutError:
        return NotYet()
    except ExceptionGroup as failures:
        return Failed("; ".join(dict.fromkeys(repr(one) for one in failures.exceptions)))


async def main() -> None:
    """Obeys until standard input ends."""
    orders = await _lines()
    where = msgspec.json.decode(await orders.readline(), type=Where)
    async with session_of(where) as session, asyncio.TaskGroup() as tasks:
        loader = Loader(session, where)
        watching = tasks.create_task(loader.watch())
        async for line in orders:
            answer = await _answered(loader, msgspec.json.decode(line, type=Orders))
            sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
            sys.stdout.buffer.flush()
        watching.cancel()


if __name__ == "__main__":
    uvloop.run(main())
