"""The lifecycle of a group: from its floors and its pods to a phase and counters.

One table of rules, first match wins. The outcome depends on what is there now and on the phase before,
never on the way that led here: events may be lost or doubled.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from podgrouper.core.groups import Part
from podgrouper.core.model import Pod

ROOT = ""
"""The name under which the whole group is counted."""


class Phase(StrEnum):
    """Where a group is in its life. The names are Volcano's."""

    PENDING = "Pending"
    INQUEUE = "Inqueue"
    """A scheduler has reserved room. Nobody but a scheduler sets it; it is kept until members run."""
    RUNNING = "Running"
    UNKNOWN = "Unknown"
    COMPLETED = "Completed"


@dataclass(frozen=True, slots=True)
class Tally:
    """Members by what they do. Every pod counts once, `unschedulable` and `gated` are of the waiting ones."""

    running: int = 0
    placed: int = 0
    """Have a node and do not run yet."""
    waiting: int = 0
    """Have no node yet."""
    unschedulable: int = 0
    """A scheduler has looked at them and found no room."""
    gated: int = 0
    """No scheduler looks at them before their scheduling gates are gone."""
    succeeded: int = 0
    failed: int = 0
    leaving: int = 0
    """Being deleted."""

    @property
    def live(self) -> int:
        return self.running + self.placed + self.waiting

    @property
    def ended(self) -> int:
        return self.succeeded + self.failed


@dataclass(frozen=True, slots=True)
class Floors:
    """What has to be there at once, as one scheduler reads it."""

    floor: int = 0
    floor_of_parts: int | None = None
    parts: tuple[Part, ...] = ()
    total_counts: bool = True
    """The floor of the whole counts beside those of the parts; KAI ignores it where there are parts."""
    succeeded_count: bool = True
    """A member that succeeded fills its place; for KAI it is gone, and our floors are lowered instead."""


@dataclass(frozen=True, slots=True)
class Gang:
    """A group as its lifecycle sees it: floors, counts for the whole and for each part, the phase before."""

    floors: Floors
    tallies: Mapping[str, Tally]
    before: Phase | None = None

    @property
    def whole(self) -> Tally:
        return self.tallies.get(ROOT, Tally())

    def met(self, measure: Callable[[Tally], int]) -> bool:
        """Whether every floor that counts is reached when members are measured so."""
        floors = self.floors
        if not floors.parts:
            return self._fills(floors.floor, ROOT, measure)
        if floors.total_counts and not self._fills(floors.floor, ROOT, measure):
            return False
        return self._tree_met(ROOT, floors.floor_of_parts, measure)

    def _tree_met(self, parent: str, wanted: int | None, measure: Callable[[Tally], int]) -> bool:
        """As many parts below this one as are wanted, or all of them, have what they need."""
        children = [part for part in self.floors.parts if part.parent == parent and part.name != parent]
        met = sum(self._part_met(part, measure) for part in children)
        return met >= (len(children) if wanted is None else wanted)

    def _part_met(self, part: Part, measure: Callable[[Tally], int]) -> bool:
        if any(child.parent == part.name for child in self.floors.parts if child.name != part.name):
            return self._tree_met(part.name, part.floor_of_parts, measure)
        return self._fills(part.floor or 0, part.name, measure)

    def _fills(self, floor: int, name: str, measure: Callable[[Tally], int]) -> bool:
        tally = self.tallies.get(name, Tally())
        return measure(tally) + (tally.succeeded if self.floors.succeeded_count else 0) >= floor

    @property
    def runs(self) -> bool:
        """Enough members run, and at least one does."""
        return self.whole.running > 0 and self.met(lambda tally: tally.running)

    @property
    def has_room(self) -> bool:
        """Enough members have a node."""
        return self.met(lambda tally: tally.running + tally.placed)

    @property
    def complete(self) -> bool:
        """Enough members exist, whatever they do."""
        return self.met(lambda tally: tally.live)

    @property
    def over(self) -> bool:
        """Members were there, as many as the floor asks for, and all of them have ended."""
        tally = self.whole
        return not tally.live and not tally.leaving and 0 < tally.ended >= self.floors.floor

    @property
    def ran(self) -> bool:
        return self.before in (Phase.RUNNING, Phase.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the lifecycle."""

    phase: Phase
    when: str
    holds: Callable[[Gang], bool]


LIFECYCLE: tuple[Rule, ...] = (
    Rule(Phase.COMPLETED, "all members have ended, and the floor was reached", lambda gang: gang.over),
    Rule(Phase.RUNNING, "every floor is reached by members that run", lambda gang: gang.runs),
    Rule(
        Phase.RUNNING,
        "it ran, and members that start again have a node",
        lambda gang: gang.before is Phase.RUNNING and gang.whole.running > 0 and gang.has_room,
    ),
    Rule(
        Phase.UNKNOWN,
        "it ran, some members still run, the others have no node",
        lambda gang: gang.ran and gang.whole.running > 0,
    ),
    Rule(
        Phase.UNKNOWN,
        "some members run and no room was found for the others",
        lambda gang: gang.whole.running > 0 and gang.whole.unschedulable > 0,
    ),
    Rule(
        Phase.UNKNOWN,
        "it was Unknown and its members are still being deleted",
        lambda gang: gang.before is Phase.UNKNOWN and gang.whole.leaving > 0,
    ),
    Rule(Phase.INQUEUE, "a scheduler said so and nothing changed", lambda gang: gang.before is Phase.INQUEUE),
    Rule(Phase.PENDING, "otherwise", lambda _: True),
)
"""The first row that holds. Pending, Running, Unknown, Pending: a gang that starts, loses a member for
which there is no room, and is started anew by its operator."""


def phase_of(gang: Gang) -> Phase:
    """The phase now, given what is there and the phase before."""
    return next(rule.phase for rule in LIFECYCLE if rule.holds(gang))


def tallies_of(members: Iterable[tuple[Pod, str]]) -> Mapping[str, Tally]:
    """Counts for the whole (`ROOT`) and for each part, from pods and the part that each is in."""
    counts: dict[str, dict[str, int]] = {}
    for pod, part in members:
        for name in {ROOT, part}:
            entry = counts.setdefault(name, {})
            for what in _counted_as(pod):
                entry[what] = entry.get(what, 0) + 1
    return {name: Tally(**entry) for name, entry in counts.items()}


def _counted_as(pod: Pod) -> tuple[str, ...]:
    if pod.phase == "Succeeded":
        return ("succeeded",)
    if pod.phase == "Failed":
        return ("failed",)
    if pod.deleting:
        return ("leaving",)
    if pod.phase == "Running":
        return ("running",)
    if pod.node:
        return ("placed",)
    return ("waiting", _BLOCKED[pod.blocked]) if pod.blocked in _BLOCKED else ("waiting",)


_BLOCKED = {"Unschedulable": "unschedulable", "SchedulingGated": "gated"}
"""Reasons of a pod's condition `PodScheduled` when it is False."""
