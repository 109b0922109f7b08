"""One target under atheris, with libFuzzer's flags: `python -m tests.fuzz.driver TARGET FLAG …`."""

import sys

import atheris

with atheris.instrument_imports(include=["podgrouper"]):
    from tests.fuzz.targets import TARGETS

if __name__ == "__main__":
    atheris.Setup([sys.argv[0], *sys.argv[2:]], TARGETS[sys.argv[1]])
    atheris.Fuzz()
