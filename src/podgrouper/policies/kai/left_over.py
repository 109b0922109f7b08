"""Groups that their workload has outgrown: made for a part of it that is no more.

The garbage collector takes a group only along with its owner, and a LeaderWorkerSet with fewer replicas
than before is still there. Such a group goes when it is ours by owner and name and no live pod names it,
whosever that pod is.
"""

from collections.abc import Iterable, Iterator, Mapping

from podgrouper.core.fields import being_deleted, owner_refs, ref_of
from podgrouper.core.groups import Group, Retired
from podgrouper.core.model import GroupsWanted, Kind, LinkedWanted, Owner, OwnerRef, Ref, Want, Workload
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.texts.names import named_after
from podgrouper.policies.kai.values import BadValue


def maker_of(group: object, kinds: Iterable[Kind]) -> Ref | None:
    """The owner of one of these kinds that the group is named after; None when there is none."""
    where = ref_of(group)
    owner = next(
        (one for one in owner_refs(group) if one.kind in kinds and _is_named_after(group, one)), None
    )
    return None if owner is None else Ref(owner.kind, where.namespace, owner.name, owner.uid)


def left_over_wants(workload: Workload, grouper: Grouper) -> tuple[Want, ...]:
    """The groups that are there, then the pods that name those which may go."""
    if workload.boundary.kind not in grouper.reads.self_standing:
        return ()
    candidates = (LinkedWanted(ref.namespace, ref.name) for ref in _candidates(workload, grouper))
    return (_groups_of(workload), *candidates)


def left_over(workload: Workload, groups: Iterable[Group], grouper: Grouper) -> tuple[Retired, ...]:
    """Those that go. What is still decided stays: a pod may be about to be linked to it."""
    decided = {group.name for group in groups}
    return tuple(
        Retired(ref.namespace, ref.name, workload.boundary.uid)
        for ref in _candidates(workload, grouper)
        if ref.name not in decided and not _has_a_live_pod(workload, ref)
    )


def spent(workload: Workload, group: Group, grouper: Grouper) -> bool:
    """Nothing more is done for a group: its members are dead, and what it was made for is no more."""
    owner = _owner(workload)
    if owner is None or any(placement.pod.live for placement in group.placements):
        return False
    return _outgrown(grouper, owner, group.name)


def _owner(workload: Workload) -> Owner | None:
    """Of an owner that cannot be read nothing is known. One that is being deleted takes its groups along."""
    if not workload.root or being_deleted(workload.root):
        return None
    return Owner(workload.boundary, workload.root)


def _candidates(workload: Workload, grouper: Grouper) -> Iterator[Ref]:
    owner, answer = _owner(workload), workload.answers.get(_groups_of(workload))
    if owner is None or not isinstance(answer, Mapping):
        return
    for name, group in answer.items():
        if maker_of(group, (owner.ref.kind,)) == owner.ref and _outgrown(grouper, owner, name):
            yield ref_of(group)


def _outgrown(grouper: Grouper, owner: Owner, group: str) -> bool:
    """An owner that makes no sense is told so elsewhere; nothing of it goes."""
    try:
        return grouper.outgrown(owner, group)
    except BadValue:
        return False


def _has_a_live_pod(workload: Workload, group: Ref) -> bool:
    """Where nobody could be asked the answer is yes."""
    pods = workload.answers.get(LinkedWanted(group.namespace, group.name))
    return not isinstance(pods, tuple) or any(pod.live for pod in pods)


def _groups_of(workload: Workload) -> GroupsWanted:
    owner = workload.boundary
    return GroupsWanted(owner.namespace, f"{named_after(owner.name, owner.uid)}-")


def _is_named_after(group: object, owner: OwnerRef) -> bool:
    return ref_of(group).name.startswith(f"{named_after(owner.name, owner.uid)}-")
