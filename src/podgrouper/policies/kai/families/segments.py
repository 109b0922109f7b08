"""Segments: workers of a gang in blocks of one size, which may each have to sit close together.

PyTorchJobs and LeaderWorkerSets cut their workers, and say where a segment may sit, the same way.
"""

from collections.abc import Mapping

from podgrouper.core.groups import Topology
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.values import BadValue, whole_number

MOST_SEGMENTS = 10_000
"""More would be a mistake, and an object that the API server refuses."""


def segment_size(annotations: Mapping[str, str], what: str) -> int | None:
    """The size that an annotation asks for; None when it is absent or empty. `what` carries it."""
    text = annotations.get(keys.SEGMENT_SIZE, "")
    if not text:
        return None
    size = whole_number(text, f"{what}, annotation {keys.SEGMENT_SIZE}")
    if size <= 0:
        raise BadValue(f"{what}, annotation {keys.SEGMENT_SIZE} is {text!r}: write a number above 0")
    return size


def segments_in(workers: int, size: int, what: str) -> int:
    """How many segments so many workers make; the last one may be smaller."""
    count = -(-workers // size) if workers > 0 else 0
    if count > MOST_SEGMENTS:
        raise BadValue(f"{what} has {count} segments of {size}: at most {MOST_SEGMENTS} make sense")
    return count


def segment_topology(
    pod: Mapping[str, str], template: Mapping[str, str], owner: Mapping[str, str]
) -> Topology | None:
    """Where the members of one segment may sit: each value from the first of these annotations that has it.

    The owner's levels are meant for the whole gang, so only its topology's name counts here. Without a name
    or without any level there is no constraint.
    """
    name = pod.get(keys.TOPOLOGY) or template.get(keys.TOPOLOGY) or owner.get(keys.TOPOLOGY, "")
    required, preferred = (
        pod.get(key) or template.get(key, "") for key in (keys.SEGMENT_REQUIRED, keys.SEGMENT_PREFERRED)
    )
    if not name or not (required or preferred):
        return None
    return Topology(name=name, required_level=required, preferred_level=preferred)
