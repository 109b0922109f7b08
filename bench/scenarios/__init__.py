"""The scenarios, in the order in which they run. A new one is a line here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from bench.figures import Figure
from bench.forms import QUICK, Form
from bench.harness import Bench
from bench.scenarios import backlog, big_gang, depth, growth, live, quiet

Measure: TypeAlias = Callable[[Bench, Form], Iterable[Figure]]


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    measure: Measure
    profiles: tuple[str, ...] = ("volcano", "kai")
    quick: bool = True
    """Tells something at the sizes of the quick form too."""


SCENARIOS = (
    Scenario("backlog", backlog.measure),
    Scenario("deployments", backlog.measure_deployments, ("kai",)),
    Scenario("live", live.measure),
    Scenario("big-gang", big_gang.measure),
    Scenario("churn", quiet.measure_churn),
    Scenario("restart", quiet.measure_restart),
    Scenario("depth", depth.measure),
    Scenario("growth", growth.measure, quick=False),
)


def chosen(only: Iterable[str], form: Form) -> tuple[Scenario, ...]:
    """Those of these names; without names all that tell something in this form."""
    names = set(only) or {one.name for one in SCENARIOS if one.quick or form is not QUICK}
    return tuple(one for one in SCENARIOS if one.name in names)
