"""How long to wait before asking again: longer each time, at random, never longer than a minute."""

from collections.abc import Callable

CAP_SECONDS = 60.0
OBEY_SECONDS = 300.0
"""A server that wants to be left alone for longer is asked nevertheless."""


class Backoff:
    """Doubles with each failure in a row. `random` gives numbers from 0 to 1."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self.failures = 0
        self.delay = 0.0
        """Seconds to wait now."""

    def reset(self) -> None:
        self.failures = 0
        self.delay = 0.0

    def grow(self, first: float = 0.5, at_least: float = 0.0) -> None:
        """Another failure; `first` seconds for the first one, `at_least` what the server asked for."""
        longest = min(CAP_SECONDS, first * 2 ** min(self.failures, 10))
        self.failures += 1
        self.delay = max(longest * (0.5 + self._random() / 2), min(at_least, OBEY_SECONDS))
