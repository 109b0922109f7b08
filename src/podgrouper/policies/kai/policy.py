"""The kai policy: pods belong together at the top of their owner chain, and a grouper per kind knows how."""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_

from podgrouper.core.groups import Group, Grouping, Unplaced
from podgrouper.core.interfaces import WHOLE, Reads
from podgrouper.core.model import POD, Chain, Ending, Json, Member, Owner, Pod, Ref, Skip, Want, Workload
from podgrouper.core.reasons import Reason
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.floors import held_back, never_negative, settled
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.left_over import left_over, left_over_wants, maker_of, spent
from podgrouper.policies.kai.membership import (
    FINISHED,
    astray,
    left_without_a_part,
    links_to_look_up,
    live_group,
    needed,
    remarks_on,
    standing,
    with_links_replaced,
)
from podgrouper.policies.kai.outcomes import attempted
from podgrouper.policies.kai.registry import GROUPERS, grouper_of, in_any_version
from podgrouper.policies.kai.scene import Scene, scene_of
from podgrouper.policies.kai.settings import KaiSettings
from podgrouper.policies.kai.unread import on_unread_owners
from podgrouper.policies.kai.values import BadValue

TAKE_IT_OUT = "take it out of metadata.ownerReferences, or let the pod be collected"
BROKEN: Mapping[Ending, tuple[Reason, str]] = {
    Ending.MISSING: (Reason.OWNER_GONE, f"does not exist: {TAKE_IT_OUT}"),
    Ending.OTHER_UID: (Reason.OWNER_GONE, f"exists with another uid, it was made anew: {TAKE_IT_OUT}"),
    Ending.ELSEWHERE: (Reason.OWNER_GONE, "is in another namespace or version than the reference says"),
    Ending.CYCLE: (Reason.OWNER_CYCLE, "was passed already: remove the reference that leads back"),
    Ending.TOO_DEEP: (Reason.OWNERS_TOO_DEEP, "has more owners below it than are followed"),
}
"""Chains that lead nowhere. All others end at the last owner that can be read."""


class KaiPolicy:
    """Groups pods as KAI's pod-grouper does, without its faults."""

    name = "kai"

    def __init__(self, settings: KaiSettings | None = None, groupers: tuple[Grouper, ...] = GROUPERS) -> None:
        self._settings = settings or KaiSettings()
        self._groupers = groupers
        self._skipped = frozenset(self._settings.skip_top_owner)
        self.reads = reduce(or_, (grouper.reads for grouper in groupers), self._own_reads())

    def boundary(self, pod: Pod, chain: Chain) -> Ref | Skip:
        """The top owner, or what it wraps; the pod itself where there is no owner that can be read."""
        if chain.ending in BROKEN and chain.broken_at:
            if not pod.live:
                return FINISHED
            reason, what = BROKEN[chain.ending]
            owner = chain.broken_at
            return Skip(reason, f"{owner.kind.kind} {owner.name} above {pod.ref} {what}")
        owners = chain.owners[: len(chain.owners) - self._wrappers(chain.owners)]
        return owners[-1].ref if owners else pod.ref

    def boundary_of_group(self, group: Json) -> Ref | None:
        """The owner of a group that it may outgrow. No other group of KAI's outlives what it was made for."""
        return maker_of(group, self.reads.self_standing)

    def wants(self, workload: Workload) -> Sequence[Want]:
        grouper = self._grouper(workload)
        left = left_over_wants(workload, grouper)
        if not workload.members:
            return left
        scene = scene_of(workload, workload.members, self._settings)
        return (*left, *links_to_look_up(workload), *_wanted_by(grouper, scene))

    def group(self, workload: Workload) -> Grouping:
        skips = {member.pod.uid: standing(workload, member) for member in workload.members}
        members = tuple(member for member in workload.members if skips[member.pod.uid] is None)
        aside = [Unplaced(m.pod, skip) for m in workload.members if (skip := skips[m.pod.uid])]
        grouping = self._grouped(workload, members)
        strays = tuple(astray(workload, grouping))
        if strays:
            gone = {entry.pod.uid for entry in strays}
            grouping = self._grouped(workload, tuple(m for m in members if m.pod.uid not in gone))
        grouper = self._grouper(workload)
        groups = tuple(
            self._finished(workload, group)
            for group in grouping.groups
            if needed(workload, group) and not spent(workload, group, grouper)
        )
        return Grouping(
            groups,
            (*aside, *strays, *(entry for entry in grouping.unplaced if entry.pod.live)),
            (
                *grouping.remarks,
                *remarks_on(strays),
                *left_without_a_part(groups),
                *on_unread_owners(members),
            ),
            (*grouping.retired, *left_over(workload, groups, grouper)),
        )

    def _grouped(self, workload: Workload, members: tuple[Member, ...]) -> Grouping:
        if not members:
            return Grouping()
        scene = scene_of(workload, members, self._settings)
        return attempted(members, lambda: self._grouper(workload).group(scene))

    def _finished(self, workload: Workload, group: Group) -> Group:
        """What the course of the workload, and the links of its pods, make of a group."""
        if not self._settings.only_the_living_count:
            return with_links_replaced(workload, never_negative(group))
        steps = self._grouper(workload).free_steps
        held = held_back(settled(group), live_group(workload, group), steps)
        return with_links_replaced(workload, held)

    def _grouper(self, workload: Workload) -> Grouper:
        return grouper_of(workload.boundary.kind, self._groupers)

    def _wrappers(self, owners: tuple[Owner, ...]) -> int:
        """How many owners at the top only wrap another workload.

        Rules for all versions of a kind count at the very top alone, as in KAI: below a wrapper a kind has
        to be named exactly.
        """
        count = 0
        for owner in reversed(owners):
            kind = owner.ref.kind
            if kind not in self._skipped and (count or in_any_version(kind) not in self._skipped):
                break
            count += 1
        return count

    def _own_reads(self) -> Reads:
        """What every group may be asked for, whatever its kind."""
        settings = self._settings
        known = (kind for grouper in self._groupers for kind in grouper.kinds)
        return Reads(
            labels=frozenset(
                {settings.queue_label_key, keys.PROJECT, keys.PRIORITY_CLASS, keys.PREEMPTIBILITY, keys.USER}
                | {keys.PART_OF_POD}
                | ({settings.node_pool_label_key} if settings.node_pool_label_key else set())
            ),
            annotations=frozenset(
                {keys.USER, keys.PREEMPTION_DELAY, keys.STALENESS_GRACE, keys.GROUP_OF_POD}
            ),
            paths={POD: WHOLE},
            kinds=frozenset(known) | self._skipped,
            priority_classes=True,
        )


def _wanted_by(grouper: Grouper, scene: Scene) -> Sequence[Want]:
    """Nothing where the owner makes no sense: what is wrong with it is told when the pods are grouped."""
    try:
        return grouper.wants(scene)
    except BadValue:
        return ()
