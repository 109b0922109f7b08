"""Linked pods lie idle, and podgrouper beside them: what it weighs, and how long it ever stood still.

The pods lie in a stub that streams them, so that their number is not limited by what etcd stores in a minute.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from bench.figures import Figure, Limit, Place, Row, figure
from bench.forms import QUICK, Form
from bench.harness import Bench
from bench.observations import series
from bench.stub.workloads import PODS
from bench.weighing import NOBODY, Population, Weighed, weighed

MB = 1e6
GANGS: Mapping[str, str] = MappingProxyType({"volcano": "job", "kai": "job"})
"""The workload of a profile whose ten pods are one gang."""
SINGLES: Mapping[str, str] = MappingProxyType({"volcano": "alone", "kai": "deployment"})
"""The one whose pods are a group each."""


class Beside(NamedTuple):
    """One run beside nobody, and one beside many."""

    nobody: Weighed
    many: Weighed
    pods: int

    @property
    def others(self) -> float:
        return max(self.nobody.others, self.many.others)

    @property
    def per_thousand(self) -> float:
        """Bytes."""
        return (self.many.started.rss - self.nobody.started.rss) / self.pods * 1000


Reading = Callable[[Beside], float]


@dataclass(frozen=True, slots=True)
class Limits:
    per_thousand: Limit | None = None
    rest: Limit | None = None
    peak: Limit | None = None
    cpu: Limit | None = None
    stall: Limit | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """So many pods in such workloads."""

    name: str
    pods: int
    workloads: Mapping[str, str]
    limits: Limits
    peers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What the Go controllers do, by figure and profile."""
    only_full: frozenset[str] = frozenset()
    """Profiles for which the quick form has no time."""

    def measured(self, profile: str, form: Form) -> bool:
        return form.name != QUICK.name or profile not in self.only_full


BOTH = frozenset(GANGS)
CASES = (
    Case("5 000", 5_000, GANGS, Limits(), only_full=BOTH),
    Case(
        "20 000",
        20_000,
        GANGS,
        Limits(Limit(1.2), rest=Limit(100), peak=Limit(130), cpu=Limit(2.45)),
        {
            "MB per 1000": {"volcano": "28", "kai": "32"},
            "peak": {"volcano": "811", "kai": "963"},
            "CPU": {"volcano": "4.9", "kai": "20.3"},
        },
    ),
    Case("20 000 single", 20_000, SINGLES, Limits(Limit(3))),
    Case(
        "100 000",
        100_000,
        GANGS,
        Limits(rest=Limit(200), peak=Limit(260), stall=Limit(50)),
        only_full=frozenset({"volcano"}),
    ),
)


def measure(bench: Bench, form: Form) -> Iterator[Figure]:
    profile = bench.profile.name
    nobody = _beside(NOBODY, profile, form)
    for case in CASES:
        if case.measured(profile, form):
            yield from _measured(case, profile, form, nobody)


def _measured(case: Case, profile: str, form: Form, nobody: Weighed) -> Iterator[Figure]:
    crowd = f"{case.workloads[profile]}={case.pods // PODS}"

    def run() -> Beside:
        return Beside(nobody, _beside(Population((crowd,), case.pods), profile, form), case.pods)

    found = series(run, form.runs, form.spare)
    for row, read in table(case).items():
        yield figure(Place("memory", profile), row, [read(one) for one in found.runs], found)


def _beside(population: Population, profile: str, form: Form) -> Weighed:
    with tempfile.TemporaryDirectory() as folder:
        return weighed(population, profile, Path(folder), form.rest, relist=population.pods > 0)


def table(case: Case) -> Mapping[Row, Reading]:
    """The figures of a case, and how each is read."""
    limits = case.limits

    def row(figure: str, unit: str, meaning: str, limit: Limit | None = None) -> Row:
        return Row(f"{case.name} pods: {figure}", unit, meaning, limit, peers=case.peers.get(figure, {}))

    return {
        row(
            "MB per 1000",
            "MB",
            "Resident memory at rest, less that beside no pods; of pods of 10 KB, their groups and owners.",
            limits.per_thousand,
        ): lambda seen: seen.per_thousand / MB,
        row("at rest", "MB", "Resident memory of the whole process.", limits.rest): (
            lambda seen: seen.many.started.rss / MB
        ),
        row("peak", "MB", "The most that it held during a cold start.", limits.peak): (
            lambda seen: seen.many.started.peak / MB
        ),
        row("CPU", "s", "Of a cold start, until there is nothing left to do.", limits.cpu): (
            lambda seen: seen.many.started.cpu
        ),
        row("after a relist", "MB", "Resident memory when every watch had to list again."): (
            lambda seen: seen.many.relisted.rss / MB
        ),
        row("stall", "ms", "The event loop's longest, first list and relist included.", limits.stall): (
            lambda seen: seen.many.relisted.stall * 1000
        ),
        row("writes", "requests", "Everything is linked: there is nothing to write.", Limit(0)): (
            lambda seen: seen.many.writes
        ),
    }


ROWS = tuple(row for case in CASES for row in table(case))
"""For whoever lists what there is to measure."""
