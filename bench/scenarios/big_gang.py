"""One gang of very many pods: it costs no more per pod than others, and nobody starves beside it."""

from collections.abc import Iterator, Mapping

from bench import runs
from bench.figures import Figure, Limit, Place, Reading, Row, compared, figure
from bench.forms import Form
from bench.harness import Bench
from bench.observations import Pair, middle, series
from bench.orders import Make
from bench.scenarios.backlog import SHAPES
from bench.scenarios.growth import NO_MORE

USUAL = 100
"""Pods of a gang that nobody calls big."""
_BESIDE = f"The reference is podgrouper itself with as many pods in gangs of {USUAL}."
PER_POD: Mapping[Row, Reading] = {
    Row("time per pod", "ms", f"As in the backlog. {_BESIDE}", NO_MORE, relative=True): (
        lambda seen: 1000 / seen.rate
    ),
    Row("CPU per pod", "µs", f"Of podgrouper. {_BESIDE}", NO_MORE, relative=True): (
        lambda seen: seen.cpu_per_pod * 1e6
    ),
    Row("requests per pod", "requests", f"All of them. {_BESIDE}", NO_MORE, relative=True): (
        lambda seen: seen.asked_per_pod
    ),
}
OVERTAKEN = Row(
    "links while a small gang waits",
    "links",
    "Ten pods come when the big gang has begun: links of the big one from the first sight of the ten until "
    "the last of them is linked. First come, first served would be all of the big one.",
    Limit(100),
)
WAIT = Row("a small gang beside it", "ms", "The same as time. The reference is what the big gang takes.")


def measure(bench: Bench, form: Form) -> Iterator[Figure]:
    for pods in form.big:
        yield from _measure(bench, form, pods)


def _measure(bench: Bench, form: Form, pods: int) -> Iterator[Figure]:
    ours, shape = bench.ours(), SHAPES[bench.profile.name]
    usual = Make("", shape, "w", pods // USUAL, USUAL, form.size)
    big = Make("", shape, "big", 1, pods, form.size)
    small = Make("", shape, "small", 1, form.members, form.size)
    place = Place(f"gang of {pods}", bench.profile.name)

    def pair() -> Pair:
        return Pair(runs.backlog(bench, ours, usual), runs.backlog(bench, ours, big))

    yield from compared(place, series(pair, form.runs, form.spare), PER_POD)
    found = series(lambda: runs.beside(bench, ours, big, small), form.runs, form.spare)
    yield figure(place, OVERTAKEN, [one.overtaken for one in found.runs], found)
    rest = 1000 * middle([one.big for one in found.runs])
    yield figure(place, WAIT, [1000 * one.small for one in found.runs], found, reference=rest)
