"""`python -m bench`: measures, writes a result and prints its table."""

import argparse
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bench import results
from bench.figures import Figure
from bench.forms import FULL, QUICK, Form
from bench.harness import PROFILES, bench, plane_options
from bench.results import Result
from bench.scenarios import SCENARIOS, Scenario, chosen
from tests.cluster import binaries
from tests.cluster.control_plane import ControlPlane

HOME = Path(__file__).parent


def main() -> None:
    asked = _arguments()
    form = FULL if asked.full else QUICK
    if asked.pairs:
        form = replace(form, pairs=asked.pairs, runs=asked.pairs, spare=min(asked.pairs, form.spare))
    scenarios = chosen(asked.only or (), form)
    result = Result(f"{datetime.now(UTC):%Y-%m-%d}", _commit(), form.name, results.here(), ())
    with tempfile.TemporaryDirectory(prefix="podgrouper-bench-") as folder:
        for figure in _measured(scenarios, asked.profile or list(PROFILES), form, Path(folder)):
            print(results.line(figure), flush=True)
            result = replace(result, figures=(*result.figures, figure))
            results.write(result, asked.results)  # what was measured stays, whatever happens to the rest
    print(*results.table(result.figures), "", asked.results / result.name, sep="\n")


def _measured(
    scenarios: Sequence[Scenario], profiles: Sequence[str], form: Form, folder: Path
) -> Iterator[Figure]:
    for profile in profiles:
        wanted = [one for one in scenarios if profile in one.profiles]
        there = binaries.find(binaries.SERVERS)
        with (
            ControlPlane(folder / profile, there, plane_options()) as plane,
            bench(plane, PROFILES[profile], folder) as harness,
        ):
            for scenario in wanted:
                yield from scenario.measure(harness, form)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="podgrouper beside the lone client.")
    parser.add_argument("--pairs", type=int, help="so many runs of each kind, instead of the form's")
    parser.add_argument("--full", action="store_true", help="enough runs and pods to rely on")
    names = [one.name for one in SCENARIOS]
    parser.add_argument("--only", action="append", choices=names, help="this scenario; may be repeated")
    parser.add_argument("--profile", action="append", choices=list(PROFILES), help="may be repeated")
    parser.add_argument("--results", type=Path, default=HOME / "results", help="a folder")
    return parser.parse_args()


def _commit() -> str:
    """Of the working copy; sources without one are `unknown`."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    told = subprocess.run(command, cwd=HOME, text=True, capture_output=True, check=False)
    return told.stdout.strip() or "unknown"


if __name__ == "__main__":
    main()
