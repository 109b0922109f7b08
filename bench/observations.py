"""What was observed while somebody linked pods, and what it comes to for one of them. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Generic, Protocol, TypeVar

from bench.asked import Ask, failures, total
from bench.orders import Seen

_TELLABLE = 0.001
NOISE = 0.1
"""Cores. When others used more than that, what we saw says something about them too."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a contender costs that finds nothing to do: a part of every run that is not about pods."""

    seconds: float = 0.0
    cpu: float = 0.0
    server_cpu: float = 0.0


@dataclass(frozen=True, slots=True)
class Observation:
    """One run of one contender, without the costs of its start."""

    pods: int
    seconds: float
    """Until the last pod was seen linked."""
    cpu: float
    server_cpu: float
    others: float
    """Cores that were used by none of ours."""
    asked: Mapping[Ask, int] = field(default_factory=dict)
    waits: Sequence[float] = ()
    """From the first sight of a pod to that of its link, where pods came while the contender ran."""

    def without(self, cost: Start) -> "Observation":
        """What was about pods. A run is never shorter than the clocks can tell."""
        return replace(
            self,
            seconds=max(_TELLABLE, self.seconds - cost.seconds),
            cpu=max(_TELLABLE, self.cpu - cost.cpu),
            server_cpu=max(_TELLABLE, self.server_cpu - cost.server_cpu),
        )

    @property
    def rate(self) -> float:
        return self.pods / self.seconds

    @property
    def cpu_per_pod(self) -> float:
        return self.cpu / self.pods

    @property
    def server_cpu_per_pod(self) -> float:
        return self.server_cpu / self.pods

    @property
    def asked_per_pod(self) -> float:
        return total(self.asked) / self.pods

    @property
    def failed_per_thousand(self) -> float:
        return 1000 * failures(self.asked) / self.pods


@dataclass(frozen=True, slots=True)
class Pair:
    """Both on the same server, one right after the other."""

    reference: Observation
    ours: Observation

    @property
    def others(self) -> float:
        return max(self.reference.others, self.ours.others)

    def ratio(self, of: Callable[[Observation], float]) -> float:
        """Ours, as a part of the reference's."""
        return of(self.ours) / of(self.reference)


@dataclass(frozen=True, slots=True)
class Beside:
    """A small workload came while a big one was being linked."""

    small: float
    """Seconds from the first sight of its pods until all of them were linked."""
    big: float
    """Seconds until the big one was done, from then on."""
    overtaken: int
    """Pods of the big one that were linked before the small one was done."""
    others: float


def beside_each_other(small: Seen, big: Seen, others: float) -> Beside:
    began, ended = min(small.seen), max(small.linked)
    overtaken = sum(began < linked < ended for linked in big.linked)
    return Beside(ended - began, max(big.linked) - began, overtaken, others)


class Disturbed(Protocol):
    """A run, or several that belong together."""

    @property
    def others(self) -> float: ...


T = TypeVar("T", bound=Disturbed)


@dataclass(frozen=True, slots=True)
class Series(Generic[T]):
    """The runs that count, and how many did not."""

    runs: tuple[T, ...]
    thrown: int
    noisy: bool
    """Quiet ones were too few, so that others fill their places."""


def series(run: Callable[[], T], wanted: int, spare: int) -> Series[T]:
    """So many runs during which nobody else worked; at most `spare` more than wanted are tried."""
    runs: list[T] = []
    while sum(one.others <= NOISE for one in runs) < wanted and len(runs) < wanted + spare:
        runs.append(run())
    quietest = sorted(runs, key=lambda one: max(one.others, NOISE))[:wanted]
    return Series(tuple(quietest), len(runs) - len(quietest), any(one.others > NOISE for one in quietest))


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that so many of all values do not exceed."""
    ordered = sorted(values)
    place = -(-len(ordered) * percent // 100)
    return ordered[max(0, int(place) - 1)]


def middle(values: Sequence[float]) -> float:
    return float(median(values))
