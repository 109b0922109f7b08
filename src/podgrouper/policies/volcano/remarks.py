"""What a person should know about pods that are grouped otherwise than the rules alone would have it."""

from collections.abc import Iterable, Iterator

from podgrouper.core.fields import owner_refs
from podgrouper.core.groups import Remark
from podgrouper.core.model import GroupWanted, Member, OwnerRef, Ref, Workload
from podgrouper.core.owners import UNREAD
from podgrouper.core.reasons import Reason
from podgrouper.policies.volcano.levels import Levels, controllers, group_name
from podgrouper.policies.volcano.membership import Gang, Stray


def groups_named(workload: Workload) -> Iterator[GroupWanted]:
    """Other groups that its pods name: who owns one says whether the choice was their maker's."""
    ours = group_name(workload.boundary.uid)
    for member in workload.members:
        if member.link and member.link.group not in ("", ours) and member.pod.owners and member.pod.live:
            yield GroupWanted(member.pod.namespace, member.link.group)


def on_strays(strays: Iterable[Stray], workload: Workload) -> Iterator[Remark]:
    """One for each group that pods of a workload name although theirs would be another.

    Nothing is said when the group was made by what made the pods (a Volcano Job, a LeaderWorkerSet, a Spark
    application), and nothing about a bare pod: whoever wrote the link into it meant it.
    """
    told: set[str] = set()
    for stray in strays:
        link, pod = stray.member.link, stray.member.pod
        if link is None or link.group in told or stray.bereft or not pod.owners:
            continue
        told.add(link.group)
        if not _made_by_their_maker(link.group, stray.member, workload):
            message = f"pods of {workload.boundary} name group {link.group!r} and stay there; {_ours(stray)}"
            yield Remark(workload.boundary, Reason.LINKED_ELSEWHERE, message)


def elsewhere(stray: Stray) -> str:
    group = stray.member.link.group if stray.member.link else ""
    return f"the pod names group {group!r} and stays there; {_ours(stray)}"


def _ours(stray: Stray) -> str:
    """The name that pods of one controller share; none where the rules want each of them alone."""
    alone = stray.own == group_name(stray.member.pod.uid) and stray.member.pod.owners
    return "by our rules each would be alone" if alone else f"by our rules it would be {stray.own!r}"


def _made_by_their_maker(group: str, member: Member, workload: Workload) -> bool:
    found = workload.answers.get(GroupWanted(member.pod.namespace, group))
    makers = {member.pod.uid, *(reference.uid for reference in member.pod.owners)}
    makers |= {owner.ref.uid for owner in member.chain.owners}
    return any(owner.uid in makers for owner in owner_refs(found))


def on_unread_owners(gangs: Iterable[Gang], levels: Levels, *, inherit: bool) -> Iterator[Remark]:
    """One for each owner that hides what it says, or whether a rule fits above it."""
    told: set[str] = set()
    for gang in gangs:
        for seat in gang.seats:
            reference = seat.member.chain.broken_at
            if reference is None or reference.uid in told or seat.member.chain.ending not in UNREAD:
                continue
            told.add(reference.uid)
            if (inherit and not seat.member.chain.owners) or _might_go_on(seat.member, levels):
                yield _unread(reference, seat.member)


def _might_go_on(member: Member, levels: Levels) -> bool:
    """Whether the rules would look further up if they could."""
    return bool(levels.rules) and not levels.decided(controllers(member.pod, member.chain))


def _unread(reference: OwnerRef, member: Member) -> Remark:
    reason, what = UNREAD[member.chain.ending]
    owner = Ref(reference.kind, member.pod.namespace, reference.name, reference.uid)
    message = (
        f"{reference.kind} {reference.name!r} {what}; until then its annotations do not count, nor do level "
        "rules for it and for owners above it"
    )
    return Remark(owner, reason, message)
