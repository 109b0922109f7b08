"""Who may write: the one whose name a Lease bears, as the controllers of Kubernetes agree on it.

Pure. Clocks of different machines are never compared: a record is old when *we* have seen it unchanged
for as long as its holder asked for, whatever times it bears.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from podgrouper.core.fields import dig, integer, mapping, text
from podgrouper.core.model import Json, Kind

LEASE = Kind("coordination.k8s.io/v1", "Lease")
GIVEN_BACK_SECONDS = 1
"""A Lease must ask for something; nobody holds it, so nobody waits for it."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The usual numbers of Kubernetes' own controllers."""

    lease_seconds: float = 15.0
    """Others wait so long for a sign of life."""
    renew_seconds: float = 10.0
    """Who could not renew for so long stops: well before others may take over."""
    retry_seconds: float = 2.0
    """How often the holder renews. Those who wait look twice as often."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a Lease says."""

    holder: str = ""
    seconds: int = 0
    acquired: str = ""
    renewed: str = ""
    transitions: int = 0


NOBODY = Record()


@dataclass(frozen=True, slots=True)
class Observed:
    """A record, and since when, on our own clock, it has stood like that."""

    record: Record
    since: float

    def free_for(self, name: str, now: float, terms: Terms) -> bool:
        """Nobody else holds it, or whoever does has shown no sign of life for as long as it asked for."""
        patience = self.record.seconds or terms.lease_seconds
        return self.record.holder in ("", name) or now >= self.since + patience


def observed(before: Observed | None, record: Record, now: float) -> Observed:
    """The same record keeps the time at which it was first seen."""
    return before if before and before.record == record else Observed(record, now)


def record_of(lease: Json) -> Record:
    """Whatever stands in the spec; what cannot be read there is as if it were missing."""
    spec = mapping(lease, "spec")
    return Record(
        holder=text(spec, "holderIdentity"),
        seconds=max(0, integer(spec, "leaseDurationSeconds", 0)),
        acquired=text(spec, "acquireTime"),
        renewed=text(spec, "renewTime"),
        transitions=max(0, integer(spec, "leaseTransitions", 0)),
    )


def claimed(record: Record, name: str, terms: Terms, at: datetime) -> Record:
    """The record with which `name` takes the lease, or keeps it."""
    moment = micro_time(at)
    kept = replace(record, holder=name, seconds=round(terms.lease_seconds), renewed=moment)
    if record.holder == name:
        return kept
    return replace(kept, acquired=moment, transitions=record.transitions + (record != NOBODY))


def given_back(record: Record, at: datetime) -> Record:
    """Whoever waits may take it at once."""
    moment = micro_time(at)
    return replace(record, holder="", seconds=GIVEN_BACK_SECONDS, acquired=moment, renewed=moment)


def spec_of(record: Record) -> Mapping[str, object]:
    return {
        "holderIdentity": record.holder,
        "leaseDurationSeconds": record.seconds,
        "acquireTime": record.acquired,
        "renewTime": record.renewed,
        "leaseTransitions": record.transitions,
    }


def patch_of(lease: Json, record: Record) -> Json:
    """The lease with this record, refused when anybody has written it since."""
    precondition = {key: dig(lease, f"metadata.{key}") for key in ("uid", "resourceVersion")}
    return {"metadata": precondition, "spec": spec_of(record)}


def lease_of(namespace: str, name: str, record: Record) -> Json:
    """The object as it is created."""
    return {
        "apiVersion": LEASE.api_version,
        "kind": LEASE.kind,
        "metadata": {"namespace": namespace, "name": name},
        "spec": spec_of(record),
    }


def micro_time(at: datetime) -> str:
    """Kubernetes' MicroTime."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
