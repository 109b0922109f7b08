"""Whether a workload's people want its gangs to be started anew, and that their groups say so too.

The group carries it, so that whoever looks after the group need not look for its owners again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from podgrouper.core.fields import annotations, controller_ref
from podgrouper.core.groups import Grouping, Remark
from podgrouper.core.model import Ref, Workload
from podgrouper.core.reasons import Reason
from podgrouper.core.recovery import NEVER, RECOVER, RESTART, Recover, Recovery

_USABLE = (RESTART, NEVER)
_NO_WORD = f"annotation {RECOVER} is {{!r}}: give {RESTART} or {NEVER}"
_SINGLE = f"{RECOVER}: {RESTART} plays no part, since no controller would make this pod again"


def with_recovery(grouping: Grouping, workload: Workload, recovery: Recovery) -> Grouping:
    """The same groups, marked when their members are to be started anew once they break.

    The nearest usable word counts: the pod's, then that of its owners, upwards. A gang with a pod that nobody
    would make again is never marked, whoever asks for it.
    """
    if recovery.mode is Recover.NEVER:
        return grouping
    said = tuple((about, value) for about, value in _said(workload) if value is not None)
    word = next((value for _, value in said if value in _USABLE), "")
    wanted = word == RESTART or (recovery.mode is Recover.RESTART and word != NEVER)
    single = tuple(member.pod.ref for member in workload.live if controller_ref(member.pod.owners) is None)
    mark = wanted and not single
    groups = tuple(replace(group, annotations=_marked(group.annotations, mark)) for group in grouping.groups)
    useless = [(about, _NO_WORD.format(value)) for about, value in said if value not in _USABLE]
    in_vain = [(about, _SINGLE) for about in single[:1] if word == RESTART]
    remarks = (Remark(about, Reason.BAD_VALUE, words) for about, words in (*useless, *in_vain))
    return replace(grouping, groups=groups, remarks=(*grouping.remarks, *remarks))


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
