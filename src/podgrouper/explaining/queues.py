"""Causes that lie in the queue: it is not there, it is closed, it is used up."""

from collections.abc import Iterator, Mapping

from podgrouper.core.fields import items, text
from podgrouper.core.model import Json, Kind
from podgrouper.core.reasons import Reason
from podgrouper.explaining.model import Cause
from podgrouper.explaining.scene import Scene

QUEUES: Mapping[Kind, tuple[Kind, str]] = {
    Kind("scheduling.volcano.sh/v1beta1", "PodGroup"): (
        Kind("scheduling.volcano.sh/v1beta1", "Queue"),
        "default",
    ),
    Kind("scheduling.run.ai/v2alpha2", "PodGroup"): (Kind("scheduling.run.ai/v2", "Queue"), ""),
}
"""Kind of PodGroup -> its kind of queue, and the queue of a group that names none."""
OVER_LIMIT = frozenset({"NonPreemptibleOverQuota", "OverLimit", "PreemptionDelayNotElapsed"})
MISSING = "QueueDoesNotExist"


def missing_or_closed(scene: Scene) -> Iterator[Cause]:
    """Nothing is said where queues could not be read: absent and unseen look alike."""
    if any(reason == MISSING for reason, _ in _told(scene.live or {})):
        yield _missing(text(scene.live, "spec.queue"))
        return
    if scene.group_ref is None or scene.group_ref.kind not in QUEUES:
        return
    kind, usual = QUEUES[scene.group_ref.kind]
    name = text(scene.shown, "spec.queue") or usual
    if not name or not scene.world.of_kind(kind) or scene.world.hidden(kind):
        return
    queue = scene.world.whole(kind, "", name)
    if queue is None:
        yield _missing(name)
        return
    state = text(queue, "status.state", "Open")
    if state not in ("", "Open"):
        yield Cause(
            Reason.QUEUE_CLOSED, f"queue {name!r} is {state}: open it, or name another one for the workload"
        )


def over_limit(scene: Scene) -> Iterator[Cause]:
    for reason, message in _told(scene.live or {}):
        if reason in OVER_LIMIT:
            yield Cause(Reason.QUEUE_OVER_LIMIT, f"{reason}: {message}")
            return


def _missing(name: str) -> Cause:
    return Cause(Reason.QUEUE_MISSING, f"queue {name!r} does not exist: create it, or name another one")


def _told(live: Json) -> Iterator[tuple[str, str]]:
    """KAI's reasons, newest condition last."""
    for condition in items(live, "status.schedulingConditions"):
        for reason in items(condition, "reasons"):
            yield text(reason, "reason"), text(reason, "message")
