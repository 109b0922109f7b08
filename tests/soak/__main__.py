"""`python -m tests.soak [--runs N] [--seed S]` simulates N courses of events and checks every promise.

Seeds are counted up from S. A failure is printed with its seed, what broke, and the least that still breaks
it; `--seed` with that number and `--runs 1` replays it, as long as PYTHONHASHSEED is 0. Ends with a line of
JSON; the exit code is 1 when a promise was broken.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from tests.soak.invariants import broken
from tests.soak.running import run
from tests.soak.scenarios import Scenario, scenario
from tests.soak.shrinking import shrunk

BATCH = 50
PROGRESS_SECONDS = 10.0
SHOWN = 10
"""Failures that are printed whole, the smallest first in each batch."""


@dataclass(frozen=True)
class Failure:
    seed: int
    size: int
    findings: Mapping[str, tuple[str, ...]]
    least: str

    def __str__(self) -> str:
        told = [f"  {name}: {finding}" for name, found in self.findings.items() for finding in found[:3]]
        replay = f"replay it with: make soak RUNS=1 SEED={self.seed}"
        return "\n".join([f"FAILED seed {self.seed}", *told, self.least, replay])


@dataclass(frozen=True)
class Tally:
    """Of one run: what was done to the controller and what it did."""

    failure: Failure | None
    counts: Counter[str]


def tally(seed: int) -> Tally:
    record = run(scenario(seed))
    findings = broken(record)
    of = record.scenario
    counts = Counter(
        runs=1,
        deeds=len(of.story),
        crashes=len(of.crashes),
        second_writers=of.twin + of.elder,
        requests=record.reads + len(record.writes),
        writes=sum(not write.tells for write in record.writes),
        odd_answers=record.oddities,
    )
    failure = Failure(seed, of.size, findings, _least(of, findings)) if findings else None
    return Tally(failure, counts)


def _least(of: Scenario, findings: Mapping[str, object]) -> str:
    """The same promise has to break in it."""
    return str(shrunk(of, lambda smaller: not findings.keys().isdisjoint(broken(run(smaller)))))


def tallies(seeds: range) -> list[Tally]:
    return [tally(seed) for seed in seeds]


def _batches(first: int, runs: int) -> Iterator[range]:
    for begin in range(first, first + runs, BATCH):
        yield range(begin, min(begin + BATCH, first + runs))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    started = told = time.monotonic()
    counts: Counter[str] = Counter(failures=0)
    with ProcessPoolExecutor(min(options.processes, -(-options.runs // BATCH))) as pool:
        for done in pool.map(tallies, _batches(options.seed, options.runs)):
            for one in done:
                counts += one.counts
            failures = sorted((one.failure for one in done if one.failure), key=lambda one: one.size)
            for failure in failures[: max(0, SHOWN - counts["failures"])]:
                print(failure, flush=True)
            counts["failures"] += len(failures)
            if time.monotonic() - told > PROGRESS_SECONDS:
                told = time.monotonic()
                print(_progress(counts, told - started), flush=True)
    seconds = time.monotonic() - started
    print(_progress(counts, seconds))
    print(json.dumps({"seed": options.seed, "seconds": round(seconds, 1), **counts}))
    return 1 if counts["failures"] else 0


def _progress(counts: Counter[str], seconds: float) -> str:
    return f"{counts['runs']} runs, {counts['runs'] / seconds:.1f} a second, {counts['failures']} failures"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
