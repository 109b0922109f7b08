"""Puts the demo together: server, actors, controller and screen; and takes it down again in order."""

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from podgrouper.cli.complaints import Failure
from podgrouper.cli.demonstration.child import Controller, controller
from podgrouper.cli.demonstration.judge import verdict
from podgrouper.cli.demonstration.mirror import Mirror
from podgrouper.cli.demonstration.pools import POOLS
from podgrouper.cli.demonstration.rows import Row, rows_of
from podgrouper.cli.demonstration.screen import Screen, screen
from podgrouper.cli.demonstration.story import Seen, Story
from podgrouper.cli.demonstration.summary import hints, summary
from podgrouper.kube.client import Client
from podgrouper.kube.config import configured
from podgrouper.kube.transport import AiohttpTransport
from podgrouper.sandbox import crds
from podgrouper.sandbox.actors.cast import everybody
from podgrouper.sandbox.actors.stage import Stage, playing
from podgrouper.sandbox.api import Api
from podgrouper.sandbox.server import Server, running, store

LOOK_SECONDS = 0.25
SETTLE_SECONDS = 10.0
"""The controller's answer to the last change may still be on its way."""


async def play(folder: Path, *, keep: bool) -> None:
    """The whole demo. Raises `Failure`, alone or in a group, when anything is not as it should be."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with _cluster() as server:
        kubeconfig = server.write_kubeconfig(folder / "kubeconfig")
        async with controller(kubeconfig, folder) as child, asyncio.TaskGroup() as tasks:
            ends = tasks.create_task(child.watch_over())
            interruption = tasks.create_task(_interrupted(stop))
            await _performance(server, kubeconfig, child)
            interruption.cancel()
            if keep:
                print(hints(kubeconfig, child.health, [pool.namespace for pool in POOLS]), flush=True)
                await stop.wait()
            ends.cancel()


@asynccontextmanager
async def _cluster() -> AsyncIterator[Server]:
    """The embedded API with everybody who works in it."""
    kept = store()
    crds.install(kept)
    async with running(Api(kept)) as server, playing(Stage(kept, everybody(), lambda: datetime.now(UTC))):
        yield server


async def _performance(server: Server, kubeconfig: Path, child: Controller) -> None:
    """The story, shown while it happens; then what was seen, and whether it is what should be."""
    view = screen(f"podgrouper demo: API at {server.url}, controller in process {child.pid}")
    mirror = Mirror([pool.group for pool in POOLS])
    try:
        seen = await _story(kubeconfig, mirror, view)
    finally:
        view.close()
    print(summary(_rows(mirror), seen), flush=True)
    findings = verdict(mirror, POOLS, seen)
    if findings:
        raise Failure("not everything is as it should be:\n" + "\n".join(f"  {one}" for one in findings))


async def _story(kubeconfig: Path, mirror: Mirror, view: Screen) -> Seen:
    """Only the client sees the cluster from here on: over HTTP, as anybody else would."""
    transport = AiohttpTransport(configured(str(kubeconfig), "", {}, Path()))
    async with AsyncExitStack() as ends:
        ends.push_async_callback(transport.close)
        client = Client(transport)
        async with asyncio.TaskGroup() as tasks:
            others = [tasks.create_task(mirror.follow(client)), tasks.create_task(_look(mirror, view))]
            seen = await Story(client, mirror, POOLS, view.tell).play()
            await mirror.settle(lambda: not verdict(mirror, POOLS, seen), SETTLE_SECONDS)
            view.show(_rows(mirror))
            for task in others:
                task.cancel()
    return seen


async def _look(mirror: Mirror, view: Screen) -> None:
    while True:
        view.show(_rows(mirror))
        await asyncio.sleep(LOOK_SECONDS)


def _rows(mirror: Mirror) -> Sequence[Row]:
    return [row for pool in POOLS for row in rows_of(mirror, pool)]


async def _interrupted(stop: asyncio.Event) -> None:
    await stop.wait()
    raise Failure("the demo was stopped before its end; nothing of it is left running")
