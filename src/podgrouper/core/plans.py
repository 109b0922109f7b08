"""What is to be written: a closed set of changes, each with what it may be made for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from podgrouper.core.groups import LinkPatch
from podgrouper.core.model import Json, Key, Pod, Ref
from podgrouper.core.reasons import Reason


@dataclass(frozen=True, slots=True)
class CreateGroup:
    ref: Ref
    object: Json


@dataclass(frozen=True, slots=True)
class UpdateGroup:
    """A merge patch that holds exactly the difference, for the object of that uid and resourceVersion."""

    ref: Ref
    version: str
    patch: Json


@dataclass(frozen=True, slots=True)
class DeleteGroup:
    """`version` too is a precondition: whatever happened to the group since we looked saves it."""

    ref: Ref
    version: str


@dataclass(frozen=True, slots=True)
class LinkPod:
    """Sets the link of the pod with that uid, if it still carries the link that we saw (`expects`)."""

    pod: Pod
    group: str
    patch: LinkPatch
    expects: LinkPatch


@dataclass(frozen=True, slots=True)
class Report:
    """An event. The same report is made once per change of meaning, not once per pass."""

    about: Ref
    reason: Reason
    message: str


@dataclass(frozen=True, slots=True)
class WriteStatus:
    """A merge patch of a group's status, for the object of that uid and resourceVersion."""

    ref: Ref
    version: str
    patch: Json
    subresource: str
    """Where it is sent; empty where status is a part of the object."""


@dataclass(frozen=True, slots=True)
class EvictPod:
    """Asks the eviction API to let that life of the pod go: its gang is to start anew."""

    pod: Pod
    group: str


Change: TypeAlias = CreateGroup | UpdateGroup | DeleteGroup | LinkPod | Report | WriteStatus | EvictPod


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """The closed set of changes for one key, in the order in which they must be carried out."""

    changes: Sequence[Change] = ()
    waits_for: tuple[Ref, ...] = ()
    """Groups whose next change runs the key again: one that is being deleted holds its name until it is
    gone, one that another boundary shapes is not there yet."""
    key: Key | Ref | None = None
    """Whose plan it is: what it says takes the place of what the plan before it said."""
