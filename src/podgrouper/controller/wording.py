"""Changes in the words of logs and events."""

from podgrouper.core.fields import mapping
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
from podgrouper.core.saying import said


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
