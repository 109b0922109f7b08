"""How many pods old and new ReplicaSets of a Deployment may have now: the arithmetic of a rolling update."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from podgrouper.core.fields import dig, integer
from podgrouper.core.model import Json
from podgrouper.sandbox.actors.pods import replicas_wanted


@dataclass(frozen=True, slots=True)
class Room:
    """How far a rollout may stray from the number of pods that is wanted."""

    surge: int
    unavailable: int


def room_of(deployment: Json) -> Room:
    """Shares are of the wanted number: a surge is rounded up, what may be missing down; one is possible."""
    wanted = replicas_wanted(deployment)
    at = "spec.strategy.rollingUpdate"
    surge = _share(dig(deployment, f"{at}.maxSurge", "25%"), wanted, up=True)
    unavailable = _share(dig(deployment, f"{at}.maxUnavailable", "25%"), wanted, up=False)
    return Room(surge, unavailable if surge or unavailable else 1)


def next_new(deployment: Json, new: Json, everything: Sequence[Json]) -> int:
    """Replicas of the newest ReplicaSet: up as far as the surge lets all of them together go."""
    wanted, there = replicas_wanted(deployment), replicas_wanted(new)
    if there >= wanted:
        return wanted
    total = sum(map(replicas_wanted, everything))
    return there + max(0, min(wanted + room_of(deployment).surge - total, wanted - there))


def next_old(deployment: Json, new: Json, old: Sequence[Json]) -> Iterator[tuple[Json, int]]:
    """Old ReplicaSets with the replicas that they may shrink to: what is not available goes first."""
    least = replicas_wanted(deployment) - room_of(deployment).unavailable
    total = sum(map(replicas_wanted, (*old, new)))
    new_missing = replicas_wanted(new) - _available(new)
    left = total - least - new_missing
    available = sum(map(_available, (*old, new)))
    spare = available - least
    for one in old:
        there = replicas_wanted(one)
        broken = min(max(0, there - _available(one)), max(0, left))
        healthy = min(there - broken, max(0, spare), max(0, left - broken))
        left, spare = left - broken - healthy, spare - healthy
        if broken or healthy:
            yield one, there - broken - healthy


def _available(owner: Json) -> int:
    return integer(owner, "status.availableReplicas", 0)


def _share(value: object, whole: int, *, up: bool) -> int:
    if isinstance(value, int):
        return value
    digits = str(value).removesuffix("%")
    percent = int(digits) if digits.isdecimal() else 0
    return -(-whole * percent // 100) if up else whole * percent // 100
