"""How a leader and its workers are laid out in parts: plain arithmetic on worker indexes.

The leader has index 0. When the workers alone fill whole segments, the leader is an extra pod; else it is
the first member of the first segment.
"""

from collections import Counter
from dataclasses import dataclass, replace

from podgrouper.core.groups import Part, Topology
from podgrouper.policies.kai.families.segments import MOST_SEGMENTS
from podgrouper.policies.kai.values import BadValue

LEADER, WORKERS = "leader", "workers"
LEADER_WORKER, LEADER_EXCLUDED = "LeaderWorker", "LeaderExcluded"


@dataclass(frozen=True, slots=True)
class Layout:
    """The parts of one replica, and which of them takes the pod of an index."""

    size: int
    parts: tuple[Part, ...]
    limit: int
    """Indexes from here on do not exist."""
    segment: int = 0
    """Members of a segment; 0: there are no segments."""
    extra_leader: bool = False
    leader_apart: bool = True
    """The leader has a part of its own; so have the workers beside it in the first segment."""
    excluded: bool = False

    def part_of(self, index: int | None, who: str) -> str:
        """The part of a pod. One without an index is a worker, but no segment's."""
        if index is not None and not 0 <= index < self.limit:
            raise BadValue(f"{who} has worker index {index}: its set has {self.limit} pods to a replica")
        if self.segment:
            return self._in_segments(index, who)
        part = LEADER if index == 0 else WORKERS
        return part if any(known.name == part for known in self.parts) else ""

    def bound(self, topology: Topology | None) -> "Layout":
        """The segments under a topology; a leader and workers apart follow their segment's."""
        parts = (
            part if part.name in (LEADER, WORKERS) else replace(part, topology=topology)
            for part in self.parts
        )
        return replace(self, parts=tuple(parts))

    def _in_segments(self, index: int | None, who: str) -> str:
        if index is None:
            raise BadValue(f"{who} has no worker index: its segment is unknown")
        place = segment_of(index, self.segment, extra_leader=self.extra_leader)
        if index == 0 and self.leader_apart:
            return LEADER
        return WORKERS if place == 0 and self.leader_apart and not self.excluded else f"segment-{place}"


LEADER_ALONE = Layout(1, (Part(LEADER, floor=1),), limit=1)


def leader_and_workers(size: int, limit: int) -> Layout:
    """No segments: one part for the leader and one for all others."""
    workers = (Part(WORKERS, floor=size - 1),) if size > 1 else ()
    return Layout(size, (Part(LEADER, floor=1), *workers), limit)


def in_segments(size: int, segment: int, policy: str, what: str) -> Layout:
    """Segments of workers; what becomes of the leader is the policy's word."""
    extra = (size - 1) % segment == 0
    if policy == LEADER_EXCLUDED and not extra:
        raise BadValue(f"{what}: {size - 1} workers do not fill segments of {segment} without the leader")
    count = segment_of(size - 1, segment, extra_leader=extra) + 1
    if count > MOST_SEGMENTS:
        raise BadValue(f"{what} has {count} segments of {segment}: at most {MOST_SEGMENTS} make sense")
    sizes = Counter(segment_of(index, segment, extra_leader=extra) for index in range(1, size))
    layout = Layout(size, (), size, segment, extra, excluded=policy == LEADER_EXCLUDED)
    if policy == LEADER_EXCLUDED:
        return replace(layout, parts=(Part(LEADER, floor=1), *_segments(sizes, 0, count)))
    if policy != LEADER_WORKER:
        ordinary = Counter(sizes) if extra and count > 1 else sizes + Counter({0: 1})
        return replace(layout, parts=_segments(ordinary, 0, count), leader_apart=False)
    first = Part("segment-0", floor_of_parts=2)
    inside = (Part(LEADER, "segment-0", floor=1), Part(WORKERS, "segment-0", floor=sizes[0]))
    return replace(layout, parts=(first, *_segments(sizes, 1, count), *inside))


def _segments(sizes: Counter[int], start: int, end: int) -> tuple[Part, ...]:
    return tuple(Part(f"segment-{place}", floor=sizes[place]) for place in range(start, end))


def segment_of(index: int, segment: int, *, extra_leader: bool) -> int:
    if index == 0:
        return 0
    return (index - 1) // segment if extra_leader else index // segment
