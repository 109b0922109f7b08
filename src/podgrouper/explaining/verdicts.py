"""What schedulers mean by their words: those of their sentences that we tell apart."""

from collections.abc import Iterator

from podgrouper.core.conditions import NOT_ENOUGH_RESOURCES, UNSCHEDULABLE
from podgrouper.core.fields import items, text
from podgrouper.explaining.scene import Scene
from podgrouper.explaining.words import by_us, changed

QUEUE_MISSING = "QueueDoesNotExist"
QUEUE_OVER_LIMIT = frozenset({"NonPreemptibleOverQuota", "OverLimit", "PreemptionDelayNotElapsed"})
"""Reasons of KAI's that are about the queue and not about nodes."""
QUOTA_USED_UP = "resource quota insufficient"
"""Volcano's event when the quota of a queue or of a namespace keeps a group out."""
OVERUSED = "resource in cluster is overused"
"""Volcano's event when the cluster is too full to let a group in."""


def queue_missing(scene: Scene) -> bool:
    return any(reason == QUEUE_MISSING for reason, _ in _reasons(scene))


def queue_used_up(scene: Scene) -> str:
    """In the scheduler's words; empty when none says so."""
    said = (f"{reason}: {words}" for reason, words in _reasons(scene) if reason in QUEUE_OVER_LIMIT)
    event = _newest_event(scene)
    return next(said, event if QUOTA_USED_UP in event else "")


def no_room(scene: Scene) -> str:
    """In the words that a scheduler has for the group as a whole; empty when none says so."""
    about_the_queue = {QUEUE_MISSING, *QUEUE_OVER_LIMIT}
    said = (words for reason, words in _reasons(scene) if reason not in about_the_queue and words)
    event = _newest_event(scene)
    return next(said, _unschedulable(scene)) or (event if OVERUSED in event else "")


def _reasons(scene: Scene) -> Iterator[tuple[str, str]]:
    """KAI's, newest condition last."""
    for entry in items(scene.live or {}, "status.schedulingConditions"):
        for reason in items(entry, "reasons"):
            yield text(reason, "reason"), text(reason, "message")


def _unschedulable(scene: Scene) -> str:
    """Volcano's newest condition."""
    newest = max(items(scene.live or {}, "status.conditions"), key=changed, default={})
    meant = (text(newest, "type"), text(newest, "status"), text(newest, "reason"))
    return text(newest, "message") if meant == (UNSCHEDULABLE, "True", NOT_ENOUGH_RESOURCES) else ""


def _newest_event(scene: Scene) -> str:
    events = scene.events_about(scene.group_ref) if scene.group_ref else iter(())
    told = [event for event in events if not by_us(event)]
    return text(told[-1], "message") if told else ""
