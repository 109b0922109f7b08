"""What a group's status says in words: two conditions, their reasons, and when they changed.

A condition keeps its time and its transition until its status or its reason is another one. Everything else
follows from what is there now: the same world leads to the same status, and nothing is written that says
nothing new.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from podgrouper.core.status import Gang, Phase, phase_of

UNSCHEDULABLE, SCHEDULED = "Unschedulable", "Scheduled"
POD_FAILED = "PodFailed"
POD_DELETED = "PodDeleted"
NOT_ENOUGH_RESOURCES = "NotEnoughResources"
NOT_ENOUGH_TASKS = "NotEnoughTasks"
RESTARTS_USED_UP = "RestartsUsedUp"
"""Condition of groups that are started anew when they break."""
RESTARTS_LEFT = "RestartsLeft"
PODS_GATED = "PodsGated"
NOT_SCHEDULED_YET = "NotScheduledYet"
TASKS_SCHEDULED = "TasksScheduled"


@dataclass(frozen=True, slots=True)
class Condition:
    """One entry of `status.conditions`. Times are RFC 3339 in UTC."""

    type: str
    holds: bool
    reason: str
    message: str = ""
    since: str = ""
    transition: str = ""

    def same_meaning(self, other: "Condition") -> bool:
        return (self.type, self.holds, self.reason) == (other.type, other.holds, other.reason)


@dataclass(frozen=True, slots=True)
class Moment:
    """When a status is made, and the name of the change that it brings about. The edge knows both."""

    time: str
    transition: str


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a group, for no scheduler in particular."""

    phase: Phase | None = None
    running: int = 0
    succeeded: int = 0
    failed: int = 0
    conditions: tuple[Condition, ...] = ()
    made: Moment | None = field(default=None, compare=False)
    """When it was made, for those who write down when the phase changed."""

    def condition(self, kind: str) -> Condition | None:
        return next((found for found in self.conditions if found.type == kind), None)


def status_of(gang: Gang, before: Status, moment: Moment, *more: Condition) -> Status:
    """The status now, with `more` of our conditions. Equal to `before` when it means the same."""
    whole = gang.whole
    phase = phase_of(gang)
    conditions = tuple(_dated(one, before, moment) for one in (*_conditions(gang, phase), *more))
    ours = {one.type for one in conditions}
    foreign = (one for one in before.conditions if one.type not in ours)
    return Status(phase, whole.running, whole.succeeded, whole.failed, (*foreign, *conditions), moment)


def _dated(new: Condition, before: Status, moment: Moment) -> Condition:
    """The condition with its old time, unless it means something else now."""
    old = before.condition(new.type)
    if old and new.same_meaning(old):
        return replace(new, since=old.since, transition=old.transition)
    return replace(new, since=moment.time, transition=moment.transition)


def _conditions(gang: Gang, phase: Phase) -> Iterator[Condition]:
    """Both of them always, so that a reader never has to compare times to know which one counts."""
    reason, message = blocked_by(gang, phase)
    if reason:
        yield Condition(UNSCHEDULABLE, holds=reason != NOT_SCHEDULED_YET, reason=reason, message=message)
        yield Condition(SCHEDULED, holds=False, reason=reason, message=message)
    else:
        yield Condition(UNSCHEDULABLE, holds=False, reason=TASKS_SCHEDULED)
        yield Condition(SCHEDULED, holds=True, reason=TASKS_SCHEDULED)


def restarts(used_up: str) -> Condition:
    """Whether a group may be started anew; `used_up` says in words why it may not, for now."""
    reason = RESTARTS_USED_UP if used_up else RESTARTS_LEFT
    return Condition(RESTARTS_USED_UP, holds=bool(used_up), reason=reason, message=used_up)


def blocked_by(gang: Gang, phase: Phase) -> tuple[str, str]:
    """Why not enough members have a node, as a reason and a sentence; two empty texts when they have."""
    whole, floor = gang.whole, gang.floors.floor
    if phase is Phase.COMPLETED or gang.has_room:
        return "", ""
    if not gang.complete:
        missing = f"{whole.live} of at least {floor} members exist"
        if whole.failed:
            return POD_FAILED, f"{whole.failed} members failed, {missing}"
        if phase is Phase.UNKNOWN or whole.leaving:
            return POD_DELETED, f"members were deleted, {missing}"
        return NOT_ENOUGH_TASKS, missing
    if whole.unschedulable:
        return NOT_ENOUGH_RESOURCES, f"no node was found for {whole.unschedulable} of {whole.live} members"
    if whole.gated:
        return PODS_GATED, f"{whole.gated} of {whole.live} members have scheduling gates"
    return NOT_SCHEDULED_YET, f"{whole.waiting} of {whole.live} members wait for a scheduler"
