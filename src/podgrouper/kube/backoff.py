"""How long to wait before asking again: longer each time, at random, never longer than a minute.

Whatever fails comes back by itself soon after what it failed for is over. So the longest wait grows with the
time that it has failed: what was away for half a minute is back within seconds.
"""

from collections.abc import Callable

CAP_SECONDS = 60.0
SOON_SECONDS = 5.0
"""The longest wait at first."""
SHARE = 0.2
"""The longest wait afterwards, as a share of the time waited so far."""
OBEY_SECONDS = 300.0
"""A server that wants to be left alone for longer is asked nevertheless."""


def longest_wait(waited: float) -> float:
    """For what has failed and waited for so many seconds in all."""
    return min(CAP_SECONDS, max(SOON_SECONDS, SHARE * waited))


class Backoff:
    """Doubles with each failure in a row. `random` gives numbers from 0 to 1."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._waited = 0.0
        self._silent = False
        self.failures = 0
        self.delay = 0.0
        """Seconds to wait now."""

    def reset(self) -> None:
        self.failures = 0
        self.delay = self._waited = 0.0

    def heard(self, *, answer: bool) -> None:
        """A failure that is an answer, or the lack of one. The first answer after none begins anew: a server
        that comes up refuses for some moments."""
        if answer and self._silent:
            self.reset()
        self._silent = not answer

    def grow(self, first: float = 0.5, at_least: float = 0.0) -> None:
        """Another failure; `first` seconds for the first one, `at_least` what the server asked for."""
        longest = min(longest_wait(self._waited), first * 2 ** min(self.failures, 10))
        self.failures += 1
        self.delay = max(longest * (0.5 + self._random() / 2), min(at_least, OBEY_SECONDS))
        self._waited += self.delay
