"""Python's garbage collector, told that what we keep is kept.

A full collection walks every object there is: with a hundred thousand pods that is a second in which nothing
else happens (measured). What we keep has no cycles, so looking at it again and again finds nothing. So the
young are looked at as always, all others by our own clock; and once they are many, what is there is looked at
no more (`gc.freeze`). It still goes as soon as nobody needs it: for that Python counts.
"""

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

YOUNG = 20_000
"""So many new objects are looked at together: two milliseconds."""
YOUNG_PASSES = 10
"""So many of these passes before their survivors are looked at once more."""
NEVER = 1_000_000
"""Of a full collection by itself."""
FILLING_SECONDS = 1.0
"""Between two looks while everything is listed: much comes then."""
PAUSE_SECONDS = 10.0
MANY = 50_000
"""Objects: five milliseconds. To freeze fewer would only keep what is garbage later, such as what a request
under way is made of: where every request fails for days, that would be a leak."""


@contextmanager
def calm(full: Callable[[], bool]) -> Iterator[None]:
    """While the context is open no collection takes long. `full`: everything was listed."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, YOUNG_PASSES, NEVER)
    looks = _Looks(full)
    try:
        yield
    finally:
        looks.stop()
        gc.set_threshold(*before)
        gc.unfreeze()


class _Looks:
    def __init__(self, full: Callable[[], bool]) -> None:
        self._full = full
        self._loop = asyncio.get_running_loop()
        self._due = self._loop.call_later(FILLING_SECONDS, self._look)

    def stop(self) -> None:
        self._due.cancel()

    def _look(self) -> None:
        gc.collect()
        if len(gc.get_objects()) > MANY:
            gc.freeze()
        self._due = self._loop.call_later(PAUSE_SECONDS if self._full() else FILLING_SECONDS, self._look)
