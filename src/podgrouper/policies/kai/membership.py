"""Which pods of a workload count, and what their links mean.

A link to a group that is ours stays. One that names a group which does not exist leads nowhere and is
replaced. One that names another group which exists is somebody's choice: that pod is left alone, and so is
a bare pod with any link at all, as KAI does.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from podgrouper.core.fields import being_deleted
from podgrouper.core.groups import Group, Grouping, Placement, Remark, Unplaced
from podgrouper.core.model import POD, GroupWanted, Json, Member, Skip, Workload
from podgrouper.core.reasons import Reason

FINISHED = Skip(Reason.FINISHED, "the pod has ended, or is being deleted, and no group needs it")


def links_to_look_up(workload: Workload) -> tuple[GroupWanted, ...]:
    """The groups that the pods name: whether they exist decides what a link is worth.

    To be sure of it: a pod may be seen before the group that somebody made for it.
    """
    names = dict.fromkeys(
        GroupWanted(member.pod.namespace, member.link.group, sure=True)
        for member in workload.members
        if member.link and member.link.group
    )
    return tuple(names)


def standing(workload: Workload, member: Member) -> Skip | None:
    """Why the pod does not count from the start; None when it does."""
    linked = bool(member.link and member.link.group)
    if not member.pod.live:
        return None if linked else FINISHED
    if member.link and not linked and not member.pod.owners:
        return Skip(Reason.LINKED_ELSEWHERE, f"{member.pod.ref} carries an empty link: remove it")
    if _is_gone(workload):
        return Skip(Reason.OWNER_LEAVING, f"{workload.boundary} is gone, its pods follow")
    if being_deleted(workload.root) and not (linked and _exists(workload, member)):
        return Skip(Reason.OWNER_LEAVING, f"{workload.boundary} is being deleted, its pods follow")
    return None


def _is_gone(workload: Workload) -> bool:
    """The owner was there when the chain was followed, and is not now."""
    return not workload.root and workload.boundary.kind != POD


def astray(workload: Workload, grouping: Grouping) -> Iterator[Unplaced]:
    """The pods that their link keeps out of the group that was chosen for them."""
    members = {member.pod.uid: member for member in workload.members}
    for group in grouping.groups:
        for placement in group.placements:
            member = members[placement.pod.uid]
            if _elsewhere(workload, member, group.name):
                yield Unplaced(member.pod, _why(member, group.name))


def remarks_on(strays: Iterable[Unplaced]) -> Iterator[Remark]:
    """A pod of a workload that names a foreign group is worth a word; a bare pod did so on purpose."""
    return (
        Remark(stray.pod.ref, stray.skip.reason, stray.skip.message)
        for stray in strays
        if stray.pod.live and stray.pod.owners
    )


def _elsewhere(workload: Workload, member: Member, name: str) -> bool:
    if member.link is None or member.link.group in ("", name):
        return False
    return not member.pod.live or not member.pod.owners or _exists(workload, member)


def _why(member: Member, name: str) -> Skip:
    if not member.pod.live or member.link is None:
        return FINISHED
    return Skip(
        Reason.LINKED_ELSEWHERE,
        f"{member.pod.ref} names group {member.link.group!r} and not ours, {name!r}: remove the link to join",
    )


def _exists(workload: Workload, member: Member) -> bool:
    if member.link is None:
        return False
    wanted = GroupWanted(member.pod.namespace, member.link.group)
    return isinstance(workload.answers.get(wanted), Mapping)


def with_links_replaced(workload: Workload, group: Group) -> Group:
    """Lets go of links that lead nowhere."""
    links = {member.pod.uid: member.link for member in workload.members}

    def freed(placement: Placement) -> Placement:
        link = links[placement.pod.uid]
        nowhere = link is not None and link.group not in ("", group.name)
        return replace(placement, replaces=link.group) if link and nowhere else placement

    return replace(group, placements=tuple(freed(placement) for placement in group.placements))


def left_without_a_part(groups: Iterable[Group]) -> Iterator[Remark]:
    """Pods that belong to a group with parts, but to none of these: KAI's scheduler passes over them."""
    return (
        Remark(
            placement.pod.ref,
            Reason.BAD_VALUE,
            f"no subgroup of {group.name!r} takes this pod; its labels name none that exists",
        )
        for group in groups
        for placement in group.placements
        if group.parts and not placement.part and placement.pod.live
    )


def live_group(workload: Workload, group: Group) -> Json | None:
    """The PodGroup as it is now, if a pod names it or somebody asked for it."""
    answer = workload.answers.get(GroupWanted(group.namespace, group.name))
    return answer if isinstance(answer, Mapping) else None


def needed(workload: Workload, group: Group) -> bool:
    """A group without a living member is kept up to date where it exists, and not made anew."""
    lives = any(placement.pod.live for placement in group.placements)
    return lives or live_group(workload, group) is not None
