"""Causes that lie in the queue: it is not there, it is closed, it is used up."""

from collections.abc import Iterator, Mapping

from podgrouper.core.fields import text
from podgrouper.core.model import Kind
from podgrouper.core.reasons import Reason
from podgrouper.explaining import verdicts
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


def missing_or_closed(scene: Scene) -> Iterator[Cause]:
    """Nothing is said where queues could not be read: absent and unseen look alike."""
    if verdicts.queue_missing(scene):
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
            Reason.QUEUE_CLOSED,
            f"queue {name!r} is {state}: open it, or name another one in spec.queue of {scene.group_ref}",
        )


def over_limit(scene: Scene) -> Iterator[Cause]:
    words = verdicts.queue_used_up(scene)
    if words:
        name = text(scene.live, "spec.queue") or "default"
        yield Cause(
            Reason.QUEUE_OVER_LIMIT,
            f"queue {name!r} (spec.queue) has nothing left for {scene.group_ref}, {words}: wait, or raise "
            "what the queue may use",
        )


def _missing(name: str) -> Cause:
    return Cause(
        Reason.QUEUE_MISSING,
        f"queue {name!r} does not exist: create it, or name another one in spec.queue of the PodGroup",
    )
