"""Long work in short slices: whoever has much to do lets everybody else have a turn every few milliseconds.

Without it a queue of ten thousand keys that need no request would run to its end before a single byte is
read from a socket: nothing of that ever waits by itself.
"""

import asyncio

SLICE_SECONDS = 0.008


class Turns:
    """Shared by all who do long work on one loop, so that their slices do not add up."""

    def __init__(self) -> None:
        self._since = _now()
        self._others: asyncio.Event | None = None

    async def give(self) -> None:
        """Waits until the others had their turn, if the slice is used up."""
        while _now() - self._since >= SLICE_SECONDS:
            if self._others is None:
                self._others = asyncio.Event()
                asyncio.get_running_loop().call_soon(self._begin)
            await self._others.wait()

    def _begin(self) -> None:
        """The loop came round: a new slice."""
        others, self._others = self._others, None
        self._since = _now()
        if others:
            others.set()


def _now() -> float:
    return asyncio.get_running_loop().time()
