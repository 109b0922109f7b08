"""Groups as rows of a table: columns, ages, alignment."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from podgrouper.listing import Entry


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its head, and what an entry shows in it."""

    head: str
    cell: Callable[[Entry], str]
    wide: bool = False
    """Shown with `-o wide` only."""


COLUMNS: tuple[Column, ...] = (
    Column("NAMESPACE", lambda entry: entry.ref.namespace),
    Column("NAME", lambda entry: entry.ref.name),
    Column("STATUS", lambda entry: entry.status),
    Column("MIN", lambda entry: str(entry.floor)),
    Column("HAVE", lambda entry: str(entry.have)),
    Column("RUNNING", lambda entry: str(entry.running)),
    Column("QUEUE", lambda entry: entry.queue or "-"),
    Column("OWNER", lambda entry: entry.owner_text or "-"),
    Column("SCHEDULER", lambda entry: entry.scheduler, wide=True),
    Column("PRIORITY", lambda entry: entry.priority_class or "-", wide=True),
)
"""AGE comes last, for it alone needs to know the time."""


@dataclass(frozen=True, slots=True)
class Form:
    """Which columns are shown."""

    wide: bool = False
    namespaces: bool = False

    @property
    def columns(self) -> tuple[Column, ...]:
        hidden = {"NAMESPACE"} if not self.namespaces else set()
        return tuple(one for one in COLUMNS if (self.wide or not one.wide) and one.head not in hidden)

    @property
    def heads(self) -> tuple[str, ...]:
        return (*(column.head for column in self.columns), "AGE")

    def cells(self, entry: Entry) -> tuple[str, ...]:
        """Everything but the age: what makes a row another one when it changes."""
        return tuple(column.cell(entry) for column in self.columns)


def age(created: str, now: datetime) -> str:
    """As kubectl shows it, one unit: `45s`, `12m`, `5h`, `3d`."""
    try:
        passed = now - datetime.fromisoformat(created).astimezone(UTC)
    except ValueError:
        return "-"
    seconds = max(0, int(passed / timedelta(seconds=1)))
    for size, unit, below in ((1, "s", 120), (60, "m", 120), (3600, "h", 48)):
        if seconds < below * size:
            return f"{seconds // size}{unit}"
    return f"{seconds // 86400}d"


def aligned(rows: Iterable[Sequence[str]], widths: Sequence[int] = ()) -> tuple[list[str], list[int]]:
    """Lines of equal columns, and how wide these are: rows that follow later stand below them."""
    kept = [tuple(row) for row in rows]
    longest = [max(map(len, column)) for column in zip(*kept, strict=True)]
    filled = [max(pair) for pair in zip(longest, widths or [0] * len(longest), strict=True)]
    lines = [
        "   ".join(cell.ljust(width) for cell, width in zip(row, filled, strict=True)).rstrip()
        for row in kept
    ]
    return lines, filled
