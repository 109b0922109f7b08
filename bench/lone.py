"""The lone client: a pod watch and the requests that linking takes, with nothing decided in between.

The reference of every ratio. It sends what podgrouper would send (`lone_task` asks it) and remembers nothing
but whom it has met. A process of its own: `python -m bench.lone FILE`, which says `ready` when it has seen
what there is.
"""

import asyncio
import sys
from collections import deque
from collections.abc import Mapping
from pathlib import Path

import aiohttp
import msgspec
import uvloop

from bench.orders import Where
from bench.wire import session_of, watched

INITIAL_END = "k8s.io/initial-events-end"
READY = "ready"


class Sample(msgspec.Struct, frozen=True):
    """The names in the sample requests, to be replaced by those of a pod."""

    namespace: str
    pod: str
    pod_uid: str
    owner: str
    owner_uid: str


class Letter(msgspec.Struct, frozen=True):
    """A request, as podgrouper sends it for the sample."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: str


class Task(msgspec.Struct, frozen=True):
    where: Where
    per_pod: bool
    """A group for each pod, not for each owner."""
    in_flight: int
    sample: Sample
    owner: Letter
    """Reads the pod's owner: the lone client has no need of it."""
    group: Letter
    pod: Letter


class Owner(msgspec.Struct, gc=False):
    name: str = ""
    uid: str = ""


class Metadata(msgspec.Struct, gc=False, rename="camel"):
    namespace: str = ""
    name: str = ""
    uid: str = ""
    annotations: dict[str, str] = {}
    owner_references: tuple[Owner, ...] = ()


class Object(msgspec.Struct, gc=False):
    metadata: Metadata


class Event(msgspec.Struct, gc=False):
    type: str
    object: Object


class Client:
    """Sends for each pod without a link what it takes, once."""

    def __init__(self, task: Task, session: aiohttp.ClientSession) -> None:
        self._task = task
        self._session = session
        self._decoder = msgspec.json.Decoder(Event)
        self._done: set[str] = set()
        self._letters: deque[tuple[Letter, Metadata]] = deque()
        self._more = asyncio.Semaphore(0)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(self._task.in_flight):
                tasks.create_task(self._send())
            selector = f"fieldSelector=spec.schedulerName%3D{self._task.where.scheduler}"
            async for lines in watched(self._session, "/api/v1/pods", selector):
                for event in self._decoder.decode_lines(lines):
                    self._take(event.type, event.object.metadata)

    def _take(self, change: str, metadata: Metadata) -> None:
        if change == "BOOKMARK":
            if INITIAL_END in metadata.annotations:
                say_ready()
        elif change in ("ADDED", "MODIFIED") and self._is_new(metadata):
            self._done.add(metadata.uid)
            owner = metadata.owner_references[0].uid
            if self._task.per_pod or owner not in self._done:
                self._done.add(owner)
                self._put(self._task.group, metadata)
            self._put(self._task.pod, metadata)

    def _is_new(self, metadata: Metadata) -> bool:
        return metadata.uid not in self._done and self._task.where.link not in metadata.annotations

    def _put(self, letter: Letter, metadata: Metadata) -> None:
        self._letters.append((letter, metadata))
        self._more.release()

    async def _send(self) -> None:
        while True:
            await self._more.acquire()
            letter, metadata = self._letters.popleft()
            request = self._session.request(
                letter.method,
                filled(letter.target, self._task.sample, metadata),
                data=filled(letter.body, self._task.sample, metadata).encode(),
                headers=letter.headers,
            )
            async with request as response:
                await response.read()
                if response.status >= 300:
                    raise ConnectionError(f"{letter.method} {metadata.name}: {response.status}")


def filled(text: str, sample: Sample, metadata: Metadata) -> str:
    """A part of a sample request, for this pod."""
    owner = metadata.owner_references[0]
    return (
        text.replace(sample.owner_uid, owner.uid)
        .replace(sample.pod_uid, metadata.uid)
        .replace(sample.owner, owner.name)
        .replace(sample.pod, metadata.name)
        .replace(sample.namespace, metadata.namespace)
    )


def say_ready() -> None:
    """To whoever reads the log."""
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()


async def main(task: Task) -> None:
    async with session_of(task.where) as session:
        await Client(task, session).run()


if __name__ == "__main__":
    uvloop.run(main(msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Task)))
