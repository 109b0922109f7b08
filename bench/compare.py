"""Two results side by side: what became better, what worse, and what says nothing."""

import argparse
from pathlib import Path

from bench.figures import Figure
from bench.results import WORDS, Result, found, read
from podgrouper.cli.columns import aligned

HEADS = ("SCENARIO", "PROFILE", "FIGURE", "TARGET", "BEFORE", "AFTER", "CHANGE", "")


def side_by_side(before: Result, after: Result) -> list[str]:
    """A line for each figure that is in either, under the names of the two."""
    old = {figure.place: figure for figure in before.figures}
    new = {figure.place: figure for figure in after.figures}
    places = dict.fromkeys([*old, *new])
    rows = [_cells(old.get(place), new.get(place)) for place in places]
    return [f"before: {before.title}", f"after: {after.title}", "", *aligned([HEADS, *rows])[0]]


def change(before: Figure, after: Figure) -> str:
    """In percent; with `?` where the runs of one reach into those of the other, or where either is noisy."""
    if before.value == after.value:
        return "="
    unsure = before.noisy or after.noisy or _overlap(before, after)
    grown = f"{100 * (after.value / before.value - 1):+.0f} %" if before.value else "from nothing"
    return f"{grown} ?" if unsure else grown


def _overlap(one: Figure, other: Figure) -> bool:
    return one.low <= other.high and other.low <= one.high


def _cells(before: Figure | None, after: Figure | None) -> tuple[str, ...]:
    known = [figure for figure in (before, after) if figure]
    shown = known[-1]
    both = change(before, after) if before and after else ""
    verdicts = dict.fromkeys(WORDS[figure.met] for figure in known)
    return (
        *shown.place,
        str(shown.limit or ""),
        found(before) if before else "-",
        found(after) if after else "-",
        both,
        " → ".join(filter(None, verdicts)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench/compare", description="Two results side by side.")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    asked = parser.parse_args()
    print(*side_by_side(read(asked.before), read(asked.after)), sep="\n")


if __name__ == "__main__":
    main()
