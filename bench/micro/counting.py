"""From readings taken between calls to the cost of one of them. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_TOTALS = re.compile(r"^totals: (\d+)$", re.MULTILINE)
PARTS = 3
"""Of each case: what came before it, its calls, and twice as many of them."""


def instructions(dump: str) -> int:
    """All that one dump of callgrind counted. Raises ValueError where it does not say."""
    found = _TOTALS.search(dump)
    if found is None:
        raise ValueError("this is no dump of callgrind: it has no totals")
    return int(found[1])


def costs(spent: Sequence[float], calls: Sequence[int]) -> Iterator[float]:
    """Of one call in each case, from what was spent in all parts of all cases, in order.

    Twice as many calls cost that much more; what is done once for all of them falls out of the difference.
    """
    if len(spent) != PARTS * len(calls):
        raise ValueError(f"{len(spent)} parts of {len(calls)} cases, of which each has {PARTS}")
    for place, count in enumerate(calls):
        _, once, twice = spent[PARTS * place : PARTS * (place + 1)]
        yield (twice - once) / count


def spent_between(stamps: Sequence[float]) -> list[float]:
    """What lies between any two that follow each other."""
    return [later - earlier for earlier, later in pairwise(stamps)]
