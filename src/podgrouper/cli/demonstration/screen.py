"""What people see: a table that changes before their eyes, or lines where nobody looks."""

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from podgrouper.cli.demonstration.rows import Row

REFRESHES_PER_SECOND = 8
_LAST_LINES = 3
MARKS: Mapping[str, tuple[str, str]] = {
    "waiting": ("○", "yellow"),
    "starting": ("◐", "cyan"),
    "running": ("●", "green"),
    "succeeded": ("✓", "green"),
    "failed": ("✗", "red"),
}


class Screen(Protocol):
    """Where the demo is shown. `show` is called whenever something may have changed."""

    def tell(self, line: str) -> None: ...
    def show(self, rows: Sequence[Row]) -> None: ...
    def close(self) -> None: ...


class Lines:
    """A line for everything that is told and for every row that changes."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._known: dict[str, str] = {}

    def tell(self, line: str) -> None:
        self._print(f"-- {line}")

    def show(self, rows: Sequence[Row]) -> None:
        for row in rows:
            key, line = f"{row.profile} {row.path} {row.name}", line_of(row)
            settled = row.pods and "starting" not in row.states
            if settled and self._known.get(key) != line:
                self._known[key] = line
                self._print(line)

    def close(self) -> None:
        """Nothing is held open."""

    def _print(self, line: str) -> None:
        print(f"{time.monotonic() - self._start:5.1f}s {line}", flush=True)


class Picture:
    """The groups as they are now, under the last lines that were told."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._told: list[str] = []
        self._rows: Sequence[Row] = ()
        console = Console(highlight=False)
        self._live = Live(
            console=console, refresh_per_second=REFRESHES_PER_SECOND, get_renderable=self._render
        )
        self._live.start()

    def tell(self, line: str) -> None:
        self._told.append(line)

    def show(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def close(self) -> None:
        self._live.stop()

    def _render(self) -> RenderableType:
        told = [Text(line, style="dim") for line in self._told[-_LAST_LINES:-1]]
        told += [Text(line, style="bold") for line in self._told[-1:]]
        marks = [Text(f"{mark} {state}", style=style) for state, (mark, style) in MARKS.items()]
        title, legend = Text(self._title, style="bold"), Text("  ").join(marks)
        return Group(title, *told, Text(), table_of(self._rows), legend)


def screen(title: str) -> Screen:
    """A picture on a terminal, lines everywhere else."""
    if sys.stdout.isatty():
        return Picture(title)
    lines = Lines()
    lines.tell(title)
    return lines


def line_of(row: Row) -> str:
    """One row in words."""
    states = ", ".join(f"{count} {state}" for state, count in row.states.items())
    group = f"PodGroup {row.short_name} (min {row.floor})" if row.group else "no group yet"
    why = f"; {row.waits_for}" if row.waits_for else ""
    return f"{row.profile:8}{row.path}: {group}: {states}{why}"


def table_of(rows: Sequence[Row]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("PROFILE")
    table.add_column("OWNERS", overflow="ellipsis", no_wrap=True, ratio=4)
    table.add_column("PODGROUP", overflow="ellipsis", no_wrap=True, ratio=3)
    table.add_column("MIN", justify="right")
    table.add_column("PODS", no_wrap=True)
    table.add_column("WAITS FOR", overflow="ellipsis", no_wrap=True, ratio=2)
    for row in rows:
        floor = str(row.floor) if row.group else ""
        table.add_row(row.profile, row.path, row.short_name or "-", floor, _marks(row), row.waits_for)
    return table


def _marks(row: Row) -> Text:
    marks = Text()
    for state, count in row.states.items():
        mark, style = MARKS[state]
        marks.append(mark * count, style=style)
    return marks
