"""Where a change is made and what it says: how one that somebody took back, or that still waits, is known."""

from collections.abc import Hashable

import msgspec

from podgrouper.core.fields import items, mapping
from podgrouper.core.model import Json
from podgrouper.core.plans import (
    Change,
    CreateGroup,
    DeleteGroup,
    EvictPod,
    LinkPod,
    Report,
    UpdateGroup,
    WriteStatus,
)

_TIMES = frozenset({"lastTransitionTime", "transitionID"})


def meaning_of(change: Change) -> tuple[Hashable, int]:
    """Where a change is made and what it says, without the state that it was made for."""
    match change:
        case CreateGroup(ref, obj):
            return (ref.kind, ref.namespace, ref.name), hash(("create", _text(obj)))
        case UpdateGroup(ref, _, patch):
            return (ref.kind, ref.namespace, ref.name), hash(("update", _text(patch)))
        case DeleteGroup(ref):
            return (ref.kind, ref.namespace, ref.name), hash("delete")
        case LinkPod(pod, group):
            return pod.uid, hash(group)
        case WriteStatus(ref, _, patch):
            return (ref.kind, ref.namespace, ref.name, "status"), hash(_text(_timeless(patch)))
        case EvictPod(pod):
            return pod.uid, hash("evict")
        case Report(about):
            return about, 0


def _timeless(patch: Json) -> Json:
    """A status without the times of its conditions, which are others each time that it is written."""
    conditions = [
        {key: value for key, value in entry.items() if key not in _TIMES}
        for entry in items(patch, "status.conditions")
    ]
    return {**mapping(patch, "status"), "conditions": conditions}


def _text(obj: Json) -> bytes:
    return msgspec.json.encode(obj, order="deterministic")
