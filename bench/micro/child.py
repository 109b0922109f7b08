"""Makes the calls of one profile: `python -m bench.micro.child kai GANGS`.

Between any two parts it calls `times`, which nobody else does: callgrind writes down what it has counted
whenever that is entered, and begins anew. The time of each call of `times` goes to stdout, with the cases.
"""

import gc
import json
import os
import sys
import time
from pathlib import Path

from bench.micro.cases import cases
from podgrouper.config.model import BUILT_IN


def main(name: str, gangs: str) -> None:
    profile = next(profile for profile in BUILT_IN if profile.name == name)
    found = tuple(cases(profile, json.loads(Path(gangs).read_text())))
    gc.collect()
    gc.disable()
    stamps = [time.perf_counter()]
    for case in found:
        case.run()
        for calls in (0, case.calls, 2 * case.calls):
            for _ in range(calls):
                case.run()
            stamps.append(time.perf_counter())
            os.times()
    json.dump({"cases": [(case.name, case.calls) for case in found], "stamps": stamps}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
