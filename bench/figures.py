"""Figures: what is measured, what it must reach, and what the Go controllers reach. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bench.observations import Observation, Pair, Series, T, middle


@dataclass(frozen=True, slots=True)
class Limit:
    """What a figure must reach."""

    value: float
    at_least: bool = False

    def met(self, value: float) -> bool:
        return value >= self.value if self.at_least else value <= self.value

    def __str__(self) -> str:
        """At most nothing is nothing."""
        sign = "≥ " if self.at_least else "≤ " if self.value else ""
        return f"{sign}{self.value:g}"


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One sort of figure."""

    name: str
    unit: str
    """Of the thing itself; a relative figure has none."""
    meaning: str
    """A sentence for whoever reads a result."""
    limit: Limit | None = None
    relative: bool = False
    """The figure is ours as a part of the lone client's."""
    peers: Mapping[str, str] = field(default_factory=dict)
    """What the Go controller of a profile does, by profile."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a result: the median of its runs."""

    scenario: str
    profile: str
    name: str
    unit: str
    value: float
    """What is compared with the limit: a part of the lone client's where `relative`, else in `unit`."""
    low: float
    high: float
    """The spread of the runs."""
    relative: bool = False
    ours: float | None = None
    """In `unit`."""
    reference: float | None = None
    """What the lone client did, in `unit`; None where it plays no part."""
    limit: Limit | None = None
    peer: str = ""
    runs: int = 1
    thrown: int = 0
    noisy: bool = False
    """Others used the machine too, so that it says little."""
    others: float = 0.0
    """Cores that they used, in the worst of the runs."""

    @property
    def met(self) -> bool | None:
        """None where nothing was promised."""
        return self.limit.met(self.value) if self.limit else None

    @property
    def place(self) -> tuple[str, str, str]:
        """What tells it from the others of a result."""
        return (self.scenario, self.profile, self.name)


@dataclass(frozen=True, slots=True)
class Place:
    """Where figures come from."""

    scenario: str
    profile: str


Reading = Callable[[Observation], float]


def compared(place: Place, found: Series[Pair], table: Mapping[Row, Reading]) -> Iterator[Figure]:
    """Each row from the same pairs."""
    for row, read in table.items():
        ours = [read(pair.ours) for pair in found.runs]
        values = [pair.ratio(read) for pair in found.runs] if row.relative else ours
        reference = middle([read(pair.reference) for pair in found.runs])
        yield figure(place, row, values, found, ours=middle(ours), reference=reference)


def counted(place: Place, found: Series[Observation], table: Mapping[Row, Reading]) -> Iterator[Figure]:
    """Each row from the same runs, which have no reference."""
    for row, read in table.items():
        yield figure(place, row, [read(one) for one in found.runs], found)


def figure(
    place: Place,
    row: Row,
    values: Sequence[float],
    found: Series[T] | None = None,
    *,
    ours: float | None = None,
    reference: float | None = None,
) -> Figure:
    """The median of these values."""
    return Figure(
        place.scenario,
        place.profile,
        row.name,
        row.unit,
        value=middle(values),
        low=min(values),
        high=max(values),
        relative=row.relative,
        ours=middle(values) if ours is None else ours,
        reference=reference,
        limit=row.limit,
        peer=row.peers.get(place.profile, ""),
        runs=len(values),
        thrown=found.thrown if found else 0,
        noisy=found.noisy if found else False,
        others=max((one.others for one in found.runs), default=0.0) if found else 0.0,
    )
