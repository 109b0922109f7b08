"""`python -m tests.fuzz SECONDS SEED` fuzzes every target for so long and prints what was found.

What the fuzzer learns stays in `.fuzz`, so that the next run begins where this one ended; the corpus that is
kept here is read and never written. An input that breaks a promise lies in `.fuzz` too, and belongs into the
corpus once it is understood. The same seed and corpus make the same inputs.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
LEARNED = Path(".fuzz")
LARGEST_INPUT = 4096
SLOW_SECONDS = 5
_EXECUTIONS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


def flags(target: str, seconds: int, seed: int) -> Sequence[str]:
    """libFuzzer's: it writes to the first folder that it is given."""
    return (
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-max_len={LARGEST_INPUT}",
        f"-timeout={SLOW_SECONDS}",
        f"-artifact_prefix={LEARNED / target}-",
        "-print_final_stats=1",
        str(LEARNED / target),
        str(CORPUS / target),
    )


def fuzzed(target: str, seconds: int, seed: int) -> bool:
    """Whether every promise was kept. Prints a line, and the fuzzer's own words where one was not."""
    (LEARNED / target).mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tests.fuzz.driver", target, *flags(target, seconds, seed)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    found = _EXECUTIONS.search(done.stderr)
    count, verdict = found[1] if found else "no", "BROKEN" if done.returncode else "ok"
    print(f"{target:<12}{count:>10} inputs  {verdict}", flush=True)
    if done.returncode:
        print(f"{done.stdout}\n{done.stderr}"[-4000:])
    return done.returncode == 0


def main(arguments: Sequence[str]) -> int:
    seconds, seed = map(int, arguments)
    share = max(1, seconds // len(TARGETS))
    kept = [fuzzed(target, share, seed) for target in TARGETS]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
