"""The loop around `watching`: sends what it asks for and hands on its events, until it is cancelled."""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from typing import Never

from podgrouper.kube.client import Client
from podgrouper.kube.decoding import Shape
from podgrouper.kube.errors import ApiError, NotFound, UnknownKind
from podgrouper.kube.requests import Request, WatchSpec
from podgrouper.kube.watching import Event, Watching

SLICE = 16
"""Events handed on at once."""
SLICE_SECONDS = 0.008
"""Other tasks get a turn this often, however much there is to do."""

OnEvents = Callable[[Sequence[Event]], None]


async def watch(
    client: Client,
    spec: WatchSpec,
    on_events: OnEvents,
    *,
    shape: Shape = dict,
    now: Callable[[], float] = time.monotonic,
    chance: Callable[[], float] = random.random,
) -> Never:
    """Follows what `spec` selects. `on_events` is called in the order of events and never awaits."""
    machine = Watching(spec, shape=shape, random=chance)
    events = _Slices(on_events, now)
    while True:
        await asyncio.sleep(machine.pause())
        try:
            ask = machine.ask(await client.resource(spec.kind))
            if ask.streams:
                await _follow(client, ask.request, machine, events, now)
            else:
                answer = await client.send(ask.request)
                await events.hand_on(machine.page(answer.body, now()))
        except ApiError as error:
            if isinstance(error, NotFound | UnknownKind):
                client.forget(spec.kind)
            await events.hand_on(machine.failed(error, now()))


async def _follow(
    client: Client, request: Request, machine: Watching, events: "_Slices", now: Callable[[], float]
) -> None:
    async with client.stream(request) as stream:
        await events.hand_on(machine.opened(now()))
        async for chunk in stream:
            await events.hand_on(machine.chunk(chunk, now()))
            if not machine.streaming:
                return
        await events.hand_on(machine.ended(now()))


class _Slices:
    """Hands on events and gives other tasks a turn. A stream with bytes at hand never waits by itself."""

    def __init__(self, on_events: OnEvents, now: Callable[[], float]) -> None:
        self._on_events = on_events
        self._now = now
        self._since = now()

    async def hand_on(self, events: Sequence[Event]) -> None:
        for start in range(0, len(events), SLICE):
            self._on_events(events[start : start + SLICE])
            if self._now() - self._since >= SLICE_SECONDS:
                await asyncio.sleep(0)
                self._since = self._now()
