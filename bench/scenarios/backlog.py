"""Pods of many workloads lie there unlinked when the contender starts."""

from collections.abc import Iterator, Mapping

from bench import runs
from bench.figures import Figure, Limit, Place, Reading, Row, compared
from bench.forms import Form
from bench.harness import Bench
from bench.observations import Pair, series
from bench.orders import Make

SHAPES: Mapping[str, str] = {"volcano": "ReplicaSet", "kai": "PyTorchJob"}
"""The workload of a profile: an owner with ten pods, which are one gang."""

LINKS = Row(
    "links per second",
    "links/s",
    "Pods by the time from the start of the process to the last link, less what a start on an empty cluster "
    "takes.",
    Limit(0.85, at_least=True),
    relative=True,
    peers={"volcano": "0.74", "kai": "0.34"},
)
CPU = Row(
    "CPU per linked pod",
    "µs",
    "CPU of the contender, less that of a start on an empty cluster, by pods.",
    Limit(1.6),
    relative=True,
    peers={"volcano": "2.6", "kai": "9.6"},
)
SERVER_CPU = Row(
    "API-server CPU per linked pod",
    "µs",
    "CPU of kube-apiserver while the contender works, by pods.",
    Limit(1.1),
    relative=True,
    peers={"volcano": "1.26", "kai": "2.3"},
)
REQUESTS = Row(
    "requests per pod",
    "requests",
    "All requests from the start to the last link and after it until nobody does anything, by pods.",
    Limit(1.12),
    peers={"volcano": "1.33", "kai": "4.1"},
)
FAILED = Row("failed requests", "per 1000 pods", "Requests that were answered with 400 or more.", Limit(1))
ONE_BY_ONE = Row(
    REQUESTS.name,
    REQUESTS.unit,
    "The same where each pod is a group of its own.",
    Limit(2.05),
    peers={"kai": "7.0"},
)

_PER_POD: Mapping[Row, Reading] = {
    LINKS: lambda seen: seen.rate,
    CPU: lambda seen: seen.cpu_per_pod * 1e6,
    SERVER_CPU: lambda seen: seen.server_cpu_per_pod * 1e6,
    FAILED: lambda seen: seen.failed_per_thousand,
}
TABLE: Mapping[Row, Reading] = {**_PER_POD, REQUESTS: lambda seen: seen.asked_per_pod}
DEPLOYMENTS: Mapping[Row, Reading] = {**_PER_POD, ONE_BY_ONE: lambda seen: seen.asked_per_pod}


def measure(bench: Bench, form: Form) -> Iterator[Figure]:
    yield from _measure(bench, form, "backlog", SHAPES[bench.profile.name], TABLE)


def measure_deployments(bench: Bench, form: Form) -> Iterator[Figure]:
    """Each of whose pods is a group of its own in the kai profile."""
    yield from _measure(bench, form, "deployments", "Deployment", DEPLOYMENTS)


def _measure(
    bench: Bench, form: Form, name: str, shape: str, table: Mapping[Row, Reading]
) -> Iterator[Figure]:
    order = Make("", shape, "w", form.gangs, form.members, form.size)
    lone, ours = bench.lone(shape, form.members), bench.ours()

    def pair() -> Pair:
        return Pair(runs.backlog(bench, lone, order), runs.backlog(bench, ours, order))

    yield from compared(Place(name, bench.profile.name), series(pair, form.pairs, form.spare), table)
