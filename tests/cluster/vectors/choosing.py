"""Which vectors are run on the real API server: not picked by hand, and the same ones every time.

A world can live there unless the vector wants a kind not to be served (other worlds need it), or has an
object of Kubernetes' own in a version that the server gave up long ago. Of those that can, the first of each
area is taken, and the rest at equal distances through all areas.
"""

from collections.abc import Sequence

from podgrouper.core.fields import items, kind_of
from podgrouper.core.model import Ending
from podgrouper.memory.resources import BUILT_IN
from tests.cluster.vectors.restoring import is_custom
from tests.golden.vectors import Vector, built_in

VOLCANO, KAI = 100, 200
_SERVED = frozenset(resource.kind for resource in BUILT_IN)


def chosen() -> list[Vector]:
    volcano = [*built_in(file="volcano.jsonl"), *built_in(file="volcano-levels.jsonl")]
    return [*spread(volcano, VOLCANO), *spread(built_in(file="kai.jsonl"), KAI)]


def spread(vectors: Sequence[Vector], count: int) -> list[Vector]:
    """So many of those that can live on a server, by area."""
    able = sorted((one for one in vectors if can_live(one)), key=lambda one: one.area)
    first = [one for at, one in enumerate(able) if at == 0 or able[at - 1].area != one.area]
    rest = [one for one in able if one not in first]
    wanted = count - len(first)
    return [*first, *(rest[number * len(rest) // wanted] for number in range(wanted))]


def can_live(vector: Vector) -> bool:
    kinds = {kind_of(obj) for obj in vector.world}
    missing = Ending.UNKNOWN_KIND in vector.unreadable().values()
    return not missing and all(is_custom(kind) or kind in _SERVED for kind in kinds)


def grants(vector: Vector) -> bool:
    """Its pods tell what their containers were granted, which no server before 1.33 keeps."""
    statuses = (status for obj in vector.world for status in items(obj, "status.containerStatuses"))
    return any("resources" in status for status in statuses)
