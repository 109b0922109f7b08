"""No wars: what somebody takes back twice within a minute is not written again at once.

Two controllers of different opinion about a PodGroup would otherwise write for ever. We give in, say so,
and try again every ten minutes.
"""

from dataclasses import dataclass, field

MINUTE = 60.0
TRUCE_SECONDS = 600.0


@dataclass(slots=True)
class _Record:
    """The last thing that we wrote at a place, and when: the last time, and others of the minute before."""

    meaning: bytes
    times: list[float] = field(default_factory=list)
    next_try: float = 0.0


class Reverts:
    """What was written lately, by place. Only what says the same as the write before it is a repetition."""

    def __init__(self) -> None:
        self._records: dict[object, _Record] = {}

    def truce(self, place: object, meaning: bytes, now: float) -> float:
        """Seconds that this write has to wait; 0 when it may be made."""
        record = self._records.get(place)
        if record is None or record.meaning != meaning:
            return 0.0
        if record.next_try:
            return max(0.0, record.next_try - now)
        if len(_recent(record, now)) < 2:
            return 0.0
        record.next_try = now + TRUCE_SECONDS
        return TRUCE_SECONDS

    def note(self, place: object, meaning: bytes, now: float) -> None:
        """The write was made."""
        record = self._records.pop(place, None)
        if record is None or record.meaning != meaning:
            record = _Record(meaning)
        elif record.next_try:
            record.next_try = now + TRUCE_SECONDS
        record.times = [*_recent(record, now), now]
        self._records[place] = record
        self._prune(now)

    def _prune(self, now: float) -> None:
        """The oldest come first; what is long past need not be remembered."""
        while self._records:
            place, record = next(iter(self._records.items()))
            if now - record.times[-1] < MINUTE or now < record.next_try + TRUCE_SECONDS:
                return
            del self._records[place]


def _recent(record: _Record, now: float) -> list[float]:
    return [time for time in record.times if now - time < MINUTE]
