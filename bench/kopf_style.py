"""A plain controller as frameworks like kopf have one written: for readers who ask what that would cost.

For each pod a queue and a task, which hands the newest state to a handler: whole objects as dictionaries, the
owner read whenever it is wanted, a group created by whoever comes first (the others hear that it is there).
Like kopf it waits a tenth of a second for more news of an object. It sends the lone client's requests.
"""

import asyncio
import sys
from pathlib import Path
from typing import TypeAlias

import aiohttp
import msgspec
import uvloop

from bench.lone import INITIAL_END, Letter, Metadata, Task, filled, say_ready
from bench.wire import session_of, watched

BATCH_SECONDS = 0.1
"""kopf's `batching.batch_window`."""
_THERE_ALREADY = 409
Body: TypeAlias = dict[str, object]


class Event(msgspec.Struct):
    type: str
    object: Body


class Controller:
    """Links pods by the same task as the lone client."""

    def __init__(self, task: Task, session: aiohttp.ClientSession) -> None:
        self._task = task
        self._session = session
        self._queues: dict[str, asyncio.Queue[Body | None]] = {}
        self._places = asyncio.Semaphore(task.in_flight)

    async def run(self) -> None:
        selector = f"fieldSelector=spec.schedulerName%3D{self._task.where.scheduler}"
        async with asyncio.TaskGroup() as tasks:
            async for lines in watched(self._session, "/api/v1/pods", selector):
                for line in lines.split(b"\n"):
                    self._take(msgspec.json.decode(line, type=Event), tasks)

    def _take(self, event: Event, tasks: asyncio.TaskGroup) -> None:
        metadata = _metadata(event.object)
        match event.type:
            case "BOOKMARK":
                if INITIAL_END in metadata.annotations:
                    say_ready()
            case "ADDED" | "MODIFIED":
                if metadata.uid not in self._queues:
                    self._queues[metadata.uid] = asyncio.Queue()
                    tasks.create_task(self._work(self._queues[metadata.uid]))
                self._queues[metadata.uid].put_nowait(event.object)
            case "DELETED" if metadata.uid in self._queues:
                self._queues.pop(metadata.uid).put_nowait(None)

    async def _work(self, queue: asyncio.Queue[Body | None]) -> None:
        """One object's life."""
        while pod := await queue.get():
            await asyncio.sleep(BATCH_SECONDS)
            while pod and not queue.empty():
                pod = queue.get_nowait()
            if pod is None:
                return
            await self._handle(_metadata(pod))

    async def _handle(self, metadata: Metadata) -> None:
        if self._task.where.link not in metadata.annotations:
            for letter in (self._task.owner, self._task.group, self._task.pod):
                await self._send(letter, metadata)

    async def _send(self, letter: Letter, metadata: Metadata) -> None:
        sample = self._task.sample
        async with (
            self._places,
            self._session.request(
                letter.method,
                filled(letter.target, sample, metadata),
                data=filled(letter.body, sample, metadata).encode(),
                headers=letter.headers,
            ) as response,
        ):
            await response.json()
            if response.status >= 300 and response.status != _THERE_ALREADY:
                raise ConnectionError(f"{letter.method} {metadata.name}: {response.status}")


def _metadata(obj: Body) -> Metadata:
    return msgspec.convert(obj["metadata"], Metadata)


async def main(task: Task) -> None:
    async with session_of(task.where) as session:
        await Controller(task, session).run()


if __name__ == "__main__":
    uvloop.run(main(msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Task)))
