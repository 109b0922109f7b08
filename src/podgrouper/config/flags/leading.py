"""Flags about leader election, as the controllers of Kubernetes call them."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TypeVar

from podgrouper.config.flags.rows import Check, Row, Switch, sets
from podgrouper.config.leading import LEASE, NAME, NAMESPACE, RENEW, RETRY, contradictions
from podgrouper.config.model import Config, LeaderElection
from podgrouper.config.shapes import Choice

T = TypeVar("T")

LEADER_ELECT = "--leader-elect"


def _in_election(put: Callable[[LeaderElection, T], LeaderElection]) -> Callable[[Config, T], Config]:
    def put_there(config: Config, value: T) -> Config:
        return replace(config, leader_election=put(config.leader_election, value))

    return put_there


def _in_order(*keys: str) -> Check:
    """Whichever of two times was typed, what is wrong between them is told there."""

    def check(config: Config, _typed: Collection[str]) -> str:
        wrong = contradictions(config.leader_election)
        return "; ".join(wrong[key] for key in keys if key in wrong)

    return check


LEADING = (
    Row(
        LEADER_ELECT,
        "true|false",
        "Whether replicas agree on one that writes.  [default: true in a pod, false with a kubeconfig]",
        sets(Switch(), _in_election(lambda leading, chosen: replace(leading, enabled=chosen))),
        running=True,
        switch=True,
    ),
    Row(
        "--leader-elect-lease-duration",
        "DURATION",
        "Others wait so long for a sign of life before they take over.  [default: 15s]",
        sets(LEASE.shape, _in_election(lambda leading, seconds: replace(leading, lease_seconds=seconds))),
        running=True,
        check=_in_order(LEASE.key),
    ),
    Row(
        "--leader-elect-renew-deadline",
        "DURATION",
        "Who could not renew for so long stops.  [default: 10s]",
        sets(RENEW.shape, _in_election(lambda leading, seconds: replace(leading, renew_seconds=seconds))),
        running=True,
        check=_in_order(LEASE.key, RENEW.key),
    ),
    Row(
        "--leader-elect-retry-period",
        "DURATION",
        "How often the lease is renewed.  [default: 2s]",
        sets(RETRY.shape, _in_election(lambda leading, seconds: replace(leading, retry_seconds=seconds))),
        running=True,
        check=_in_order(RENEW.key),
    ),
    Row(
        "--leader-elect-resource-lock",
        "leases",
        "Only leases exist.  [default: leases]",
        sets(Choice(("leases",)), lambda config, _: config),
        running=True,
    ),
    Row(
        "--leader-elect-resource-name",
        "NAME",
        "The name of the Lease.  [default: podgrouper]",
        sets(NAME.shape, _in_election(lambda leading, name: replace(leading, name=name))),
        running=True,
    ),
    Row(
        "--leader-elect-resource-namespace",
        "NAMESPACE",
        "Its namespace.  [default: that of the credentials, for a pod its own]",
        sets(NAMESPACE.shape, _in_election(lambda leading, namespace: replace(leading, namespace=namespace))),
        running=True,
    ),
    Row(
        "--lock-object-namespace",
        "NAMESPACE",
        "The same, as Volcano's controllers call it.",
        sets(NAMESPACE.shape, _in_election(lambda leading, namespace: replace(leading, namespace=namespace))),
        running=True,
    ),
)
