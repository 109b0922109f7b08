"""What `kubectl describe` shows of a group's life: events on what makes the pods, and on the group.

| what happened     | on the boundary | on the PodGroup |
|-------------------|-----------------|-----------------|
| it was created    | (no news)       | (it shows it)   |
| its spec changed  | GroupChanged    | GroupChanged    |
| it was deleted    | GroupDeleted    | (it is gone)    |
| it was refused    | the refusal     | the refusal     |

That a workload gets a group is what everybody expects, and an event would cost as much as the group itself.
Labels and annotations follow the workload and mean nothing by themselves: nobody is told of them.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from podgrouper.controller.outcomes import Outcome
from podgrouper.core.fields import mapping
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
from podgrouper.core.saying import said

FOLLOWING = frozenset({"minResources"})
"""Follows from the floor and a pod; alone it changes when a pod takes the place of its template."""


class Happening(NamedTuple):
    """Something that was done once. When the same is done again, that is news again."""

    report: Report
    occasion: str
    """What tells it from an earlier one of the same words: a uid or a version of the group."""


def happenings(outcome: Outcome, boundary: Ref) -> Iterator[Happening]:
    """What was done to groups."""
    for change in outcome.done:
        match change:
            case UpdateGroup(ref, version, patch) if mapping(patch, "spec").keys() - FOLLOWING:
                words = f"PodGroup {ref.name}: {said(mapping(patch, 'spec'))}"
                yield Happening(Report(boundary, Reason.GROUP_CHANGED, words), version)
                yield Happening(Report(ref, Reason.GROUP_CHANGED, words), version)
            case DeleteGroup(ref):
                words = f"PodGroup {ref.name}: nothing needs it any more"
                yield Happening(Report(boundary, Reason.GROUP_DELETED, words), ref.uid)
            case _:
                pass


def copies(outcome: Outcome, boundary: Ref) -> Iterator[Report]:
    """The refusals once more, for everybody whom they concern besides the pod."""
    for failure in outcome.failures:
        report = outcome.refusal(failure)
        if report:
            yield from (replace(report, about=about) for about in _concerned(failure.change, boundary))


def _concerned(change: Change, boundary: Ref) -> tuple[Ref, ...]:
    """A group that is not there yet can be told nothing."""
    match change:
        case UpdateGroup(ref) | DeleteGroup(ref):
            return (boundary, ref)
        case CreateGroup():
            return (boundary,)
        case LinkPod() | EvictPod() | WriteStatus() | Report():
            return ()
