"""Everything is linked: what kubelets write, and a restart, ask nothing of anybody."""

from collections.abc import Iterator, Mapping

from bench import runs
from bench.asked import total, without_watching
from bench.figures import Figure, Limit, Place, Reading, Row, compared, counted
from bench.forms import Form
from bench.harness import Bench
from bench.observations import Observation, Pair, series
from bench.orders import Make
from bench.scenarios.backlog import SHAPES


def _requests(seen: Observation) -> float:
    return total(without_watching(seen.asked))


CHURN: Mapping[Row, Reading] = {
    Row(
        "requests",
        "requests",
        "Lists and watches aside, while the status of each linked pod changes five times.",
        Limit(0),
        peers={"volcano": "0", "kai": "4.4 – 5.4 per pod"},
    ): _requests,
    Row(
        "CPU per status change",
        "µs",
        "Of the contender. The lone client's is what it costs to hear of it.",
        Limit(40),
        peers={"volcano": "150 µs", "kai": "640 µs"},
    ): lambda seen: seen.cpu_per_pod * 1e6,
}
RESTART: Mapping[Row, Reading] = {
    Row(
        "requests",
        "requests",
        "Lists and watches aside, after a start with all pods linked.",
        Limit(0),
        peers={"volcano": "0.1 per pod", "kai": "1.5 per pod"},
    ): _requests,
    Row(
        "CPU per linked pod",
        "µs",
        "Until nobody does anything, less that of a start on an empty cluster.",
    ): lambda seen: seen.cpu_per_pod * 1e6,
}


def measure_churn(bench: Bench, form: Form) -> Iterator[Figure]:
    order = _order(bench, form)
    lone, ours = bench.lone(order.shape, order.members), bench.ours()

    def pair() -> Pair:
        return Pair(runs.churn(bench, lone, order), runs.churn(bench, ours, order))

    found = series(pair, form.pairs, form.spare)
    yield from compared(Place("churn", bench.profile.name), found, CHURN)


def measure_restart(bench: Bench, form: Form) -> Iterator[Figure]:
    ours, order = bench.ours(), _order(bench, form)
    found = series(lambda: runs.restart(bench, ours, order), form.runs, form.spare)
    yield from counted(Place("restart", bench.profile.name), found, RESTART)


def _order(bench: Bench, form: Form) -> Make:
    return Make("", SHAPES[bench.profile.name], "w", form.few, form.members, form.size)
