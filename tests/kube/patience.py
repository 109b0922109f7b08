"""Asking a server again until it is as far as a test needs it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

_PAUSE = 0.05


async def succeeds(
    attempt: Callable[[], Awaitable[T]], *, despite: type[Exception], within: float = 15.0
) -> T:
    """What the first attempt gives that does not raise `despite`; at the deadline its error goes through."""
    deadline = time.monotonic() + within
    while True:
        try:
            return await attempt()
        except despite:
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(_PAUSE)


async def raises(
    attempt: Callable[[], Awaitable[object]], *, instead_of: type[Exception], within: float = 15.0
) -> None:
    """Raises the first error of another class, or at the deadline the last one."""

    async def once() -> None:
        await attempt()
        raise instead_of("the attempt raised nothing")

    await succeeds(once, despite=instead_of, within=within)
