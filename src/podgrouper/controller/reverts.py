"""No wars: what somebody takes back twice within a minute is not written again at once.

Two controllers of different opinion about a PodGroup would otherwise write for ever. We give in, say so,
and try again every ten minutes.
"""

from collections.abc import Hashable
from typing import NamedTuple

MINUTE = 60.0
TRUCE_SECONDS = 600.0


class _Record(NamedTuple):
    """The last thing that we wrote at a place, and when: the last time, and others of the minute before."""

    meaning: int
    times: tuple[float, ...]
    next_try: float = 0.0


class Reverts:
    """What was written lately, by place. Only what says the same as the write before it is a repetition.

    A meaning is a hash: every link of the last minute stands here.
    """

    def __init__(self) -> None:
        self._records: dict[Hashable, _Record] = {}

    def __len__(self) -> int:
        return len(self._records)

    def truce(self, place: Hashable, meaning: int, now: float) -> float:
        """Seconds that this write has to wait; 0 when it may be made."""
        record = self._records.get(place)
        if record is None or record.meaning != meaning:
            return 0.0
        if record.next_try:
            return max(0.0, record.next_try - now)
        if len(_recent(record, now)) < 2:
            return 0.0
        self._records[place] = record._replace(next_try=now + TRUCE_SECONDS)
        return TRUCE_SECONDS

    def note(self, place: Hashable, meaning: int, now: float) -> None:
        """The write was made."""
        record = self._records.get(place)
        if record is None or record.meaning != meaning:
            self._records[place] = _Record(meaning, (now,))
            return
        next_try = now + TRUCE_SECONDS if record.next_try else 0.0
        self._records[place] = _Record(meaning, (*_recent(record, now), now), next_try)

    def forget_old(self, now: float) -> None:
        """What is long past need not be remembered."""
        self._records = {
            place: record
            for place, record in self._records.items()
            if _recent(record, now) or (record.next_try and now < record.next_try + TRUCE_SECONDS)
        }


def _recent(record: _Record, now: float) -> tuple[float, ...]:
    return tuple(time for time in record.times if now - time < MINUTE)
