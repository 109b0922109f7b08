"""The scenarios, in the order in which they run. A new one is a line here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from bench.figures import Figure, Row
from bench.forms import QUICK, Form
from bench.harness import Bench
from bench.scenarios import (
    backlog,
    big_gang,
    depth,
    foreign,
    growth,
    kopf_style,
    live,
    memory,
    micro,
    quiet,
    stored,
)

Measure: TypeAlias = Callable[[Bench, Form], Iterable[Figure]]


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    measure: Measure
    profiles: tuple[str, ...] = ("volcano", "kai")
    quick: bool = True
    """Tells something at the sizes of the quick form too."""
    rows: tuple[Row, ...] = ()
    """The sorts of figures that it gives, for the reference."""


SCENARIOS = (
    Scenario("backlog", backlog.measure, rows=tuple(backlog.TABLE)),
    Scenario("deployments", backlog.measure_deployments, ("kai",), rows=(backlog.ONE_BY_ONE,)),
    Scenario("live", live.measure, rows=tuple(live.AT_A_RATE)),
    Scenario("big-gang", big_gang.measure, rows=(*big_gang.PER_POD, big_gang.OVERTAKEN, big_gang.WAIT)),
    Scenario("churn", quiet.measure_churn, rows=tuple(quiet.CHURN)),
    Scenario("restart", quiet.measure_restart, rows=tuple(quiet.RESTART)),
    Scenario("depth", depth.measure, rows=tuple(depth.PER_POD)),
    Scenario("kopf-style", kopf_style.measure, quick=False, rows=tuple(kopf_style.TABLE)),
    Scenario("growth", growth.measure, quick=False, rows=tuple(growth.PER_POD)),
    Scenario("memory", memory.measure, rows=memory.ROWS),
    Scenario("stored", stored.measure, quick=False, rows=stored.ROWS),
    Scenario("foreign", foreign.measure, rows=tuple(foreign.TABLE)),
    Scenario("micro", micro.measure, quick=False, rows=tuple(micro.ROWS.values())),
)


def chosen(only: Iterable[str], form: Form) -> tuple[Scenario, ...]:
    """Those of these names; without names all that tell something in this form."""
    names = set(only) or {one.name for one in SCENARIOS if one.quick or form.name != QUICK.name}
    return tuple(one for one in SCENARIOS if one.name in names)
