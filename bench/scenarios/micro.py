"""What one call costs at each stage of the road."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bench.figures import Figure, Place, Row, figure
from bench.forms import Form
from bench.harness import Bench
from bench.micro.cases import WHAT
from bench.micro.measuring import INSTRUCTIONS, measured
from podgrouper.config.model import BUILT_IN

ROWS: Mapping[str, Row] = {name: Row(name, INSTRUCTIONS, what) for name, what in WHAT.items()}


def measure(bench: Bench, _: Form) -> Iterator[Figure]:
    profile = next(one for one in BUILT_IN if one.name == bench.profile.name)
    for cost in measured(profile):
        row = replace(ROWS[cost.case], unit=cost.unit)
        yield figure(Place("micro", profile.name), row, [cost.value])
