"""How many groups are in which phase, and what each of them has behind it: linked, running.

The phase is what the pods and the phase before say: what schedulers write into PodGroups is not kept. Only
what happened before our eyes is dated. A group that was linked or ran when it was seen first did so at a time
that nobody knows.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import cache

from podgrouper.core.changes import LiveGroup
from podgrouper.core.fields import owner_refs
from podgrouper.core.groups import Decision
from podgrouper.core.interfaces import Dialect
from podgrouper.core.model import Key, Pod
from podgrouper.core.observed import gang_of, pods_by_group
from podgrouper.core.status import Gang, Phase, phase_of


class Milestone(Enum):
    """What a group passes once."""

    LINKED = "all its pods are linked"
    RUNNING = "the gang runs"


@dataclass(frozen=True, slots=True)
class Sighting:
    """A group, with the pods that name it. One that nobody has made yet waits like any other."""

    name: str
    gang: Gang
    linked: bool
    first_pod: datetime | None
    """When the oldest pod was created; None when that cannot be read."""


@dataclass(frozen=True, slots=True)
class _Life:
    phase: Phase
    passed: frozenset[Milestone]


class Census:
    """What was seen of every group last, by key."""

    def __init__(self) -> None:
        self._lives: dict[Key, Mapping[str, _Life]] = {}
        self._counts: dict[str, Counter[Phase]] = {}

    def note(self, key: Key, sightings: Iterable[Sighting]) -> tuple[tuple[Milestone, datetime], ...]:
        """Replaces what was known of the key's groups; none: the key is no more.

        Gives the milestones that were passed since, each with the birth of the group's first pod.
        """
        before = self._lives.pop(key, {})
        lives: dict[str, _Life] = {}
        passed: list[tuple[Milestone, datetime]] = []
        for sighting in sightings:
            known = before.get(sighting.name)
            life = lives[sighting.name] = _lived(sighting, known)
            if known and sighting.first_pod:
                new = (milestone for milestone in Milestone if milestone in life.passed - known.passed)
                passed.extend((milestone, sighting.first_pod) for milestone in new)
        counts = self._counts.setdefault(key.profile, Counter())
        counts.subtract(life.phase for life in before.values())
        counts.update(life.phase for life in lives.values())
        if lives:
            self._lives[key] = lives
        return tuple(passed)

    def count(self, profile: str, phase: Phase) -> int:
        """How many groups of the profile are in that phase."""
        return self._counts.get(profile, Counter())[phase]


def _lived(sighting: Sighting, known: _Life | None) -> _Life:
    phase = phase_of(replace(sighting.gang, before=known.phase if known else None))
    now = {Milestone.LINKED: sighting.linked, Milestone.RUNNING: phase in (Phase.RUNNING, Phase.COMPLETED)}
    before = known.passed if known else frozenset()
    return _life(phase, before | {milestone for milestone, holds in now.items() if holds})


@cache
def _life(phase: Phase, passed: frozenset[Milestone]) -> _Life:
    """There are few different ones, however many groups there are."""
    return _Life(phase, passed)


def sightings_of(
    decision: Decision, pods: Iterable[Pod], dialect: Dialect, live: LiveGroup
) -> Iterator[Sighting]:
    """The groups of one boundary: those decided, and those whose members have all ended."""
    key, linked = decision.key, pods_by_group(pods, dialect)
    decided = {rendered.group.name: rendered for rendered in decision.rendered}
    for name in sorted(decided.keys() | {group for _, group in linked}):
        rendered, found = decided.get(name), live(dialect.kind, key.namespace, name)
        shown = found or (rendered.object if rendered else None)
        if shown is None or not (rendered or any(owner.uid == key.uid for owner in owner_refs(shown))):
            continue
        members = linked.get((key.namespace, name), ())
        there = {pod.uid for pod in members}
        seats = rendered.group.placements if rendered else ()
        waiting = [seat.pod for seat in seats if seat.pod.live and seat.pod.uid not in there]
        births = [pod.created for pod in (*members, *waiting) if pod.created]
        gang = gang_of(shown, members, dialect)
        yield Sighting(name, gang, not waiting, _time(min(births, default="")))


def _time(written: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        return None
    return found if found.tzinfo else None
