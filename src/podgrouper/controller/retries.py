"""When something that failed is tried again: one table."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

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
Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Backoff:
    """Seconds before the first new try; each further one waits twice as long, up to the cap."""

    first: float


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
    (Exception, Backoff(5.0)),  # a fault of ours
)


class Retries(Generic[Item]):
    """How often each item failed in a row."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._failures: dict[Item, int] = {}

    def delay(self, item: Item, error: Exception) -> float:
        """Seconds until the next try: doubling, capped, jittered, never sooner than the server asks."""
        failures = self._failures.get(item, 0)
        self._failures[item] = min(failures + 1, 16)
        first = next(row.first for family, row in TABLE if isinstance(error, family))
        seconds: float = min(CAP_SECONDS, first * 2**failures) * (0.8 + 0.2 * self._random())
        return max(seconds, error.retry_after) if isinstance(error, ApiError) else seconds

    def forget(self, item: Item) -> None:
        self._failures.pop(item, None)
