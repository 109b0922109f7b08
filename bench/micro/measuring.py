"""Runs the child, under callgrind where that is installed."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bench.micro import cases
from bench.micro.counting import PARTS, costs, instructions, spent_between
from podgrouper.config.model import ProfileConfig

INSTRUCTIONS, SECONDS = "instructions", "µs"
CALLGRIND = ("valgrind", "--quiet", "--tool=callgrind", "--dump-before=times")
_LONGEST = 600.0
_RUNS = 5
"""Of which the fastest counts, where only time can be had."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one call."""

    case: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Told:
    """What the child says."""

    cases: list[tuple[str, int]]
    """Name and calls."""
    stamps: list[float]
    """Before the first part, and after each."""

    def costs(self, spent: Sequence[float]) -> dict[str, float]:
        """Of one call in each case, from what was spent in all parts."""
        calls = [calls for _, calls in self.cases]
        return dict(zip((name for name, _ in self.cases), costs(spent, calls), strict=True))


def measured(profile: ProfileConfig) -> list[Cost]:
    """Of every case: instructions, or microseconds where there is no valgrind."""
    with tempfile.TemporaryDirectory() as folder:
        gangs = Path(folder) / "gangs.json"
        gangs.write_bytes(msgspec.json.encode(cases.gangs(profile)))
        child = [sys.executable, "-m", "bench.micro.child", profile.name, str(gangs)]
        return _counted(child, Path(folder)) if shutil.which("valgrind") else _timed(child)


def _counted(child: Sequence[str], folder: Path) -> list[Cost]:
    out = folder / "counted"
    told = _run([*CALLGRIND, f"--callgrind-out-file={out}", *child])
    dumps = [Path(f"{out}.{number + 1}").read_text() for number in range(PARTS * len(told.cases))]
    spent = [float(instructions(dump)) for dump in dumps]
    return [Cost(name, cost, INSTRUCTIONS) for name, cost in told.costs(spent).items()]


def _timed(child: Sequence[str]) -> list[Cost]:
    runs = [told.costs(spent_between(told.stamps)) for told in (_run(child) for _ in range(_RUNS))]
    return [Cost(name, min(run[name] for run in runs) * 1e6, SECONDS) for name in runs[0]]


def _run(command: Sequence[str]) -> Told:
    environ = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=environ, capture_output=True, timeout=_LONGEST, check=True)
    return msgspec.json.decode(done.stdout, type=Told)
