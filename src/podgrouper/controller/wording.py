"""Changes in the words of logs and events."""

from collections.abc import Iterator, Mapping

from podgrouper.core.fields import mapping
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


def described(change: Change) -> str:
    """A change in one line, as an order."""
    match change:
        case CreateGroup(ref, obj):
            return f"create {ref}: {said(mapping(obj, 'spec'))}"
        case UpdateGroup(ref, _, patch):
            return f"change {ref}: {said(patch)}"
        case DeleteGroup(ref):
            return f"delete {ref}"
        case LinkPod(pod, group):
            return f"link {pod.ref} to {group}"
        case WriteStatus(ref, _, patch):
            return f"write {ref}: {said(patch)}"
        case EvictPod(pod, group):
            return f"evict {pod.ref} of {group}"
        case Report(about, reason, message):
            return f"tell {about}: {reason}: {message}"


def said(obj: Json) -> str:
    """Fields with their values; in a patch, null is a field that goes."""
    return ", ".join(_fields(obj, ""))


def _fields(obj: Json, path: str) -> Iterator[str]:
    for key, value in obj.items():
        at = f"{path}.{key}" if path else str(key)
        if isinstance(value, Mapping) and value:
            yield from _fields(value, at)
        else:
            yield f"no {at}" if value is None else f"{at} {_value(value)}"


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{'; '.join(map(_value, value))}]"
    return said(value) if isinstance(value, Mapping) else str(value)
