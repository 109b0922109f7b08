"""Volcano's way of grouping: the pods of one controller are one gang, whatever controls them.

What a gang asks for stands in annotations of the owners and of the pod that speaks for it; level rules may
move the gang up to an owner above the controller, or down to the pod.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from podgrouper.core.fields import being_deleted, integer, owner_refs, ref_of
from podgrouper.core.groups import Grouping, Retired, Unplaced
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import POD, Chain, Ending, Json, Kind, Pod, Ref, Skip, Want, Workload
from podgrouper.core.reasons import Reason
from podgrouper.core.rules import LevelRule, NoMatch
from podgrouper.policies.volcano import annotations, remarks
from podgrouper.policies.volcano.gang import Decided, group_of, references
from podgrouper.policies.volcano.levels import Levels, controllers, group_name
from podgrouper.policies.volcano.membership import (
    REPLICA_SET,
    REVISION_LABEL,
    STATEFUL_SET,
    Gang,
    Seat,
    Stray,
    membership,
)
from podgrouper.policies.volcano.sources import found_owner, owners_beside_chain, voices_of
from podgrouper.policies.volcano.topology import TOPOLOGY_ANNOTATIONS

DEPLOYMENT = Kind("apps/v1", "Deployment")
CONTROLLERS = frozenset({REPLICA_SET, STATEFUL_SET})
SCALED = CONTROLLERS | {DEPLOYMENT}
"""Owners whose group goes when they go to 0 replicas. A Deployment owns one only where a rule says so.

A Deployment at 0 stands for all of its ReplicaSets: none of them wants pods any more.
"""
PATHS: Mapping[Kind, frozenset[str]] = {
    REPLICA_SET: frozenset({"spec.replicas"}),
    STATEFUL_SET: frozenset({"spec.replicas", "status.updateRevision"}),
    DEPLOYMENT: frozenset({"spec.replicas"}),
}
KINDS = SCALED | {
    Kind("apps/v1", "DaemonSet"),
    Kind("batch/v1", "Job"),
    Kind("batch/v1", "CronJob"),
}
GONE = frozenset({Ending.MISSING, Ending.OTHER_UID, Ending.MALFORMED})


@dataclass(frozen=True, slots=True, kw_only=True)
class VolcanoPolicy:
    """`levels` are the rules in force; they are never changed in place, a new policy takes over."""

    inherit_owner_annotations: bool = True
    workload_support: bool = True
    levels: tuple[LevelRule, ...] = ()
    no_match: NoMatch = "controller"

    @property
    def name(self) -> str:
        return "volcano"

    @property
    def reads(self) -> Reads:
        return Reads(
            labels=frozenset({*annotations.COPIED_LABELS, REVISION_LABEL}),
            annotations=annotations.POD_ANNOTATIONS | TOPOLOGY_ANNOTATIONS,
            resources=True,
            paths=PATHS,
            kinds=KINDS,
            self_standing=self._read if self.workload_support else frozenset(),
            blocked=KINDS | {POD},
        )

    @property
    def _read(self) -> frozenset[Kind]:
        return SCALED if self.levels else CONTROLLERS

    def boundary(self, pod: Pod, chain: Chain) -> Ref | Skip:
        steps = controllers(pod, chain)
        level = self._levels.boundary(steps)
        return steps[level - 1].ref if level else pod.ref

    def boundary_of_group(self, group: Json) -> Ref | None:
        if not self.workload_support:
            return None
        where = ref_of(group)
        return next(
            (
                Ref(owner.kind, where.namespace, owner.name, owner.uid)
                for owner in owner_refs(group)
                if owner.kind in self._read and where.name == group_name(owner.uid)
            ),
            None,
        )

    def wants(self, workload: Workload) -> Sequence[Want]:
        """Every direct owner hands something down, not only the controller."""
        owners = (want for member in workload.live for want in owners_beside_chain(member))
        return tuple(dict.fromkeys((*owners, *remarks.groups_named(workload))))

    def group(self, workload: Workload) -> Grouping:
        found = membership(workload.live, self._levels)
        unplaced = [Unplaced(stray.member.pod, _why(stray)) for stray in found.strays]
        unplaced += [Unplaced(m.pod, _ENDED) for m in workload.members if not m.pod.live and not m.link]
        decided: list[Decided] = []
        for gang in found.gangs:
            speaker = gang.speaker
            if _owner_stays(speaker, workload):
                voices = voices_of(speaker, workload, inherit=self.inherit_owner_annotations)
                decided.append(group_of(gang, speaker, voices))
            else:
                unplaced += [Unplaced(seat.member.pod, _ORPHANED) for seat in gang.seats]
        said = (
            *remarks.on_strays(found.strays, workload),
            *remarks.on_unread_owners(found.gangs, self._levels, inherit=self.inherit_owner_annotations),
        )
        return Grouping(
            tuple(one.group for one in decided),
            tuple(unplaced),
            tuple(dict.fromkeys((*said, *(remark for one in decided for remark in one.remarks)))),
            tuple(self._retired(workload, found.gangs)),
        )

    @property
    def _levels(self) -> Levels:
        return Levels(self.levels, self.no_match)

    def _retired(self, workload: Workload, gangs: Iterable[Gang]) -> Iterator[Retired]:
        """The group of a boundary that wants no pods: whatever lived in it has left.

        A live pod that is in the group, or about to be linked to it, keeps it. A group below the boundary
        is a boundary of its own (`boundary_of_group`).
        """
        owner = workload.boundary
        at_zero = integer(workload.root, "spec.replicas", 1) == 0
        if not self.workload_support or owner.kind not in self._read or not at_zero:
            return
        name = group_name(owner.uid)
        if (owner.namespace, name) not in {(gang.namespace, gang.name) for gang in gangs}:
            yield Retired(owner.namespace, name, owner.uid)


_ENDED = Skip(Reason.FINISHED, "the pod has ended or is being deleted and was never linked")
_ORPHANED = Skip(Reason.OWNER_LEAVING, "what would own the group is gone or being deleted")


def _why(stray: Stray) -> Skip:
    return _ORPHANED if stray.bereft else Skip(Reason.LINKED_ELSEWHERE, remarks.elsewhere(stray))


def _owner_stays(seat: Seat, workload: Workload) -> bool:
    """Whether anything that would own the group is there to stay.

    If not, the garbage collector would take the group at once, and the pods are about to follow. An owner
    that may not be read counts as there.
    """
    if seat.level == 0:
        return True
    if seat.level > 1:
        return not being_deleted(seat.steps[seat.level - 1].object)
    owners = (found_owner(reference, seat, workload.answers) for reference in references(seat))
    return any(
        owner not in GONE if isinstance(owner, Ending) else not being_deleted(owner) for owner in owners
    )
