"""Stage 7 of the road: events, each once per change of meaning, and never in the way of the work."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from datetime import UTC, datetime

from podgrouper.controller.news import Happening
from podgrouper.controller.rights import level_of
from podgrouper.core.changes import MANAGER
from podgrouper.core.model import Json, Kind, Ref
from podgrouper.core.plans import Report
from podgrouper.core.reasons import NOTICES, Reason
from podgrouper.kube.client import Client
from podgrouper.kube.errors import AlreadyExists, ApiError, NotFound

log = logging.getLogger(__name__)

EVENT = Kind("v1", "Event")
WAITING_LIMIT = 1000
"""Events that wait to be written. Beyond that they are dropped: the log and the metrics have them."""
PAUSE_SECONDS = 0.02
"""Fifty events a second are more than anybody reads and cost the API server little."""
MESSAGE_LIMIT = 1024
"""What the API server takes."""


class Recorder:
    """Remembers what was told about what, and writes what is new."""

    def __init__(self, client: Client, now: Callable[[], datetime]) -> None:
        self._client = client
        self._now = now
        self._told: dict[Hashable, frozenset[Report]] = {}
        self._waiting: asyncio.Queue[Happening] = asyncio.Queue(WAITING_LIMIT)

    def tell(self, source: Hashable, reports: Iterable[Report]) -> tuple[Report, ...]:
        """Everything that `source` (a key, a pod) has to say now. Gives what it did not say last time."""
        current = frozenset(reports)
        fresh = tuple(sorted(current - self._told.get(source, frozenset()), key=_order))
        if current:
            self._told[source] = current
        else:
            self._told.pop(source, None)
        for report in fresh:
            log.log(_level(report.reason), "%s: %s: %s", report.about, report.reason, report.message)
            with suppress(asyncio.QueueFull):
                self._waiting.put_nowait(Happening(report, ""))
        return fresh

    def announce(self, happenings: Iterable[Happening]) -> None:
        """What was done, each time that it was done. Half of the room is kept for what is wrong."""
        for happening in happenings:
            report = happening.report
            log.info("%s: %s: %s", report.about, report.reason, report.message)
            if self._waiting.qsize() < WAITING_LIMIT // 2:
                self._waiting.put_nowait(happening)

    def forget(self, source: Hashable) -> None:
        self._told.pop(source, None)

    async def write(self) -> None:
        """Writes events, one after the other, until cancelled. A lost event is only logged."""
        while True:
            happening = await self._waiting.get()
            report = happening.report
            event = event_of(report, self._now(), happening.occasion)
            try:
                await self._client.create(EVENT, _namespace(report.about), event)
            except (AlreadyExists, NotFound):
                pass  # told before our restart; or the namespace is gone
            except ApiError as error:
                log.log(level_of(error, logging.INFO), "no event about %s: %s", report.about, error)
            await asyncio.sleep(PAUSE_SECONDS)


def event_of(report: Report, now: datetime, occasion: str = "") -> Json:
    """The event as it is sent.

    Its name follows from what it says, and on what occasion, so that a restart tells nothing twice.
    """
    about = report.about
    meaning = f"{about.uid}\0{report.reason}\0{report.message}\0{occasion}"
    digest = hashlib.sha256(meaning.encode(errors="replace")).hexdigest()[:16]
    time = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{about.name[:230]}.{digest}", "namespace": _namespace(about)},
        "involvedObject": {
            "apiVersion": about.kind.api_version,
            "kind": about.kind.kind,
            "namespace": about.namespace,
            "name": about.name,
            "uid": about.uid,
        },
        "type": "Normal" if report.reason in NOTICES else "Warning",
        "reason": str(report.reason),
        "message": report.message.encode(errors="replace").decode()[:MESSAGE_LIMIT],
        "source": {"component": MANAGER},
        "reportingComponent": MANAGER,
        "reportingInstance": "",
        "firstTimestamp": time,
        "lastTimestamp": time,
        "count": 1,
    }


def _level(reason: Reason) -> int:
    """A right that is missing was logged when the first request was refused, whatever it was about."""
    if reason is Reason.RIGHT_MISSING:
        return logging.DEBUG
    return logging.INFO if reason in NOTICES else logging.WARNING


def _namespace(about: Ref) -> str:
    """Where events about cluster-scoped objects lie."""
    return about.namespace or "default"


def _order(report: Report) -> tuple[Ref, str, str]:
    return (report.about, report.reason, report.message)
