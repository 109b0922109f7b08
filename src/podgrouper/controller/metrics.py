"""What Prometheus reads. Names are in the reference; a name never changes its meaning."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from podgrouper.core.faults import Fault
from podgrouper.core.model import (
    Change,
    CreateGroup,
    DeleteGroup,
    EvictPod,
    LinkPod,
    Report,
    UpdateGroup,
    WriteStatus,
)

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
WRITES: dict[type[Change], str] = {
    CreateGroup: "create_group",
    UpdateGroup: "update_group",
    DeleteGroup: "delete_group",
    LinkPod: "link_pod",
    Report: "report",
    WriteStatus: "write_status",
    EvictPod: "evict_pod",
}


class Metrics:
    """Counters of one controller, in a registry of its own: two in one process do not mix."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._writes = Counter(
            "podgrouper_writes",
            "Changes that were made, by kind of change.",
            ["change"],
            registry=self.registry,
        )
        self._failures = Counter(
            "podgrouper_failures",
            "Requests that failed, by what was tried and how it ended.",
            ["change", "error"],
            registry=self.registry,
        )
        self._reasons = Counter(
            "podgrouper_reasons", "Warnings by reason code.", ["reason"], registry=self.registry
        )
        self._faults = Counter(
            "podgrouper_faults",
            "Exceptions that nobody expected: faults of podgrouper.",
            registry=self.registry,
        )
        self._extensions = Counter(
            "podgrouper_extension_failures",
            "Workloads that an extension failed at: plugins by name, with the kind and the reason code.",
            ["extension", "kind", "reason"],
            registry=self.registry,
        )
        self._rounds = Histogram(
            "podgrouper_reconcile_seconds",
            "Time that one key took, waiting included.",
            buckets=BUCKETS,
            registry=self.registry,
        )
        self.queue = Gauge("podgrouper_queue_depth", "Keys that wait for their turn.", registry=self.registry)
        self.pods = Gauge("podgrouper_pods", "Pods of our schedulers that are known.", registry=self.registry)
        self.leading = Gauge(
            "podgrouper_leading", "1 when to write is this replica's task.", registry=self.registry
        )
        self.ready = Gauge("podgrouper_ready", "1 when the ground is known.", registry=self.registry)

    def made(self, change: Change) -> None:
        self._writes.labels(WRITES[type(change)]).inc()

    def failed(self, change: Change | None, error: Exception) -> None:
        self._failures.labels(WRITES[type(change)] if change else "read", type(error).__name__).inc()

    def warned(self, report: Report) -> None:
        self._reasons.labels(str(report.reason)).inc()

    def fault(self) -> None:
        self._faults.inc()

    def extension_failed(self, fault: Fault) -> None:
        self._extensions.labels(fault.extension, fault.kind, str(fault.reason)).inc()

    def took(self, seconds: float) -> None:
        self._rounds.observe(seconds)

    def page(self) -> bytes:
        return generate_latest(self.registry)
