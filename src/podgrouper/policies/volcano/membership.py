"""Which pods are in which group, and which pod speaks for it.

The names that are ours for a pod are a small set: `podgroup-<uid>` of the pod itself and of each of its
controllers. A link to any of them stays; a link to another name is somebody else's choice.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from podgrouper.core.fields import annotations, text
from podgrouper.core.model import Ending, Kind, Member, OwnerRef
from podgrouper.policies.volcano.levels import Levels, Step, controllers, group_name

REPLICA_SET = Kind("apps/v1", "ReplicaSet")
STATEFUL_SET = Kind("apps/v1", "StatefulSet")
REVISION_LABEL = "controller-revision-hash"
REVISION_ANNOTATION = "deployment.kubernetes.io/revision"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A live pod, the way up from it, and the level of the group that it is linked to, if any."""

    member: Member
    steps: tuple[Step, ...]
    linked: int | None


@dataclass(frozen=True, slots=True)
class Seat:
    """A live pod in its group, and the level of that group as this pod counts."""

    member: Member
    steps: tuple[Step, ...]
    level: int

    @property
    def name(self) -> str:
        return group_name(self.steps[self.level - 1].ref.uid if self.level else self.member.pod.uid)


@dataclass(frozen=True, slots=True)
class Gang:
    """The pods of one group."""

    namespace: str
    name: str
    seats: tuple[Seat, ...]

    @property
    def speaker(self) -> Seat:
        """The pod from which everything is read that is read from a pod: never an arbitrary one.

        First pods of the newest revision, then the youngest, then the first by name.
        """
        return max(sorted(self.seats, key=lambda seat: seat.member.pod.name), key=_newness)


@dataclass(frozen=True, slots=True)
class Stray:
    """A live pod that is linked to a group that is not ours for it, and the group that would be."""

    member: Member
    own: str
    bereft: bool
    """The group was ours: it belonged to an owner on the way up that is gone."""


@dataclass(frozen=True, slots=True)
class Membership:
    gangs: tuple[Gang, ...]
    strays: tuple[Stray, ...]


def membership(live: Iterable[Member], levels: Levels) -> Membership:
    """Every live pod in its group.

    A level sticks: as long as live pods of a controller are linked to a group of ours, its further pods join
    them there, or a replacement would wait alone in a group that asks for many.
    """
    candidates, strays = _sorted_out(live, levels)
    settled = _settled(candidates, levels)
    seats: dict[tuple[str, str], list[Seat]] = {}
    for one in candidates:
        level = one.linked
        if level is None:
            level = settled.get(_family(one), levels.chosen(one.steps))
        seat = Seat(one.member, one.steps, level)
        seats.setdefault((one.member.pod.namespace, seat.name), []).append(seat)
    gangs = (Gang(namespace, name, tuple(found)) for (namespace, name), found in seats.items())
    return Membership(tuple(gangs), strays)


def _sorted_out(live: Iterable[Member], levels: Levels) -> tuple[list[Candidate], tuple[Stray, ...]]:
    """Pods with the same owners share their way up: it is read once for a thousand of them."""
    ways: dict[tuple[str, tuple[OwnerRef, ...]], tuple[Step, ...]] = {}
    candidates: list[Candidate] = []
    strays: list[Stray] = []
    for member in live:
        pod = member.pod
        steps = ways.get((pod.namespace, pod.owners))
        if steps is None:
            steps = ways[pod.namespace, pod.owners] = controllers(pod, member.chain)
        group = member.link.group if member.link else ""
        level = _level_of(group, pod.uid, steps)
        if group and level is None:
            own = Seat(member, steps, levels.chosen(steps)).name
            strays.append(Stray(member, own, bereft=_is_of_a_lost_owner(group, member)))
        else:
            candidates.append(Candidate(member, steps, level))
    return candidates, tuple(strays)


def _level_of(group: str, pod_uid: str, steps: tuple[Step, ...]) -> int | None:
    """Where the group that a pod names is on its way up; None when the name is not ours for it."""
    uids = (pod_uid, *(step.ref.uid for step in steps))
    return next((level for level, uid in enumerate(uids) if group == group_name(uid)), None)


def _is_of_a_lost_owner(group: str, member: Member) -> bool:
    """The garbage collector takes a Deployment first, then its ReplicaSets, then their pods."""
    lost = member.chain.broken_at
    gone = member.chain.ending in (Ending.MISSING, Ending.OTHER_UID)
    return gone and lost is not None and group == group_name(lost.uid)


Family = tuple[str, str]
"""Namespace and the uid of the controller that pods share; none for a pod without, which may itself control
the others of its group."""


def _settled(candidates: Iterable[Candidate], levels: Levels) -> Mapping[Family, int]:
    """Where the linked pods of a controller are: where the rules want them, else where the youngest is.

    A group of a single pod is nothing that others can join.
    """
    found: dict[Family, int] = {}
    for one in candidates:
        family = _family(one)
        if one.linked and found.get(family) != levels.chosen(one.steps):
            found[family] = one.linked
    return found


def _family(one: Candidate) -> Family:
    return (one.member.pod.namespace, one.steps[0].ref.uid if one.steps else "")


def _newness(seat: Seat) -> tuple[int, bool, str]:
    return (_deployment_revision(seat), _is_of_update_revision(seat), seat.member.pod.created)


def _deployment_revision(seat: Seat) -> int:
    """A number that a Deployment counts up; after a rollback the older ReplicaSet has the larger one."""
    step = seat.steps[0] if seat.steps else None
    if step is None or step.ref.kind != REPLICA_SET:
        return -1
    revision = annotations(step.object).get(REVISION_ANNOTATION, "")
    return int(revision) if revision.isascii() and revision.isdigit() and len(revision) < 19 else -1


def _is_of_update_revision(seat: Seat) -> bool:
    step = seat.steps[0] if seat.steps else None
    if step is None or step.ref.kind != STATEFUL_SET:
        return False
    wanted = text(step.object, "status.updateRevision")
    return bool(wanted) and seat.member.pod.labels.get(REVISION_LABEL) == wanted
