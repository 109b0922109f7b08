"""What the faults of one run came to, as a table for people and as JSON for the page about it."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figure:
    """One fault, or all of those of one name."""

    fault: str
    recoveries: int
    longest: float
    """Seconds from the end of the fault until nothing was left to do."""
    repeated_writes: int = 0
    foreign_changes: int = 0


@dataclass(frozen=True, slots=True)
class Memory:
    """MiB of the program before the first fault and after the last one."""

    before: float
    after: float
    rounds: int


_HEAD = ("fault", "recoveries", "longest", "repeated writes", "foreign changes")


def table(figures: Iterable[Figure]) -> Sequence[str]:
    """As Markdown, so that it can be put into a page as it stands."""
    rows = [
        (
            row.fault,
            str(row.recoveries),
            f"{row.longest:.1f} s",
            str(row.repeated_writes),
            str(row.foreign_changes),
        )
        for row in figures
    ]
    return [_line(_HEAD), _line(["---"] * len(_HEAD)), *map(_line, rows)]


def write(path: Path, seed: int, figures: Sequence[Figure], memories: Sequence[Memory]) -> None:
    found = {
        "seed": seed,
        "faults": [asdict(figure) for figure in figures],
        "memory": [asdict(memory) for memory in memories],
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(found, indent=2) + "\n")


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
