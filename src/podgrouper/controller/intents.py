"""What would be written if we wrote: which of it has lasted, and what of that is news.

Beside another controller most intents are gone a moment later, because it does the same. Only one that lasts
is worth a word, and one word is enough for it.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from podgrouper.controller.meanings import meaning_of
from podgrouper.core.plans import Change, Report

PATIENCE_SECONDS = 10.0
"""So long whoever does the work may take for it."""
Meaning: TypeAlias = tuple[Hashable, int]


@dataclass(frozen=True, slots=True)
class Intent:
    """A change that would be made, since when, and whether it has lasted."""

    change: Change
    since: float
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class News:
    """Intents that have just lasted long enough, and the seconds after which others may have; 0: none."""

    lasting: tuple[Change, ...]
    again_in: float


class Intents:
    """By whose plan they are in, as it was made last."""

    def __init__(self) -> None:
        self._by_key: dict[Hashable, Mapping[Meaning, Intent]] = {}
        self.lasting: Counter[type[Change]] = Counter()
        """How many changes of each kind would be made to the world as it stands."""

    def look(self, key: Hashable, changes: Iterable[Change], now: float) -> News:
        """Replaces what was intended for this key: what is not among the changes any more is forgotten."""
        before = self._by_key.get(key, {})
        intents = {
            meaning: _grown(before.get(meaning), change, now)
            for change in changes
            if not isinstance(change, Report)
            for meaning in (meaning_of(change),)
        }
        self._replace(key, intents)
        news = (intent.change for meaning, intent in intents.items() if _is_news(intent, before.get(meaning)))
        young = [intent.since for intent in intents.values() if not intent.lasting]
        return News(tuple(news), min(young) + PATIENCE_SECONDS - now if young else 0.0)

    def forget(self, key: Hashable) -> None:
        self._replace(key, {})

    def _replace(self, key: Hashable, intents: Mapping[Meaning, Intent]) -> None:
        self.lasting.subtract(_lasting(self._by_key.pop(key, {})))
        self.lasting.update(_lasting(intents))
        if intents:
            self._by_key[key] = intents


def _grown(known: Intent | None, change: Change, now: float) -> Intent:
    since = known.since if known else now
    return Intent(change, since, lasting=now - since >= PATIENCE_SECONDS)


def _is_news(intent: Intent, before: Intent | None) -> bool:
    return intent.lasting and not (before and before.lasting)


def _lasting(intents: Mapping[Meaning, Intent]) -> Iterator[type[Change]]:
    return (type(intent.change) for intent in intents.values() if intent.lasting)
