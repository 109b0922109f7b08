"""Whether a workload's people want its gangs to be started anew, and that their groups say so too.

The group carries it, so that whoever looks after the group need not look for its owners again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from podgrouper.core.fields import annotations
from podgrouper.core.model import Grouping, Ref, Remark, Workload
from podgrouper.core.reasons import Reason
from podgrouper.core.recovery import NEVER, RECOVER, RESTART, Recover, Recovery

_USABLE = (RESTART, NEVER)


def with_recovery(grouping: Grouping, workload: Workload, recovery: Recovery) -> Grouping:
    """The same groups, marked when their members are to be started anew once they break.

    The nearest usable word counts: the pod's, then that of its owners, upwards.
    """
    if recovery.mode is Recover.NEVER:
        return grouping
    said = tuple((about, value) for about, value in _said(workload) if value is not None)
    word = next((value for _, value in said if value in _USABLE), "")
    wanted = word == RESTART or (recovery.mode is Recover.RESTART and word != NEVER)
    groups = (replace(group, annotations=_marked(group.annotations, wanted)) for group in grouping.groups)
    remarks = (
        Remark(about, Reason.BAD_VALUE, f"annotation {RECOVER} is {value!r}: give {RESTART} or {NEVER}")
        for about, value in said
        if value not in _USABLE
    )
    return replace(grouping, groups=tuple(groups), remarks=(*grouping.remarks, *remarks))


def _said(workload: Workload) -> Iterator[tuple[Ref, str | None]]:
    """Of the first member and its owners, nearest first; of the boundary where there is no member."""
    for member in workload.members[:1]:
        yield member.pod.ref, member.pod.annotations.get(RECOVER)
        for owner in member.chain.owners:
            yield owner.ref, annotations(owner.object).get(RECOVER)
    if not workload.members:
        yield workload.boundary, annotations(workload.root).get(RECOVER)


def _marked(there: Mapping[str, str], wanted: bool) -> Mapping[str, str]:
    """A policy may have copied an owner's word; what holds for the group is what was found here."""
    rest = {key: value for key, value in there.items() if key != RECOVER}
    return {**rest, RECOVER: RESTART} if wanted else rest
