"""What people write on workloads and pods, read into the fields of a group."""

import re
from collections.abc import Iterator, Mapping

from podgrouper.core.model import Pod
from podgrouper.core.names import is_subdomain
from podgrouper.policies.volcano.sources import Found, Place, Source, Unusable, Voices, first_usable

GANG_SIZE = "scheduling.volcano.sh/group-min-member"
QUEUE = "scheduling.volcano.sh/queue-name"
OWNER_QUEUE = "volcano.sh/queue-name"
PREEMPTABLE = "volcano.sh/preemptable"
COOLDOWN = "volcano.sh/cooldown-time"
REVOCABLE_ZONE = "volcano.sh/revocable-zone"
MIN_AVAILABLE = "volcano.sh/jdb-min-available"
MAX_UNAVAILABLE = "volcano.sh/jdb-max-unavailable"
INHERITED_PREFIX = "volcano.sh/"

OVERRIDES = (PREEMPTABLE, COOLDOWN, REVOCABLE_ZONE)
"""Annotations of the pod that stand on its group, in place of inherited ones."""
COPIED_LABELS = (PREEMPTABLE, COOLDOWN)
"""Labels of the pod that become labels of its group."""
BUDGET = (MIN_AVAILABLE, MAX_UNAVAILABLE)
"""Exclude each other; the first counts before the second."""
POD_ANNOTATIONS = frozenset({GANG_SIZE, QUEUE, *OVERRIDES, *BUDGET})

LARGEST_GANG = 1_000_000
_INTEGER = re.compile(r"[+-]?[0-9]+")
INT64_DIGITS = 19


def integer(written: str) -> int | None:
    """An optional sign and ASCII digits, nothing else; None for anything that does not fit 64 bits."""
    if not _INTEGER.fullmatch(written):
        return None
    digits = written.lstrip("+-").lstrip("0")
    if len(digits) > INT64_DIGITS:
        return None
    value = int(f"-0{digits}" if written.startswith("-") else f"0{digits}")
    return value if -(2**63) <= value < 2**63 else None


def gang_size(voices: Voices) -> Found[int]:
    """`minMember`: the first usable wish of an owner, then the pod's own, then 1."""
    return first_usable(gang_size_places(voices), _gang_size, 1)


def gang_size_places(voices: Voices) -> Iterator[Place]:
    return (Place(source, GANG_SIZE) for source in (*voices.owners, voices.pod))


def _gang_size(written: str) -> int | Unusable:
    value = integer(written)
    if value is None or not 0 <= value <= LARGEST_GANG:
        return Unusable(f"a whole number from 0 to {LARGEST_GANG}")
    return value


def queue(voices: Voices) -> Found[str]:
    """The queue that somebody names; empty when nobody does."""
    return first_usable(queue_places(voices), _queue, "")


def queue_places(voices: Voices) -> Iterator[Place]:
    """Above the controller the owners come before the pod, and object before key."""
    keys = (QUEUE, OWNER_QUEUE)
    if voices.climbed:
        yield from (Place(owner, key) for owner in voices.owners for key in keys)
        yield Place(voices.pod, QUEUE)
    else:
        yield Place(voices.pod, QUEUE)
        yield from (Place(owner, key) for key in keys for owner in voices.owners)


def _queue(written: str) -> str | Unusable | None:
    if not written:
        return None
    return written if is_subdomain(written) else Unusable("the name of a queue")


def group_annotations(voices: Voices) -> Mapping[str, str]:
    """What the group inherits, and what its pods say instead.

    Of owners everything below `volcano.sh/`, the first that has a key wins. The pod's own budget key takes
    any inherited one away.
    """
    kept = _inherited(voices.owners)
    own = voices.pod.annotations
    kept.update((key, own[key]) for key in OVERRIDES if key in own)
    budget = _budget(own) or _budget(kept)
    for key in BUDGET:
        kept.pop(key, None)
    return {**kept, **budget}


def _inherited(owners: tuple[Source, ...]) -> dict[str, str]:
    kept: dict[str, str] = {}
    for owner in owners:
        for key, value in owner.annotations.items():
            if key.startswith(INHERITED_PREFIX):
                kept.setdefault(key, value)
    return kept


def _budget(written: Mapping[str, str]) -> Mapping[str, str]:
    """The one budget key that counts, min before max."""
    return next(({key: written[key]} for key in BUDGET if key in written), {})


def group_labels(pod: Pod) -> Mapping[str, str]:
    return {key: pod.labels[key] for key in COPIED_LABELS if key in pod.labels}
