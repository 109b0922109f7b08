"""The page of the bench's figures, from the scenarios."""

from bench.figures import Row
from bench.scenarios import SCENARIOS, Scenario


def bench_page(notice: str) -> str:
    """Every figure, what it must reach, and what others reach."""
    tables = "\n".join(_table(scenario) for scenario in SCENARIOS if scenario.rows)
    return f"""# The figures of the bench

{notice}

What `make bench` measures, by scenario. `×` is a part of the reference's, which is the lone client where
nothing else is said. Volcano and KAI are the Go controllers with their client limits lifted, on a quiet
machine; compare with that of the same profile only, since the two do different work.
[Performance](../performance.md) says how it is measured and what was found.

{tables}"""


def _table(scenario: Scenario) -> str:
    rows = "\n".join(map(_row, scenario.rows))
    only = "" if scenario.quick else "With `FULL=1` only.\n\n"
    return f"""## {scenario.name}

{only}| figure | unit | target | Volcano | KAI | what it is |
|---|---|---|---|---|---|
{rows}
"""


def _row(row: Row) -> str:
    target = f"{row.limit}{' ×' if row.relative else ''}" if row.limit else "none"
    peers = " | ".join(row.peers.get(profile, "–") for profile in ("volcano", "kai"))
    return f"| {row.name} | {row.unit} | {target} | {peers} | {row.meaning} |"
