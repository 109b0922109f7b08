"""A result: where and when it was made, and its figures; as a file and as a table."""

import argparse
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bench.figures import Figure
from podgrouper.cli.columns import aligned

HEADS = ("SCENARIO", "PROFILE", "FIGURE", "TARGET", "", "FOUND", "RUNS", "OURS", "REFERENCE", "GO")
WORDS = {True: "met", False: "MISSED", None: ""}


@dataclass(frozen=True, slots=True)
class Result:
    """What one `make bench` found."""

    date: str
    commit: str
    """With `-dirty` where files differed from it."""
    form: str
    machine: str
    figures: tuple[Figure, ...]

    @property
    def name(self) -> str:
        return f"{self.date}-{self.commit}.json"

    @property
    def title(self) -> str:
        return f"{self.commit}, {self.date}, {self.form} form, {self.machine}"


def here() -> str:
    """This machine in a few words."""
    cores = os.cpu_count()
    return f"{cores} cores, {platform.system()}, Python {platform.python_version()}"


def write(result: Result, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / result.name
    path.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    return path


def read(path: Path) -> Result:
    return msgspec.json.decode(path.read_bytes(), type=Result)


def table(figures: Sequence[Figure]) -> list[str]:
    """Lines: what was found beside what is to be reached."""
    return aligned([HEADS, *(_cells(figure) for figure in figures)])[0]


def markdown(figures: Sequence[Figure]) -> list[str]:
    """The same table for a page."""
    rows = [HEADS, ("---",) * len(HEADS), *(_cells(figure) for figure in figures)]
    return [f"| {' | '.join(row)} |" for row in rows]


def line(figure: Figure) -> str:
    """For whoever waits for the table."""
    return f"{figure.scenario}, {figure.profile}: {figure.name} {found(figure)} {WORDS[figure.met]}".rstrip()


def _cells(figure: Figure) -> tuple[str, ...]:
    runs = f"{figure.runs}" + (f" (+{figure.thrown} thrown away)" if figure.thrown else "")
    return (
        figure.scenario,
        figure.profile,
        figure.name,
        str(figure.limit or ""),
        WORDS[figure.met] + (f" (noisy: {number(figure.others)})" if figure.noisy else ""),
        found(figure),
        runs,
        _amount(figure.ours, figure.unit),
        _amount(figure.reference, figure.unit),
        figure.peer,
    )


def found(figure: Figure) -> str:
    """The value, and between which two the runs lay."""
    sign = " ×" if figure.relative else ""
    spread = f" ({number(figure.low)} – {number(figure.high)})" if figure.runs > 1 else ""
    return f"{number(figure.value)}{sign}{spread}"


def number(value: float) -> str:
    """Three digits are more than most figures are worth."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _amount(value: float | None, unit: str) -> str:
    return "" if value is None else f"{number(value)} {unit}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.results", description="A result as Markdown.")
    parser.add_argument("result", type=Path)
    result = read(parser.parse_args().result)
    print(result.title, "", *markdown(result.figures), sep="\n")


if __name__ == "__main__":
    main()
