"""Ten times the pods cost ten times as much and no more."""

from collections.abc import Iterator, Mapping

from bench import runs
from bench.figures import Figure, Limit, Place, Reading, Row, compared
from bench.forms import Form
from bench.harness import Bench
from bench.observations import Pair, series
from bench.orders import Make
from bench.scenarios.backlog import SHAPES

TIMES = 10
NO_MORE = Limit(1.1)
"""As much, and a tenth by which two runs of the same may differ."""

_BESIDE = "The reference is podgrouper itself with a tenth of the workloads."
PER_POD: Mapping[Row, Reading] = {
    Row(
        "time per pod",
        "ms",
        f"From the start of the process to the last link, less what a start takes anyway. {_BESIDE}",
        NO_MORE,
        relative=True,
    ): lambda seen: 1000 / seen.rate,
    Row("CPU per pod", "µs", f"Of podgrouper. {_BESIDE}", NO_MORE, relative=True): (
        lambda seen: seen.cpu_per_pod * 1e6
    ),
    Row("requests per pod", "requests", f"All of them. {_BESIDE}", NO_MORE, relative=True): (
        lambda seen: seen.asked_per_pod
    ),
}


def measure(bench: Bench, form: Form) -> Iterator[Figure]:
    ours, shape = bench.ours(), SHAPES[bench.profile.name]
    small, large = (
        Make("", shape, "w", gangs, form.members, form.size) for gangs in (form.gangs // TIMES, form.gangs)
    )

    def pair() -> Pair:
        return Pair(runs.backlog(bench, ours, small), runs.backlog(bench, ours, large))

    place = Place(f"{TIMES} times the pods", bench.profile.name)
    yield from compared(place, series(pair, form.runs, form.spare), PER_POD)
