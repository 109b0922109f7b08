"""What a plain controller with a task for each object does with the same backlog. For readers: no target."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bench import runs
from bench.figures import Figure, Place, Reading, Row, compared
from bench.forms import Form
from bench.harness import Bench
from bench.observations import Pair, series
from bench.orders import Make
from bench.scenarios.backlog import CPU, FAILED, LINKS, REQUESTS, SHAPES

TABLE: Mapping[Row, Reading] = {
    replace(LINKS, limit=None, peers={}): lambda seen: seen.rate,
    replace(CPU, limit=None, peers={}): lambda seen: seen.cpu_per_pod * 1e6,
    replace(REQUESTS, limit=None, peers={}): lambda seen: seen.asked_per_pod,
    replace(FAILED, limit=None): lambda seen: seen.failed_per_thousand,
}


def measure(bench: Bench, form: Form) -> Iterator[Figure]:
    shape = SHAPES[bench.profile.name]
    order = Make("", shape, "w", form.gangs, form.members, form.size)
    lone, other = bench.lone(shape, form.members), bench.kopf_style(shape, form.members)

    def pair() -> Pair:
        return Pair(runs.backlog(bench, lone, order), runs.backlog(bench, other, order))

    found = series(pair, form.runs, form.spare)
    yield from compared(Place("kopf style", bench.profile.name), found, TABLE)
