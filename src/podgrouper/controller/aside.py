"""Decisions that may take their time are made in a thread, and the loop goes on meanwhile.

What answers slowly is not ours, and is ended when it takes too long; until then everybody else is served. The
thread decides and touches nothing: whatever it wants to see, it is shown on the loop.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TypeVar

from podgrouper.controller.store import Look
from podgrouper.core.groups import Decision
from podgrouper.core.model import Ending, Json, Kind, Pod
from podgrouper.core.workloads import Sight, Unseen

T = TypeVar("T")

Walk = Callable[[Sight], Decision | Unseen]


class Aside:
    """One decision at a time for each kind of boundary: they would wait for the same process anyway."""

    def __init__(self) -> None:
        self._lanes: dict[Kind, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def decide(
        self, kind: Kind, begin: Callable[[], Walk], look: Look, seen: Callable[[], None]
    ) -> Decision | Unseen:
        """What the walk gives that begins when its turn has come.

        `begin` and `seen` are called on the loop, `seen` whenever the look has grown.
        """
        async with self._lanes[kind]:
            walk, sight = begin(), _OnTheLoop(look, seen)
            return await _in_a_thread(lambda: walk(sight))


class _OnTheLoop:
    """A sight for another thread. Nothing is read while the loop writes."""

    def __init__(self, look: Look, seen: Callable[[], None]) -> None:
        self._look = look
        self._seen = seen
        self._loop = asyncio.get_running_loop()

    def object(self, kind: Kind, namespace: str, name: str, uid: str = "", /) -> Json | Ending:
        return self._shown(lambda: self._look.object(kind, namespace, name, uid))

    def group(self, kind: Kind, namespace: str, name: str, /) -> Json | None:
        return self._shown(lambda: self._look.group(kind, namespace, name))

    def groups(self, kind: Kind, namespace: str, prefix: str, /) -> Mapping[str, Json]:
        return self._shown(lambda: self._look.groups(kind, namespace, prefix))

    def labelled_pods(self, namespace: str, labels: tuple[tuple[str, str], ...], /) -> tuple[Pod, ...]:
        return self._shown(lambda: self._look.labelled_pods(namespace, labels))

    def priority_classes(self) -> frozenset[str] | None:
        return self._shown(self._look.priority_classes)

    def _shown(self, read: Callable[[], T]) -> T:
        def show() -> T:
            shown = read()
            self._seen()
            return shown

        done: Future[T] = Future()
        self._loop.call_soon_threadsafe(_settle, done, show)
        return done.result()


async def _in_a_thread(work: Callable[[], T]) -> T:
    """A thread of its own, which nobody waits for when the program ends."""
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()
    threading.Thread(target=_settle, args=(done, work), daemon=True).start()
    return await asyncio.wrap_future(done)


def _settle(future: Future[T], work: Callable[[], T]) -> None:
    """Does the work, and hands over what comes of it."""
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
