"""What became of a plan, and what of it a person should know."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from podgrouper.controller.rights import NEXT_STEP
from podgrouper.controller.roster import Item
from podgrouper.core.groups import Group
from podgrouper.core.model import Ref
from podgrouper.core.plans import (
    Change,
    CreateGroup,
    DeleteGroup,
    EvictPod,
    LinkPod,
    Report,
    UpdateGroup,
    WriteStatus,
)
from podgrouper.core.reasons import Reason
from podgrouper.kube.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    NotFound,
    TooMany,
    Unavailable,
    UnknownKind,
)
from podgrouper.kube.rights import lacking


@dataclass(frozen=True, slots=True)
class Failure:
    """A change that could not be made, and why."""

    change: Change
    error: ApiError


@dataclass(slots=True)
class Outcome:
    """What became of a plan; filled while it is carried out."""

    groups: tuple[Group, ...]
    """What was decided, if the plan comes of a decision."""
    done: list[Change] = field(default_factory=list)
    """What was made, groups with the uid that they got."""
    failures: list[Failure] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    item: Item | None = None
    """Whose plan it was."""
    again_in: float = 0.0
    """Seconds after which a change that was held back may be made; 0 when none was."""

    def held_back(self, change: Change, seconds: float) -> None:
        """Somebody takes this change back each time that it is made."""
        self.again_in = min(self.again_in or seconds, seconds)
        words = (
            f"{_target(change)}: what podgrouper wrote was taken back twice within a minute; it tries again "
            "in ten minutes. See metadata.managedFields there for who else writes it."
        )
        self._report(change, Reason.CHANGE_REVERTED, words)

    def made_without_blocking(self, change: Change) -> None:
        """The group was written, but its owner's deletion will not wait for it."""
        words = (
            f"{_target(change)}: its owner reference goes without blockOwnerDeletion, which takes `update` "
            "on the owner's finalizers here; grant it where foreground deletion has to wait for the group."
        )
        self._report(change, Reason.OWNER_NOT_BLOCKED, words)

    def refusals(self) -> list[Report]:
        """What a person should know of the failures: not what passes by itself or says nothing new."""
        return [report for failure in self.failures if (report := self.refusal(failure))]

    def refusal(self, failure: Failure) -> Report | None:
        """The same of one of them."""
        return _told(failure, self.groups)

    def _report(self, change: Change, reason: Reason, words: str) -> None:
        self.reports.append(Report(_about(change, self.groups), reason, words))


def _told(failure: Failure, groups: tuple[Group, ...]) -> Report | None:
    error = failure.error
    passes = isinstance(error, AlreadyExists | Conflict | NotFound | TooMany | Unavailable) or error.wrong_uid
    if passes or error.namespace_terminating:
        return None
    about = _about(failure.change, groups)
    if isinstance(error, UnknownKind):
        return Report(about, Reason.GROUP_KIND_MISSING, error.message)
    if lacking(error):
        return Report(about, Reason.RIGHT_MISSING, f"{error.message}; {NEXT_STEP}")
    refused = _REFUSED.get(type(failure.change), Reason.GROUP_REFUSED)
    return Report(about, refused, error.message)


_REFUSED: Mapping[type[Change], Reason] = {
    LinkPod: Reason.LINK_REFUSED,
    EvictPod: Reason.EVICTION_REFUSED,
}


def _about(change: Change, groups: tuple[Group, ...]) -> Ref:
    """The object that a change is told about: its pod, or the oldest pod of its group."""
    match change:
        case CreateGroup(ref) | UpdateGroup(ref) | DeleteGroup(ref):
            named = (group for group in groups if group.name == ref.name)
            pods = (placement.pod.ref for group in named for placement in group.placements)
            return next(pods, ref)
        case LinkPod() | EvictPod() | WriteStatus() | Report():
            return _target(change)


def _target(change: Change) -> Ref:
    """The object that a change is made to."""
    match change:
        case LinkPod(pod) | EvictPod(pod):
            return pod.ref
        case Report(about):
            return about
        case CreateGroup(ref) | UpdateGroup(ref) | DeleteGroup(ref) | WriteStatus(ref):
            return ref
