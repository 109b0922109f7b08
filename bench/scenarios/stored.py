"""As scenario memory, beside a real API server: how far the stub is to be believed."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench import contenders
from bench.figures import Figure, Place, Row, figure
from bench.forms import Form
from bench.harness import Bench
from bench.observations import series
from bench.orders import Make
from bench.scenarios.backlog import SHAPES
from bench.scenarios.memory import MB
from bench.stub.workloads import PODS
from bench.weighing import Weight, settled

SIZES = (5_000, 20_000)
"""Pods, in gangs of ten."""
BYTES = 10_000
"""Of one of them, as stored."""


class Beside(NamedTuple):
    """A start beside nobody, and one beside pods that an earlier one has linked."""

    nobody: Weight
    many: Weight

    @property
    def others(self) -> float:
        return max(self.nobody.others, self.many.others)


def table(pods: int) -> Mapping[Row, Callable[[Beside], float]]:
    """The figures of a size, and how each is read."""
    size = f"{pods:,} pods".replace(",", " ")
    return {
        Row(f"{size}: MB per 1000", "MB", "Resident memory at rest, less that beside no pods."): (
            lambda seen: (seen.many.rss - seen.nobody.rss) / MB / pods * 1000
        ),
        Row(f"{size}: at rest", "MB", "Resident memory of the whole process."): (
            lambda seen: seen.many.rss / MB
        ),
        Row(f"{size}: peak", "MB", "The most that it held during a cold start."): (
            lambda seen: seen.many.peak / MB
        ),
        Row(f"{size}: CPU", "s", "Of a cold start, until there is nothing left to do."): (
            lambda seen: seen.many.cpu
        ),
    }


ROWS = tuple(row for pods in SIZES for row in table(pods))


def measure(bench: Bench, form: Form) -> Iterator[Figure]:
    shape = SHAPES[bench.profile.name]
    nobody = _started(bench, 0, form.rest)
    for pods in SIZES:
        with bench.plane.namespace() as namespace:
            bench.loading.make(Make(namespace, shape, "w", pods // PODS, PODS, BYTES))
            _started(bench, pods, rest=0.0)
            run = partial(_beside, bench, nobody, pods, form.rest)
            found = series(run, form.runs, form.spare)
        for row, read in table(pods).items():
            yield figure(Place("stored", bench.profile.name), row, [read(one) for one in found.runs], found)


def _beside(bench: Bench, nobody: Weight, pods: int, rest: float) -> Beside:
    return Beside(nobody, _started(bench, pods, rest))


def _started(bench: Bench, pods: int, rest: float) -> Weight:
    """Of a start that ends when all pods are linked and nothing is left to do."""
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = bench.plane.kubeconfig(bench.user)
        program = contenders.ours(kubeconfig, Path(folder), f"--profile={bench.profile.name}")
        try:
            return settled(program, pods, rest, bench.plane.pids)
        finally:
            program.stop()
