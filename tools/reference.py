"""Renders `docs/reference` from the code's own tables: `python -m tools.reference`, which is `make docs`.

A page that can be rendered cannot go out of date: tests compare what lies there with what is rendered.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

from podgrouper.cli.main import COMMANDS, Commands, podgrouper
from podgrouper.config.program import PROGRAM, json_schema
from podgrouper.config.sections import Field, Section, joined
from podgrouper.config.shapes import ListOf, Optional
from podgrouper.controller.metrics import LABELS, TABLE, Metric
from podgrouper.core.reasons import HELP, NOTICES, QUIET, Reason
from tools.bench import bench_page
from tools.groupers import groupers_page
from tools.volcano import volcano_page

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
RENDERED = "<!-- Rendered from the code by `make docs`: change the code, not this page. -->"
LINE = 88


def config_page() -> str:
    """Every key of the configuration file."""
    rows = "\n".join(_config_rows(PROGRAM, ""))
    return f"""# The configuration file

{RENDERED}

`podgrouper run --config FILE`. Every key may be left out; `podgrouper check config FILE` lists everything
that is wrong with a file, [config.schema.json](config.schema.json) tells your editor. Flags win over the
file. Lists hold each item once, unknown keys and overlapping scheduler names are errors.

```yaml
profiles:
- policy: volcano
- policy: kai
  schedulerNames: [my-kai-scheduler]
namespaces: [team-a, team-b]
log: {{level: info, format: json}}
```

| key | accepted | default | what it is for |
|---|---|---|---|
{rows}
"""


def _config_rows(section: Section[object], path: str) -> Iterator[str]:
    for field in section.fields:
        at = joined(path, field.key)
        inner, accepted = _inside(field)
        yield f"| `{at}` | {_cell(accepted)} | {_default(field)} | {_cell(field.help)} |"
        if inner is not None:
            yield from _config_rows(inner, f"{at}[]" if isinstance(field.shape, ListOf) else at)


def _inside(field: Field[object]) -> tuple[Section[object] | None, str]:
    """The section below a field, if any, and what the field itself accepts."""
    shape: object = field.shape
    match shape:
        case Section():
            return shape, "a map, see below"
        case Optional(shape=Section() as inner):
            return inner, "a map, see below, or null: none is read"
        case ListOf(item=Section() as inner):
            return inner, f"a list of maps, see below{', at least one' if shape.at_least_one else ''}"
        case _:
            return None, field.shape.accepts


def _default(field: Field[object]) -> str:
    if field.required:
        return "must be given"
    if field.otherwise:
        return _cell(field.otherwise)
    return f"`{json.dumps(field.default)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def reasons_page() -> str:
    """Every reason code."""
    rows = "\n".join(f"| `{reason}` | {_event(reason)} | {_cell(HELP[reason])} |" for reason in Reason)
    return f"""# Reason codes

{RENDERED}

What events, logs, metrics and `podgrouper plan` call an outcome. A code never changes its meaning.

| code | event | what it means, and what to do |
|---|---|---|
{rows}
"""


def _event(reason: Reason) -> str:
    if reason in NOTICES:
        return "Normal"
    return "no" if reason in QUIET else "Warning"


def metrics_page() -> str:
    """Every metric, and what its labels hold."""
    rows = "\n".join(map(_metric_row, TABLE))
    used = dict.fromkeys(label for row in TABLE for label in row.labels)
    labels = "\n".join(f"| `{label}` | {_cell(LABELS[label])} |" for label in used)
    return f"""# Metrics

{RENDERED}

`podgrouper run` serves them at `/metrics` of `--health-address`, in Prometheus' text format. A name never
changes its meaning.

| name | type | labels | what it tells |
|---|---|---|---|
{rows}

No label holds the name of a pod, a group, a queue or a user: how many series there are does not depend on how
much runs in the cluster.

| label | values |
|---|---|
{labels}
"""


def _metric_row(row: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in row.labels)
    return f"| `{row.name}` | {row.type} | {labels} | {_cell(row.help)} |"


def cli_page() -> str:
    """Every command with its flags, as `--help` prints them."""
    parts = "\n".join(_command(path) for path in _paths())
    return f"""# The command line

{RENDERED}

Exit codes: 0 done, 1 could not be done, 2 asked for wrongly (flags, configuration, files). Complaints go to
standard error, all of them at once.

{parts}"""


def _paths() -> Iterator[tuple[str, ...]]:
    root = click.Context(podgrouper)
    assert isinstance(podgrouper, Commands)
    for name in COMMANDS:
        command = podgrouper.get_command(root, name)
        if isinstance(command, click.Group):
            yield from ((name, inner) for inner in command.commands)
        else:
            yield (name,)


def _command(path: tuple[str, ...]) -> str:
    command: click.Command = podgrouper
    context = click.Context(podgrouper, info_name="podgrouper", max_content_width=LINE, terminal_width=LINE)
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(context, name)
        assert found is not None
        command = found
        context = click.Context(
            command,
            context,
            info_name=name,
            max_content_width=LINE,
            terminal_width=LINE,
            help_option_names=["-h", "--help"],
        )
    return f"## podgrouper {' '.join(path)}\n\n```text\n{command.get_help(context)}\n```\n"


def schema_page() -> str:
    return json.dumps(json_schema(), indent=2) + "\n"


PAGES: Mapping[str, Callable[[], str]] = {
    "bench.md": lambda: bench_page(RENDERED),
    "cli.md": cli_page,
    "config.md": config_page,
    "config.schema.json": schema_page,
    "groupers.md": lambda: groupers_page(RENDERED),
    "metrics.md": metrics_page,
    "reasons.md": reasons_page,
    "volcano.md": lambda: volcano_page(RENDERED),
}


def main() -> None:
    """Writes every page that is not as it should be."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, render in PAGES.items():
        page = FOLDER / name
        text = render()
        if not page.exists() or page.read_text() != text:
            page.write_text(text)
            print(f"rendered {page.relative_to(FOLDER.parents[1])}")


if __name__ == "__main__":
    main()
