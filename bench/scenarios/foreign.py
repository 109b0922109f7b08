"""Pods of other schedulers and what old rollouts left behind lie around: what they cost podgrouper.

Some pods of its own are there too, for without them it would not even ask for owners.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from bench.figures import Figure, Limit, Place, Row, figure
from bench.forms import Form
from bench.harness import Bench
from bench.observations import series
from bench.stub.workloads import PODS
from bench.weighing import Population, Weighed, weighed

OURS = 100
"""Deployments: their pods are why ReplicaSets are watched at all."""
MINE = f"deployment={OURS}"
FOREIGN = ("alone=5000:default-scheduler", "old-rollout=20000")
"""50 000 pods that a field selector keeps away, and 20 000 ReplicaSets of no replicas, which none does."""


class Crowded(NamedTuple):
    """One run without the others' objects, and one with them."""

    without: Weighed
    beside: Weighed

    @property
    def others(self) -> float:
        return max(self.without.others, self.beside.others)

    @property
    def requests(self) -> int:
        return sum(self.beside.requests.values()) - sum(self.without.requests.values())


TABLE: Mapping[Row, Callable[[Crowded], float]] = {
    Row(
        "requests", "requests", "That foreign objects cost: all requests, less those without them.", Limit(0)
    ): (lambda seen: seen.requests),
    Row("memory", "MB", "Resident memory at rest that they cost.", Limit(15)): (
        lambda seen: (seen.beside.started.rss - seen.without.started.rss) / 1e6
    ),
    Row("CPU of the start", "s", "That they cost.", Limit(2)): (
        lambda seen: seen.beside.started.cpu - seen.without.started.cpu
    ),
}


def measure(bench: Bench, form: Form) -> Iterator[Figure]:
    profile = bench.profile.name

    def weighed_with(*crowds: str) -> Weighed:
        population = Population((MINE, *crowds), OURS * PODS)
        with tempfile.TemporaryDirectory() as folder:
            return weighed(population, profile, Path(folder), form.rest, relist=False)

    found = series(lambda: Crowded(weighed_with(), weighed_with(*FOREIGN)), form.runs, form.spare)
    for row, read in TABLE.items():
        yield figure(Place("foreign", profile), row, [read(one) for one in found.runs], found)
