"""When something that failed is tried again: one table."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from podgrouper.kube.backoff import longest_wait
from podgrouper.kube.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    TooMany,
    Unavailable,
    UnknownKind,
)

CAP_SECONDS = 60.0
PER_SECOND = 50
"""So many are tried again in a second, when all of them fail for one reason: thousands that want to come back
soon would be one more burden on a server that has enough."""
Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds before the first new try; each further one waits twice as long, up to a limit.

    The limit of what may `pass` by itself grows with the time that it has lasted.
    """

    first: float
    passes: bool = True


TABLE: tuple[tuple[type[Exception], Backoff], ...] = (
    (AlreadyExists, Backoff(0.02)),  # read meanwhile: the next look decides with what is there
    (Conflict, Backoff(0.02)),
    (TooMany, Backoff(1.0)),
    (Unavailable, Backoff(0.5)),
    (UnknownKind, Backoff(2.0)),  # a CRD that is being installed
    (NotFound, Backoff(1.0)),  # a namespace that is going, an object that just went
    (Forbidden, Backoff(2.0)),  # a role or a webhook; somebody has to act
    (Invalid, Backoff(2.0)),
    (ApiError, Backoff(1.0)),
    (Exception, Backoff(5.0, passes=False)),  # a fault of ours
)


@dataclass(frozen=True, slots=True)
class _Past:
    """Of something that failed in a row."""

    failures: int = 0
    waited: float = 0.0
    unanswered: bool = False
    """The last one was that nobody answered."""


_GOOD = _Past()


class Retries(Generic[Item]):
    """How often each item failed in a row."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._past: dict[Item, _Past] = {}

    def delay(self, item: Item, error: Exception) -> float:
        """Seconds until the next try: doubling, capped, jittered, never sooner than the server asks."""
        past = self._past.get(item, _GOOD)
        row = next(row for family, row in TABLE if isinstance(error, family))
        unanswered = isinstance(error, ApiError) and not error.status
        if past.unanswered and not unanswered:
            past = _GOOD  # the server is back, and may be busy with coming up
        limit = max(longest_wait(past.waited), len(self._past) / PER_SECOND) if row.passes else CAP_SECONDS
        seconds = min(CAP_SECONDS, limit, row.first * 2**past.failures) * (0.8 + 0.2 * self._random())
        delay: float = max(seconds, error.retry_after) if isinstance(error, ApiError) else seconds
        self._past[item] = _Past(min(past.failures + 1, 16), past.waited + delay, unanswered)
        return delay

    def forget(self, item: Item) -> None:
        self._past.pop(item, None)
