"""A plan on the screen: as one YAML or JSON document for programs, as tables for people."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import click
import yaml
from rich.console import Console
from rich.table import Table

from podgrouper.core.difference import merged
from podgrouper.core.fields import dig, ref_of
from podgrouper.core.model import Json, Kind, Ref
from podgrouper.core.plans import LinkPod, Report
from podgrouper.planning import Plan, Skipped

Place = tuple[Kind, str, str]
WIDE = 200
"""Columns where nobody looks at the screen: nothing is folded for a pipe."""


def document(plan: Plan) -> Json:
    """The whole plan as plain JSON. `podGroups` are those that would be there afterwards."""
    return {
        "created": [_ref(ref) for ref in plan.created],
        "changed": [{**_ref(ref), "patch": plain(patch)} for ref, patch in plan.changed],
        "linked": [_link(link) for link in plan.links],
        "deleted": [_ref(ref) for ref in plan.deleted],
        "skipped": [_skipped(entry) for entry in plan.skipped],
        "warnings": [_report(report) for report in plan.warnings],
        "badTexts": [
            {"source": str(bad.source), "path": found.path, "message": found.message}
            for bad in plan.bad_texts
            for found in bad.findings
        ],
        "podGroups": [plain(_as_sent(group, plan)) for group in plan.pod_groups],
    }


def _as_sent(group: Json, plan: Plan) -> object:
    """A group that is only planned has no uid: the server will choose it."""
    ref = ref_of(group)
    planned = (ref.kind, ref.namespace, ref.name) in {(r.kind, r.namespace, r.name) for r in plan.created}
    return merged(group, {"metadata": {"uid": None}}) if planned else group


def plain(value: object) -> object:
    """Dicts, lists and scalars, as the writers of YAML and JSON want them."""
    match value:
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return value


def as_yaml(value: object) -> str:
    return yaml.dump(value, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=WIDE)


def documents(values: Iterable[Json]) -> str:
    """Several objects as one stream that `kubectl apply -f -` takes."""
    return "---\n".join(as_yaml(plain(value)) for value in values)


def as_json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def show(plan: Plan, form: str) -> None:
    FORMS[form](plan)


def _tables(plan: Plan) -> None:
    out = sys.stdout
    console = Console(
        file=out, width=None if out.isatty() else WIDE, highlight=False, markup=False, emoji=False
    )
    for part in _parts(plan):
        if part.rows:
            console.print(_table(part), "")
    console.print(summary(plan))


def summary(plan: Plan) -> str:
    """How many of everything, in a line."""
    return (
        f"{len(plan.created)} created, {len(plan.changed)} changed, {len(plan.links)} linked, "
        f"{len(plan.deleted)} deleted, {len(plan.skipped)} skipped, {len(plan.warnings)} warnings; "
        f"{len(plan.pod_groups)} PodGroups afterwards"
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """One table: nothing is shown of it when it has no rows."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def _parts(plan: Plan) -> tuple[_Part, ...]:
    created = {(ref.kind, ref.namespace, ref.name) for ref in plan.created}
    changed = {(ref.kind, ref.namespace, ref.name) for ref, _ in plan.changed}
    groups = [(*_group_row(group), _fate(ref_of(group), created, changed)) for group in plan.pod_groups]
    linked = [(link.pod.namespace, link.pod.name, link.group) for link in plan.links]
    deleted = [(ref.namespace, ref.name) for ref in plan.deleted]
    skipped = [
        (entry.pod.namespace, entry.pod.name, entry.skip.reason.value, entry.skip.message)
        for entry in plan.skipped
    ]
    told = [(str(report.about), report.reason.value, report.message) for report in plan.warnings]
    bad = [(str(b.source), found.path, found.message) for b in plan.bad_texts for found in b.findings]
    return (
        _Part("PodGroups", ("NAMESPACE", "NAME", "MIN", "QUEUE", "OWNER", "BECOMES"), groups),
        _Part("Linked pods", ("NAMESPACE", "POD", "GROUP"), linked),
        _Part("Deleted", ("NAMESPACE", "NAME"), deleted),
        _Part("Skipped pods", ("NAMESPACE", "POD", "REASON", "WHY"), skipped),
        _Part("Warnings", ("ABOUT", "REASON", "MESSAGE"), told),
        _Part("Rules that cannot be used", ("WHERE", "PATH", "MESSAGE"), bad),
    )


def _group_row(group: Json) -> tuple[str, ...]:
    ref = ref_of(group)
    owners = dig(group, "metadata.ownerReferences")
    first: object = owners[0] if isinstance(owners, list | tuple) and owners else None
    owner = f"{dig(first, 'kind', '')}/{dig(first, 'name', '')}" if first else ""
    floor, queue = dig(group, "spec.minMember", ""), dig(group, "spec.queue", "")
    return (ref.namespace, ref.name, str(floor), str(queue), owner)


def _fate(ref: Ref, created: set[Place], changed: set[Place]) -> str:
    place = (ref.kind, ref.namespace, ref.name)
    if place in created:
        return "created"
    return "changed" if place in changed else "kept"


def _table(part: _Part) -> Table:
    table = Table(title=part.title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in part.columns:
        table.add_column(column, overflow="fold")
    for row in part.rows:
        table.add_row(*row)
    return table


def _ref(ref: Ref) -> dict[str, object]:
    return {
        "apiVersion": ref.kind.api_version,
        "kind": ref.kind.kind,
        "namespace": ref.namespace,
        "name": ref.name,
    }


def _link(link: LinkPod) -> Json:
    keys = {"annotations": plain(link.patch.annotations), "labels": plain(link.patch.labels)}
    return {**_ref(link.pod.ref), "group": link.group, **{key: value for key, value in keys.items() if value}}


def _skipped(entry: Skipped) -> Json:
    return {**_ref(entry.pod), "reason": entry.skip.reason.value, "message": entry.skip.message}


def _report(report: Report) -> Json:
    return {**_ref(report.about), "reason": report.reason.value, "message": report.message}


FORMS: Mapping[str, Callable[[Plan], None]] = {
    "table": _tables,
    "yaml": lambda plan: click.echo(as_yaml(document(plan)), nl=False),
    "json": lambda plan: click.echo(as_json(document(plan)), nl=False),
}
