"""What Prometheus reads: one table, rendered into the reference. A name never changes its meaning."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Literal, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from podgrouper.controller.census import Census, Milestone, Sighting
from podgrouper.core.faults import Fault
from podgrouper.core.model import Key
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
from podgrouper.core.status import Phase
from podgrouper.kube.rights import Right


class Metric(NamedTuple):
    """A row of the table. Labels have few values each: names of pods, groups or users are none of them."""

    name: str
    type: Literal["counter", "gauge", "histogram"]
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


WRITES = Metric(
    "podgrouper_writes_total", "counter", "Changes that were made, by kind of change.", ("change",)
)
FAILURES = Metric(
    "podgrouper_failures_total",
    "counter",
    "Requests that failed, by what was tried and how it ended.",
    ("change", "error"),
)
REASONS = Metric("podgrouper_reasons_total", "counter", "Warnings by reason code.", ("reason",))
FAULTS = Metric(
    "podgrouper_faults_total", "counter", "Exceptions that nobody expected: faults of podgrouper."
)
EXTENSIONS = Metric(
    "podgrouper_extension_failures_total",
    "counter",
    "Workloads that an extension failed at: plugins by name, with the kind and the reason code.",
    ("extension", "kind", "reason"),
)
RECONCILE = Metric(
    "podgrouper_reconcile_seconds",
    "histogram",
    "Time that one key took, waiting included.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
GROUPS = Metric(
    "podgrouper_groups",
    "gauge",
    "Groups by phase, as their pods show it; a group that nobody has made yet is Pending.",
    ("profile", "phase"),
)
LINKED = Metric(
    "podgrouper_linked_seconds",
    "histogram",
    "From the creation of a group's first pod until all its pods were linked, once for each group. Pods are "
    "dated to whole seconds, so it tells up to one too many.",
    ("profile",),
    (1, 2, 3, 5, 10, 20, 30, 60, 120, 300, 600),
)
RUNNING = Metric(
    "podgrouper_running_seconds",
    "histogram",
    "From the creation of a group's first pod until the gang ran, once for each group.",
    ("profile",),
    (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400),
)
INTENDED = Metric(
    "podgrouper_intended_changes",
    "gauge",
    "With --observe: changes that would be made now, by kind of change.",
    ("change",),
)
DIFFERING = Metric(
    "podgrouper_differing_groups",
    "gauge",
    "With --observe: groups that are missing, too many, or otherwise than they would be made.",
)
RIGHTS = Metric(
    "podgrouper_missing_rights",
    "gauge",
    "1 for each right that the API server refuses at present; `podgrouper rbac` prints what grants it.",
    ("verb", "resource"),
)
QUEUE = Metric("podgrouper_queue_depth", "gauge", "Keys that wait for their turn.")
PODS = Metric("podgrouper_pods", "gauge", "Pods of our schedulers that are known.")
LEADING = Metric("podgrouper_leading", "gauge", "1 when to write is this replica's task.")
READY = Metric("podgrouper_ready", "gauge", "1 when the ground is known.")
STALL = Metric(
    "podgrouper_loop_stall_seconds",
    "gauge",
    "The longest time that the event loop stood still.",
)

TABLE = (
    WRITES,
    FAILURES,
    REASONS,
    FAULTS,
    EXTENSIONS,
    RECONCILE,
    GROUPS,
    LINKED,
    RUNNING,
    INTENDED,
    DIFFERING,
    RIGHTS,
    QUEUE,
    PODS,
    LEADING,
    READY,
    STALL,
)
CHANGES: Mapping[type[Change], str] = {
    CreateGroup: "create_group",
    UpdateGroup: "update_group",
    DeleteGroup: "delete_group",
    LinkPod: "link_pod",
    Report: "report",
    WriteStatus: "write_status",
    EvictPod: "evict_pod",
}
LABELS: Mapping[str, str] = {
    "change": ", ".join(f"`{word}`" for kind, word in CHANGES.items() if kind is not Report)
    + "; of failures also `read`",
    "error": "how the API server refused: `Conflict`, `Forbidden`, `Unavailable` and a few more",
    "reason": "a [reason code](reasons.md)",
    "extension": "the names of the plugins",
    "kind": "kinds of workloads for which there is a plugin",
    "profile": "the names of the profiles that run",
    "verb": "as RBAC calls it: `patch`, `list`",
    "resource": "with its API group: `pods`, `podgroups.scheduling.volcano.sh`",
    "phase": ", ".join(f"`{phase}`" for phase in Phase),
}
"""What the values of each label are."""
GROUP_CHANGES: tuple[type[Change], ...] = (CreateGroup, UpdateGroup, DeleteGroup)
MILESTONES: Mapping[Milestone, Metric] = {Milestone.LINKED: LINKED, Milestone.RUNNING: RUNNING}


class Metrics:
    """Numbers of one controller, in a registry of its own: two in one process do not mix."""

    def __init__(
        self,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        missing_rights: Callable[[], Iterable[Right]] = tuple,
    ) -> None:
        self._now = now
        self._missing_rights = missing_rights
        self.registry = CollectorRegistry()
        self._counters = {row: self._counter(row) for row in TABLE if row.type == "counter"}
        self._gauges = {row: self._gauge(row) for row in TABLE if row.type == "gauge"}
        self._histograms = {row: self._histogram(row) for row in TABLE if row.type == "histogram"}
        self._census = Census()
        self._followed: set[str] = set()
        """Profiles whose groups are counted when somebody asks."""
        self.queue, self.pods = self._gauges[QUEUE], self._gauges[PODS]
        self.leading, self.ready = self._gauges[LEADING], self._gauges[READY]
        self.stall = self._gauges[STALL]

    def made(self, change: Change) -> None:
        self._counters[WRITES].labels(CHANGES[type(change)]).inc()

    def failed(self, change: Change | None, error: Exception) -> None:
        tried = CHANGES[type(change)] if change else "read"
        self._counters[FAILURES].labels(tried, type(error).__name__).inc()

    def warned(self, report: Report) -> None:
        self._counters[REASONS].labels(str(report.reason)).inc()

    def fault(self) -> None:
        self._counters[FAULTS].inc()

    def extension_failed(self, fault: Fault) -> None:
        self._counters[EXTENSIONS].labels(fault.extension, fault.kind, str(fault.reason)).inc()

    def took(self, seconds: float) -> None:
        self._histograms[RECONCILE].observe(seconds)

    def intend(self, changes: Mapping[type[Change], int]) -> None:
        """What would be done now if anything were written."""
        for kind, word in CHANGES.items():
            if kind is not Report:
                self._gauges[INTENDED].labels(word).set(changes.get(kind, 0))
        self._gauges[DIFFERING].set(sum(changes.get(kind, 0) for kind in GROUP_CHANGES))

    def saw(self, key: Key, sightings: Iterable[Sighting]) -> None:
        """The groups of a key as they are now; none when the key is no more."""
        for milestone, since in self._census.note(key, sightings):
            seconds = max(0.0, (self._now() - since).total_seconds())
            self._histograms[MILESTONES[milestone]].labels(key.profile).observe(seconds)
        if key.profile not in self._followed:
            self._followed.add(key.profile)
            for phase in Phase:
                count = partial(self._census.count, key.profile, phase)
                self._gauges[GROUPS].labels(key.profile, str(phase)).set_function(count)

    def page(self) -> bytes:
        rights = self._gauges[RIGHTS]
        rights.clear()
        for right in self._missing_rights():
            rights.labels(right.verb, right.resource).set(1)
        return generate_latest(self.registry)

    def _counter(self, row: Metric) -> Counter:
        return Counter(row.name, row.help, row.labels, registry=self.registry)

    def _gauge(self, row: Metric) -> Gauge:
        return Gauge(row.name, row.help, row.labels, registry=self.registry)

    def _histogram(self, row: Metric) -> Histogram:
        return Histogram(row.name, row.help, row.labels, registry=self.registry, buckets=row.buckets)
