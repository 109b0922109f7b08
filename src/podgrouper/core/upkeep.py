"""What is done for a group once it is made: its status is written, a broken gang is started anew.

Pure, and apart from the road: a group's life depends on the pods that name it, not on whose they are.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from podgrouper.core.conditions import Moment, restarts, status_of
from podgrouper.core.fields import annotations, being_deleted, mapping, ref_of, text
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import Json, Pod
from podgrouper.core.observed import gang_of
from podgrouper.core.plans import Change, EvictPod, Report, UpdateGroup, WriteStatus
from podgrouper.core.reasons import Reason
from podgrouper.core.recovery import RECORD, Step, record_of, step_of, wanted_for
from podgrouper.core.status import Gang


@dataclass(frozen=True, slots=True)
class Standing:
    """A group as it stands at a moment: the PodGroup with its status, and all pods that name it."""

    group: Json
    members: Sequence[Pod]
    now: datetime
    priority_classes: Mapping[str, Json]
    """By name."""

    @property
    def version(self) -> str:
        return text(self.group, "metadata.resourceVersion")


@dataclass(frozen=True, slots=True)
class Duty:
    """What is to be done for a group now, and when to look again if nothing happens until then."""

    changes: tuple[Change, ...] = ()
    again_in: float = 0.0
    """Seconds; 0: only news are a reason."""


def keeper_of(members: Iterable[Pod], profiles: Sequence[Profile]) -> Profile | None:
    """The profile that looks after a group, of those that write such groups: that of the oldest member.

    A group without members is everybody's: it is looked after where all of them would do the same.
    """
    oldest = min(members, key=lambda pod: (pod.created, pod.name), default=None)
    if oldest is not None:
        return next((one for one in profiles if oldest.scheduler in one.schedulers), None)
    return profiles[0] if len({one.upkeep for one in profiles}) == 1 else None


def duty_of(standing: Standing, profile: Profile) -> Duty:
    """The changes for a group. Idempotent.

    The PodGroup is written once at most, under the precondition that nobody else did meanwhile; the rest
    follows when that comes home. A restart is noted before anybody is evicted.
    """
    if being_deleted(standing.group):
        return Duty()
    gang = gang_of(standing.group, standing.members, profile.dialect)
    step = _step(standing, gang, profile)
    if step is None:
        return Duty(_status(standing, gang, profile, step))
    written = _noted(standing, step) or _status(standing, gang, profile, step)
    evictions = (EvictPod(pod, ref_of(standing.group).name) for pod in step.evict)
    again_in = step.again_in.total_seconds() if step.again_in else 0.0
    return Duty((*written, *evictions, *_told(standing, step)), again_in)


def _step(standing: Standing, gang: Gang, profile: Profile) -> Step | None:
    """None where nobody wants the group to be started anew."""
    recovery = profile.upkeep.recovery
    if not wanted_for(standing.group, recovery):
        return None
    return step_of(gang, standing.members, record_of(standing.group), recovery, standing.now)


def _noted(standing: Standing, step: Step) -> tuple[Change, ...]:
    said = str(step.record)
    if annotations(standing.group).get(RECORD) == said:
        return ()
    patch = {"metadata": {"annotations": {RECORD: said}}}
    return (UpdateGroup(ref_of(standing.group), standing.version, patch),)


def _status(standing: Standing, gang: Gang, profile: Profile, step: Step | None) -> tuple[Change, ...]:
    if not profile.upkeep.write_status:
        return ()
    group, lifecycle = standing.group, profile.dialect.lifecycle
    moment = Moment(standing.now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), standing.version)
    more = (restarts(step.used_up),) if step else ()
    said = lifecycle.write(status_of(gang, lifecycle.read(group), moment, *more), group)
    used = lifecycle.usage(group, standing.members, standing.priority_classes)
    patch = {**mapping(said, "status"), **mapping(used, "status")}
    if not patch:
        return ()
    return (WriteStatus(ref_of(group), standing.version, {"status": patch}, lifecycle.subresource),)


def _told(standing: Standing, step: Step) -> tuple[Change, ...]:
    words = {Reason.GANG_RESTARTED: step.restarted, Reason.RESTARTS_USED_UP: step.used_up}
    about = ref_of(standing.group)
    return tuple(Report(about, reason, said) for reason, said in words.items() if said)
