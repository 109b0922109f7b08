"""The section `leaderElection` of the configuration file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from podgrouper.config import words
from podgrouper.config.model import LeaderElection
from podgrouper.config.sections import Field, Section, Values, joined
from podgrouper.config.shapes import Bad, Flag, Good, Optional, Read, refused
from podgrouper.core.durations import SECOND, parse_duration
from podgrouper.core.model import Json
from podgrouper.core.rules import Finding

SHORTEST, LONGEST = 0.1, 3600.0
JITTER = 1.2
"""A renewal may come so much later than it is due."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """A time to wait, as Go writes it."""

    accepts: str = "a duration from 100ms to 1h, as in `15s`"

    def read(self, value: object, path: str) -> Read[float]:
        parsed = parse_duration(value) if isinstance(value, str) else None
        if parsed is None or not SHORTEST <= parsed / SECOND <= LONGEST:
            return refused(value, path, self.accepts)
        return Good(parsed / SECOND)

    def schema(self) -> Json:
        return {"type": "string"}


ENABLED = Field(
    "enabled",
    Optional(Flag(), "yes in a pod, no with a kubeconfig"),
    "Whether replicas agree on one that writes; the others wait with warm caches.",
)
LEASE = Field(
    "leaseDuration", Seconds(), "Others wait so long for a sign of life before they take over.", "15s"
)
RENEW = Field("renewDeadline", Seconds(), "Who could not renew for so long stops.", "10s")
RETRY = Field(
    "retryPeriod", Seconds(), "How often the lease is renewed; those who wait look twice as often.", "2s"
)
NAME = Field("resourceName", words.OBJECT_NAME, "The name of the Lease.", LeaderElection().name)
NAMESPACE = Field(
    "resourceNamespace",
    words.OPTIONAL_NAMESPACE,
    "Its namespace; empty: that of the credentials, for a pod its own.",
    "",
)


def contradictions(leading: LeaderElection) -> Mapping[str, str]:
    """Times that do not go together: the key at which a file tells it, and why."""
    lease, renew, retry = leading.lease_seconds, leading.renew_seconds, leading.retry_seconds
    found: dict[str, str] = {}
    if renew >= lease:
        found[LEASE.key] = (
            f"the lease duration ({lease:g} s) must be longer than the renew deadline ({renew:g} s):"
            " else others take over while this one still writes"
        )
    if retry * JITTER >= renew:
        found[RENEW.key] = (
            f"the renew deadline ({renew:g} s) must be longer than {JITTER} retry periods ({retry:g} s):"
            " else one late renewal ends it"
        )
    return found


def _leading(values: Values) -> LeaderElection:
    return LeaderElection(
        enabled=values[ENABLED],
        lease_seconds=values[LEASE],
        renew_seconds=values[RENEW],
        retry_seconds=values[RETRY],
        name=values[NAME],
        namespace=values[NAMESPACE],
    )


def _in_order(section: Json, path: str) -> Iterator[Finding]:
    times = [field.shape.read(section.get(field.key, field.default), "") for field in (LEASE, RENEW, RETRY)]
    seconds = [read.value for read in times if not isinstance(read, Bad)]
    if len(seconds) == len(times):
        lease, renew, retry = seconds
        for key, why in contradictions(LeaderElection(None, lease, renew, retry)).items():
            yield Finding(joined(path, key), why)


LEADER_ELECTION: Section[LeaderElection] = Section(
    (ENABLED, LEASE, RENEW, RETRY, NAME, NAMESPACE), _leading, _in_order
)
