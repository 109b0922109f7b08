"""The garbage collector at work: soon after each write that may have left something behind."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from podgrouper.memory.collector import Collector
from podgrouper.memory.history import Event
from podgrouper.memory.store import Store


@contextmanager
def collecting(store: Store) -> Iterator[Collector]:
    """Collects while it is entered, in the running loop, never inside the write that caused it."""
    collector = Collector(store)
    loop = asyncio.get_running_loop()

    def soon(_: Event) -> None:
        if not collector.idle:
            loop.call_soon(collector.collect)

    stop = store.subscribe(soon)
    loop.call_soon(collector.collect)
    try:
        yield collector
    finally:
        stop()
        collector.close()
