"""Which keys are waiting to be looked at.

A key waits once, however often it is asked for, and runs once at a time: asked for while it runs, it runs
again afterwards. Delayed keys wait aside; an earlier time beats a later one, and "now" beats both.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")

EARLY_SECONDS = 0.001
"""Timers may ring so much too early: uvloop counts in milliseconds."""


class Queue(Generic[Item]):
    """First in, first out; nothing is lost and nothing is there twice."""

    def __init__(self) -> None:
        self._waiting: deque[Item] = deque()
        self._queued: set[Item] = set()
        self._running: set[Item] = set()
        self._again: set[Item] = set()
        self._delayed: dict[Item, asyncio.TimerHandle] = {}
        self._resting: dict[Item, float] = {}
        self._ready = asyncio.Event()
        self._ended = asyncio.Event()
        self._closed = False

    def __len__(self) -> int:
        return len(self._waiting) + len(self._running) + len(self._delayed)

    @property
    def waiting(self) -> int:
        """Keys that could run now."""
        return len(self._waiting)

    @property
    def busy(self) -> bool:
        """Something runs or could run now; delayed keys do not count."""
        return bool(self._waiting or self._running)

    def awaits(self, item: Item) -> bool:
        """The key could run now, and has not begun to."""
        return item in self._queued

    def begin_anew(self, item: Item) -> None:
        """A key that runs looks at everything again: what woke it until now needs no further run."""
        self._again.discard(item)

    def add(self, item: Item) -> None:
        if item in self._resting:
            until = self._resting[item]
            if asyncio.get_running_loop().time() < until - EARLY_SECONDS:
                self._at(item, until)
                return
            del self._resting[item]
        handle = self._delayed.pop(item, None)
        if handle:
            handle.cancel()
        if item in self._running:
            self._again.add(item)
        elif item not in self._queued:
            self._queued.add(item)
            self._waiting.append(item)
            self._ready.set()

    def add_later(self, item: Item, seconds: float) -> None:
        """Runs the key after so many seconds, unless it is asked for earlier."""
        if item in self._queued or item in self._again:
            return
        self._at(item, asyncio.get_running_loop().time() + seconds)

    def rest(self, item: Item, seconds: float) -> None:
        """Until then the key does not run again: one that takes long leaves room for others."""
        self._resting[item] = asyncio.get_running_loop().time() + seconds

    def _at(self, item: Item, due: float) -> None:
        earlier = self._delayed.get(item)
        if self._closed or (earlier and earlier.when() <= due):
            return
        if earlier:
            earlier.cancel()
        self._delayed[item] = asyncio.get_running_loop().call_at(due, self._wake, item)

    def _wake(self, item: Item) -> None:
        """The time of a delayed key has come; one that rests still has to wait for that."""
        del self._delayed[item]
        self.add(item)

    async def take(self) -> Item:
        """The next key; it runs until `done`."""
        while not self._waiting or self._closed:
            self._ready.clear()
            await self._ready.wait()
        item = self._waiting.popleft()
        self._queued.discard(item)
        self._running.add(item)
        return item

    def take_all(self, wanted: Callable[[Item], bool]) -> list[Item]:
        """All of these that could run now, out of turn; each runs until `done`."""
        taken = [item for item in self._waiting if wanted(item)]
        self._waiting = deque(item for item in self._waiting if not wanted(item))
        self._queued.difference_update(taken)
        self._running.update(taken)
        return taken

    def done(self, item: Item) -> None:
        self._running.discard(item)
        self._ended.set()
        if item in self._again:
            self._again.discard(item)
            self.add(item)

    async def idle(self) -> None:
        """Comes back when no key runs."""
        while self._running:
            self._ended.clear()
            await self._ended.wait()

    def close(self) -> None:
        """No key is handed out any more, and no delayed one wakes up."""
        self._closed = True
        for handle in self._delayed.values():
            handle.cancel()
        self._delayed.clear()
        self._resting.clear()

    def forget(self, item: Item) -> None:
        """The key does not exist any more."""
        self._resting.pop(item, None)
