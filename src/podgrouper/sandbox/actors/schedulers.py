"""A toy of a gang scheduler: a gang gets its nodes in one step when all of it fits, or none at all.

It serves several scheduler names at once, over one set of nodes. Pods of a gang scheduler that name no
group, or one that is not there yet, are none of its business, as with the real ones; pods of the default
scheduler start one by one. No preemption, no queues, no quotas, no topology.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from podgrouper.core.fields import integer, items, text
from podgrouper.core.model import POD, Json, Kind
from podgrouper.sandbox.actors.cluster import Cluster
from podgrouper.sandbox.actors.gangs import GANG_SCHEDULERS, Scheduler, Verdict, tell_pod
from podgrouper.sandbox.actors.pods import active, bound, phase
from podgrouper.sandbox.actors.scheduling import Part, Room, Seats, room_of, start_together

NODE = Kind("v1", "Node")
DEFAULT_SCHEDULER = "default-scheduler"
SESSION = timedelta(seconds=1)
"""How often it looks while things change: Volcano's default."""


@dataclass(frozen=True, slots=True)
class Gang:
    """Pods that one tree of parts speaks of; without a group, a pod alone."""

    tree: Part
    pods: Sequence[Json]
    scheduler: Scheduler | None = None
    group: Json = field(default_factory=dict)

    @property
    def rank(self) -> tuple[int, str, str]:
        """Priority first, then age, then name."""
        priority = max((integer(pod, "spec.priority", 0) for pod in self.pods), default=0)
        first = min((text(pod, "metadata.creationTimestamp") for pod in self.pods), default="")
        name = text(self.group or self.pods[0], "metadata.name")
        return (-priority, first, name)

    def leaf(self, pod: Json) -> str:
        return self.scheduler.leaf_of(pod) if self.scheduler else ""


class GangScheduler:
    """One scheduler for all of these names."""

    def __init__(self, schedulers: Sequence[Scheduler] = GANG_SCHEDULERS) -> None:
        self._schedulers = {one.name: one for one in schedulers}
        self._last: datetime | None = None

    def act(self, cluster: Cluster) -> datetime | None:
        """One session; too early for it, the time at which it is due."""
        if self._last is not None and cluster.now < self._last + SESSION:
            return self._last + SESSION
        self._last = cluster.now
        pods = cluster.store.list(POD)
        room = room_of(cluster.store.list(NODE), pods)
        for gang in sorted(self._gangs(cluster, pods), key=lambda one: one.rank):
            _schedule(cluster, gang, room)
        return None

    def _gangs(self, cluster: Cluster, pods: Iterable[Json]) -> Iterator[Gang]:
        members: dict[tuple[str, str, str], list[Json]] = {}
        for pod in pods:
            scheduler = self._schedulers.get(text(pod, "spec.schedulerName"))
            if scheduler and scheduler.group_of(pod):
                where = (scheduler.name, text(pod, "metadata.namespace"), scheduler.group_of(pod))
                members.setdefault(where, []).append(pod)
            elif text(pod, "spec.schedulerName") == DEFAULT_SCHEDULER and _waits(pod):
                yield Gang(Part("", 1), (pod,))
        for scheduler in self._schedulers.values():
            if cluster.store.catalog.find(scheduler.kind) is None:
                continue
            for group in cluster.store.list(scheduler.kind):
                where = (scheduler.name, text(group, "metadata.namespace"), text(group, "metadata.name"))
                yield Gang(scheduler.tree(group), members.get(where, ()), scheduler, group)


def _schedule(cluster: Cluster, gang: Gang, room: Room) -> None:
    seats = _seats(gang)
    found = start_together(gang.tree, seats, room)
    whole = found is not None
    nodes = {**(found or {}), **(_surplus(gang.tree, seats, found, room) if found is not None else {})}
    waiting: dict[str, str] = {}
    for pod in filter(_waits, gang.pods):
        name = text(pod, "metadata.name")
        if name in nodes:
            cluster.store.bind(text(pod, "metadata.namespace"), name, nodes[name])
        else:
            waiting[name] = _why(gang, pod, room, whole=whole)
            tell_pod(cluster, pod, waiting[name])
    if gang.scheduler:
        after = [
            cluster.store.get(POD, text(pod, "metadata.namespace"), text(pod, "metadata.name"))
            for pod in gang.pods
        ]
        gang.scheduler.tell(cluster, Verdict(gang.group, after, _pods_needed(gang.tree), waiting, whole))


def _seats(gang: Gang) -> Seats:
    waiting: dict[str, list[Json]] = {}
    placed: dict[str, int] = {}
    counts_done = gang.scheduler is not None and gang.scheduler.counts_done
    for pod in sorted(gang.pods, key=lambda one: text(one, "metadata.name")):
        leaf = gang.leaf(pod)
        if _waits(pod):
            waiting.setdefault(leaf, []).append(pod)
        elif (active(pod) and bound(pod)) or (counts_done and phase(pod) == "Succeeded"):
            placed[leaf] = placed.get(leaf, 0) + 1
    return Seats(waiting, placed)


def _surplus(tree: Part, seats: Seats, found: dict[str, str], room: Room) -> dict[str, str]:
    """Beyond what needs each other pods start one by one, in leaves that have what they need."""
    more: dict[str, str] = {}
    for leaf in _leaves(tree):
        names = [text(pod, "metadata.name") for pod in seats.waiting.get(leaf.name, ())]
        if seats.placed.get(leaf.name, 0) + sum(name in found for name in names) < leaf.need:
            continue
        for pod in seats.waiting.get(leaf.name, ()):
            name = text(pod, "metadata.name")
            node = "" if name in found else room.take(pod)
            if node:
                more[name] = node
    return more


def _why(gang: Gang, pod: Json, room: Room, *, whole: bool) -> str:
    """Why a pod got no node. Of a gang, why not all of it did: each of its pods alone might fit."""
    leaf = gang.leaf(pod)
    known = {one.name for one in _leaves(gang.tree)}
    if leaf not in known:
        return f"the group has no part {leaf!r}" if leaf else "the pod names no part of its group"
    if whole:
        return room.why_not(pod)
    trial = room.copy()
    waiting = [one for one in gang.pods if _waits(one)]
    left_over = [one for one in waiting if not trial.take(one)]
    fit = len(waiting) - len(left_over)
    reason = trial.why_not(left_over[0]) if left_over else "others are missing"
    return f"{fit} of {_pods_needed(gang.tree)} pods that start together would fit: {reason}"


def _waits(pod: Json) -> bool:
    """Wants a node. A gate keeps every scheduler away."""
    return active(pod) and not bound(pod) and not items(pod, "spec.schedulingGates")


def _leaves(part: Part) -> Iterator[Part]:
    if not part.parts:
        yield part
    for one in part.parts:
        yield from _leaves(one)


def _pods_needed(part: Part) -> int:
    """The least number of pods; of parts that may choose, the smallest."""
    if not part.parts:
        return part.need
    return sum(sorted(map(_pods_needed, part.parts))[: part.need])
