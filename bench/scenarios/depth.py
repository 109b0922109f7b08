"""Long owner chains: kinds that nobody knows, above a ReplicaSet."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from bench import runs
from bench.figures import Figure, Place, Reading, Row, counted
from bench.forms import Form
from bench.harness import Bench
from bench.observations import series
from bench.orders import Make
from bench.scenarios.live import LIVE_REQUESTS, OWNERS_READ, owners_read

PER_POD: Mapping[Row, Reading] = {
    replace(LIVE_REQUESTS, peers={}): lambda seen: seen.asked_per_pod,
    replace(OWNERS_READ, peers={}): owners_read,
    Row("CPU per linked pod", "µs", "Of podgrouper, once a workload of this kind has been met."): (
        lambda seen: seen.cpu_per_pod * 1e6
    ),
}


def measure(bench: Bench, form: Form) -> Iterator[Figure]:
    for depth in form.depths:
        order = Make("", f"chain of {depth}", "w", form.few, form.members, form.size)
        found = series(partial(runs.live, bench, bench.ours(), order), form.runs, form.spare)
        yield from counted(Place(f"depth {depth}", bench.profile.name), found, PER_POD)
