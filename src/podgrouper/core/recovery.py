"""Starting a broken gang anew: when a group has been Unknown long enough, its live members are to go.

What was done lately stands in an annotation of the PodGroup, not in the memory of a process: whoever comes
next, after a crash too, decides the same. A restart is noted before anybody is evicted, so none is forgotten.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from podgrouper.core.fields import annotations, controller_ref, dig, text
from podgrouper.core.model import Json, Pod
from podgrouper.core.status import Gang, Phase, phase_of

RECOVER = "podgrouper.io/recover"
"""On a pod or an owner: what its people want. On the PodGroup: what holds for it."""
RECORD = "podgrouper.io/recovery"
"""On the PodGroup: the phase that was seen last, since when, and the restarts of the last hour."""
RESTART, NEVER = "restart", "never"
HOUR = timedelta(hours=1)


class Recover(StrEnum):
    """Which groups of a profile are started anew."""

    NEVER = "never"
    ANNOTATED = "annotated"
    """Those whose workload asks for it."""
    RESTART = "restart"
    """All whose workload does not refuse it."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """Whether, when and how often."""

    mode: Recover = Recover.NEVER
    after: timedelta = timedelta(minutes=5)
    """So long a group is Unknown before its members go; and so long the next try is given."""
    per_hour: int = 3


@dataclass(frozen=True, slots=True)
class Record:
    """What the annotation holds. Times are RFC 3339 in UTC."""

    phase: Phase | None = None
    since: str = ""
    restarts: tuple[str, ...] = ()
    made_until: str = ""
    """Members made until then belong to the gang that was given up. The API server's time, not ours: of all
    clocks only its own says which pods came after which."""

    def __str__(self) -> str:
        said = {
            "phase": self.phase,
            "since": self.since,
            "restarts": list(self.restarts),
            "madeUntil": self.made_until,
        }
        return json.dumps({key: value for key, value in said.items() if value})


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done for a group now."""

    record: Record
    evict: tuple[Pod, ...] = ()
    restarted: str = ""
    """A new restart, in words; empty when there is none."""
    used_up: str = ""
    """Why there is none although it is due, in words."""
    again_in: timedelta | None = None
    """When to look again if nothing happens until then."""


def wanted_for(group: Json, recovery: Recovery) -> bool:
    """Whether the members of this PodGroup may be evicted. The annotation stands on groups that we made."""
    return recovery.mode is not Recover.NEVER and annotations(group).get(RECOVER) == RESTART


def record_of(group: Json) -> Record:
    """What was noted; nothing where there is no annotation or nobody can read it."""
    try:
        noted = json.loads(annotations(group).get(RECORD, "{}"))
    except (ValueError, RecursionError):
        return Record()
    phase, restarts = text(noted, "phase"), dig(noted, "restarts")
    times = restarts if isinstance(restarts, list) else []
    return Record(
        Phase(phase) if phase in set(Phase) else None,
        text(noted, "since"),
        tuple(time for time in times if isinstance(time, str) and _moment(time)),
        text(noted, "madeUntil"),
    )


def step_of(gang: Gang, members: Iterable[Pod], record: Record, recovery: Recovery, now: datetime) -> Step:
    """The next step for a group that is to be started anew when it breaks.

    Its phase is computed here and not taken from the status: a scheduler may have its own view or none. A pod
    without a controller stays whatever happens, for nobody would make it again.
    """
    phase = phase_of(replace(gang, before=record.phase or gang.before))
    record = replace(record, restarts=_lately(record, now)) if phase is not record.phase else record
    if phase is not record.phase or not _moment(record.since):
        record = replace(record, phase=phase, since=_written(now))
    live = tuple(pod for pod in members if pod.live and controller_ref(pod.owners))
    if phase is not Phase.UNKNOWN or not live:
        return Step(replace(record, made_until="") if phase is Phase.RUNNING else record)
    left = tuple(pod for pod in live if pod.created <= record.made_until)
    if left:
        return Step(record, evict=left)
    return _next(live, record, recovery, now)


def _next(live: tuple[Pod, ...], record: Record, recovery: Recovery, now: datetime) -> Step:
    """A restart when it is due and there may be another one; else when to look again."""
    due = max(filter(None, map(_moment, (record.since, *record.restarts)))) + recovery.after
    if now < due:
        return Step(record, again_in=due - now)
    restarts = _lately(record, now)
    if len(restarts) >= recovery.per_hour:
        free = (_moment(restarts[-recovery.per_hour]) or now) + HOUR
        words = (
            f"the group is Unknown since {record.since} and was started anew {len(restarts)} times "
            f"within an hour; the next time may be {_written(free)}"
        )
        return Step(record, used_up=words, again_in=free - now)
    words = (
        f"the group is Unknown since {record.since}: its {len(live)} live members are evicted, so that "
        f"their controller starts them anew (restart {len(restarts) + 1} of {recovery.per_hour} in an hour)"
    )
    noted = replace(record, restarts=(*restarts, _written(now)), made_until=max(pod.created for pod in live))
    return Step(noted, evict=live, restarted=words)


def _lately(record: Record, now: datetime) -> tuple[str, ...]:
    """The restarts of the last hour, oldest first."""
    times = sorted(record.restarts)
    return tuple(time for time in times if (_moment(time) or now) > now - HOUR)


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _moment(written: str) -> datetime | None:
    """None for what is no time; one without a zone would not compare with ours."""
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
