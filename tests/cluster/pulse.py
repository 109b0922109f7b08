"""Whether a program answers all the while: somebody who asks and asks, and remembers the longest wait."""

import time
from threading import Event, Thread
from types import TracebackType
from typing import Self
from urllib.error import URLError
from urllib.request import urlopen

PAUSE_SECONDS = 0.02
GIVEN_UP = 30.0


class Pulse:
    """Asks for a page, from `with` to its end."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._ended = Event()
        self._asking = Thread(target=self._ask)
        self.beats = 0
        self.longest = 0.0
        """Seconds; no answer at all counts as very long."""

    def __enter__(self) -> Self:
        self._asking.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._asking.join()

    def _ask(self) -> None:
        while not self._ended.wait(PAUSE_SECONDS):
            started = time.monotonic()
            try:
                urlopen(self._url, timeout=GIVEN_UP).close()
                taken = time.monotonic() - started
            except (URLError, ConnectionError):
                taken = GIVEN_UP
            self.beats += 1
            self.longest = max(self.longest, taken)
