"""Which rights we lack at present: told once in the log, and counted as long as it is so.

A thousand pods that may not be linked are one right that is missing. What the work does without it is not
decided here: whoever is refused tries again, and so finds out that the right is back.
"""

import logging
from collections.abc import Callable

from podgrouper.kube.errors import ApiError
from podgrouper.kube.requests import Request
from podgrouper.kube.rights import Place, Right, lacking, right_for

log = logging.getLogger(__name__)

NEXT_STEP = "apply what `podgrouper rbac` prints"
NO_ROLE_CAN = "no Role can grant it: do without, or bind a ClusterRole with it"
"""What is said of it to who looks after a few namespaces."""
FORGET_SECONDS = 600.0
"""Whoever still needs a right is refused again within a minute. Later nobody needs it any more."""


def level_of(error: Exception | None, usual: int) -> int:
    """How loud others tell of an error: hardly, when it is a right that is missing, for that is told here."""
    return logging.DEBUG if lacking(error) else usual


class Rights:
    """Hears how every request ended. `now` is a clock that only ever goes forward."""

    def __init__(self, now: Callable[[], float], *, in_namespaces: bool = False) -> None:
        self._now = now
        self._in_namespaces = in_namespaces
        self._refused: dict[Place, float] = {}
        """Where a right is missing, and when that was said last."""

    def __call__(self, request: Request, error: ApiError | None) -> None:
        place = lacking(error)
        if place:
            self._lost(place, error)
        elif error is None and self._refused:
            self._found(right_for(request))

    def missing(self) -> frozenset[Right]:
        """Wherever it may be."""
        oldest = self._now() - FORGET_SECONDS
        self._refused = {place: then for place, then in self._refused.items() if then > oldest}
        return frozenset(right for right, _ in self._refused)

    def _lost(self, place: Place, error: ApiError | None) -> None:
        if place[0] not in self.missing():
            step = NO_ROLE_CAN if self._in_namespaces and not place[1] else NEXT_STEP
            log.warning("missing right: %s; %s; it is tried again within a minute", error, step)
        self._refused[place] = self._now()

    def _found(self, place: Place | None) -> None:
        for back in [one for one in self._refused if place and _told_by(place, one)]:
            del self._refused[back]
            if back[0] not in self.missing():
                log.info("the right is there again: %s", back[0])


def _told_by(granted: Place, refused: Place) -> bool:
    """Whoever watches all objects there need not get one any more: nobody would try that again."""
    (right, where), (lacked, there) = granted, refused
    watched = right.verb == "watch" and lacked == Right(right.resource, "get") and where in ("", there)
    return granted == refused or watched
