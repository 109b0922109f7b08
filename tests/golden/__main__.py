"""`python -m tests.golden FILE.jsonl … [--area AREA …] [--id ID …]` runs vectors through `podgrouper.plan`.

Without files it runs those that are kept here. Prints each failing id with a short diff and ends with
`N passed, M failed`; the exit code is 1 when one failed.
"""

import argparse
import sys
from pathlib import Path

from podgrouper import planning
from tests.golden.outcome import difference, expected, planned
from tests.golden.vectors import FILES, FOLDER, Vector, vectors


def failure(vector: Vector) -> str:
    """Why the vector fails; empty when it passes."""
    plan = planning.plan(vector.world, vector.settings(), unreadable=vector.unreadable())
    actual = planned(vector, plan)
    return difference(expected(vector, actual), actual)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=[FOLDER / name for name in FILES])
    parser.add_argument("--area", action="append", help="only the vectors of this area (repeatable)")
    parser.add_argument("--id", action="append", help="only this vector (repeatable)")
    options = parser.parse_args(arguments)
    passed = failed = 0
    for vector in vectors(options.files):
        if vector.area not in (options.area or [vector.area]) or vector.id not in (options.id or [vector.id]):
            continue
        why = failure(vector)
        failed += bool(why)
        passed += not why
        if why:
            print(f"FAILED {vector.id}\n{why}\n")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
