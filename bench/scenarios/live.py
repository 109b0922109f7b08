"""Pods come while the contender runs: at an even rate, then as fast as the server takes them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bench import runs
from bench.asked import reads_besides
from bench.figures import Figure, Limit, Place, Reading, Row, compared
from bench.forms import Form
from bench.harness import Bench
from bench.observations import Observation, Pair, percentile, series
from bench.orders import Make
from bench.scenarios.backlog import CPU, FAILED, REQUESTS, SERVER_CPU, SHAPES

RATE = 200
"""Pods per second."""

_WAIT = "From the moment at which the loader's watch shows a pod to that at which it shows its link"
P50 = Row(
    "p50 from ADDED to linked",
    "ms",
    f"{_WAIT}: half of the pods are faster.",
    Limit(2),
    relative=True,
    peers={"volcano": "23 ms", "kai": "1.2 s"},
)
P99 = Row(
    "p99 from ADDED to linked",
    "ms",
    f"{_WAIT}: one in a hundred is slower.",
    Limit(3),
    relative=True,
    peers={"volcano": "110 ms", "kai": "3.0 s"},
)
LIVE_CPU = replace(
    CPU,
    meaning="CPU of the contender until nobody does anything, by pods.",
    limit=Limit(2),
    peers={"volcano": "4.9", "kai": "12.6"},
)
LIVE_SERVER_CPU = replace(
    SERVER_CPU, meaning="CPU of kube-apiserver, by pods, the loader's work included.", peers={}
)
LIVE_REQUESTS = replace(
    REQUESTS,
    meaning="All requests until nobody does anything, by pods.",
    peers={"volcano": "3.1", "kai": "5.6"},
)
LIVE_FAILED = replace(FAILED, peers={"volcano": "840", "kai": "520"})
OWNERS_READ = Row(
    "GET and LIST of owners per pod",
    "requests",
    "Once a workload of its kind has been met.",
    Limit(0),
    peers={"volcano": "0.1 – 1", "kai": "1 per level"},
)


def _wait(percent: float) -> Reading:
    return lambda seen: 1000 * percentile(seen.waits, percent)


def owners_read(seen: Observation) -> float:
    return reads_besides(seen.asked, {"pods", "podgroups"}) / seen.pods


AT_A_RATE: Mapping[Row, Reading] = {
    P50: _wait(50),
    P99: _wait(99),
    LIVE_CPU: lambda seen: seen.cpu_per_pod * 1e6,
    LIVE_SERVER_CPU: lambda seen: seen.server_cpu_per_pod * 1e6,
    LIVE_REQUESTS: lambda seen: seen.asked_per_pod,
    LIVE_FAILED: lambda seen: seen.failed_per_thousand,
    OWNERS_READ: owners_read,
}
AT_FULL_SPEED: Mapping[Row, Reading] = {
    replace(P50, limit=None, peers={}): _wait(50),
    replace(P99, limit=None, peers={}): _wait(99),
    replace(LIVE_CPU, peers={}): lambda seen: seen.cpu_per_pod * 1e6,
    replace(LIVE_REQUESTS, peers={}): lambda seen: seen.asked_per_pod,
    replace(LIVE_FAILED, peers={}): lambda seen: seen.failed_per_thousand,
}


def measure(bench: Bench, form: Form) -> Iterator[Figure]:
    gangs = RATE * form.seconds // form.members
    order = Make("", SHAPES[bench.profile.name], "w", gangs, form.members, form.size, rate=RATE)
    yield from _measure(bench, form, f"live, {RATE} pods/s", order, AT_A_RATE)
    fast = Make("", order.shape, "w", form.gangs, form.members, form.size)
    yield from _measure(bench, form, "live, full speed", fast, AT_FULL_SPEED)


def _measure(
    bench: Bench, form: Form, name: str, order: Make, table: Mapping[Row, Reading]
) -> Iterator[Figure]:
    lone, ours = bench.lone(order.shape, order.members), bench.ours()

    def pair() -> Pair:
        return Pair(runs.live(bench, lone, order), runs.live(bench, ours, order))

    yield from compared(Place(name, bench.profile.name), series(pair, form.pairs, form.spare), table)
