"""An explanation on the screen: a tree and a few tables for people, one JSON document for programs."""

import json
import sys
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from podgrouper.core.model import Json, Ref
from podgrouper.explaining.model import Cause, Explanation, Step, Subject

WIDE = 160
PODS_SHOWN = 5


def tell_tree(explanation: Explanation) -> None:
    out = sys.stdout
    console = Console(
        file=out, width=None if out.isatty() else WIDE, highlight=False, markup=False, emoji=False
    )
    for number, subject in enumerate(explanation.subjects):
        if number:
            console.print()
        console.print(_shown(subject))


def tell_json(explanation: Explanation) -> None:
    print(json.dumps(document(explanation), indent=2, ensure_ascii=False))


def _shown(subject: Subject) -> RenderableType:
    return Group(*_parts(subject))


def _parts(subject: Subject) -> Iterator[RenderableType]:
    if subject.chain:
        yield _tree(subject.chain, subject.pods)
    yield from _decided(subject)
    if subject.fields:
        rows = ((field.name, field.value, field.origin) for field in subject.fields)
        yield _table(("FIELD", "VALUE", "FROM"), rows)
    if subject.counts:
        counted = (
            (one.part or "the group", str(one.want), str(one.have), str(one.running))
            for one in subject.counts
        )
        yield _table(("", "WANT", "HAVE", "RUNNING"), counted)
    if subject.words:
        yield _table(("THE SCHEDULER SAYS", ""), ((word.where, word.says) for word in subject.words))
    yield from _causes(subject)


def _tree(chain: tuple[Step, ...], pods: tuple[Ref, ...]) -> Tree:
    """The chain with each owner below the one above it; further pods beside the first one."""
    root = branch = Tree(_step(chain[0]), guide_style="dim")
    for step in chain[1:-1]:
        branch = branch.add(_step(step))
    if len(chain) > 1:
        for pod in pods[:PODS_SHOWN]:
            branch.add(str(pod))
        if len(pods) > PODS_SHOWN:
            branch.add(f"… and {len(pods) - PODS_SHOWN} more")
    return root


def _step(step: Step) -> str:
    return f"{step.what}  ({step.note})" if step.note else step.what


def _decided(subject: Subject) -> Iterator[RenderableType]:
    decided = subject.decided
    if decided.profile:
        yield Text(f"profile {decided.profile}: policy {decided.policy}, dialect {decided.dialect}")
    if decided.rule:
        yield Text(f"grouped {decided.rule}")
    if subject.group:
        state = str(subject.phase) if subject.exists else "does not exist yet"
        yield Text(f"group {subject.group.namespace}/{subject.group.name}: {state}")


def _table(columns: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Padding:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return Padding(table, (1, 0, 0, 0), expand=False)


def _causes(subject: Subject) -> Iterator[RenderableType]:
    blocked = subject.blocked_by
    yield Text("")
    if blocked is None:
        yield Text("Nothing keeps it from running." if subject.group else "", style="green")
    else:
        yield Text.assemble((f"{blocked.reason}: ", "bold red"), blocked.sentence)
    for cause in subject.causes:
        if cause is not blocked:
            yield Text.assemble(("then " if cause.blocks else "note ", "dim"), _cause(cause))


def _cause(cause: Cause) -> str:
    return f"{cause.reason}: {cause.sentence}"


def document(explanation: Explanation) -> Json:
    """The whole explanation as plain JSON."""
    return {"about": _ref(explanation.about), "subjects": [_document(one) for one in explanation.subjects]}


def _document(subject: Subject) -> Json:
    blocked, decided = subject.blocked_by, subject.decided
    return {
        "group": _ref(subject.group) if subject.group else None,
        "exists": subject.exists,
        "phase": str(subject.phase) if subject.phase else None,
        "blockedBy": _told(blocked) if blocked else None,
        "causes": [{**_told(cause), "blocks": cause.blocks} for cause in subject.causes],
        "decidedBy": {
            "profile": decided.profile,
            "policy": decided.policy,
            "dialect": decided.dialect,
            "rule": decided.rule,
        },
        "chain": [
            {"object": step.what, **({"note": step.note} if step.note else {})} for step in subject.chain
        ],
        "pods": [_ref(pod) for pod in subject.pods],
        "fields": [
            {"name": one.name, "value": one.value, **({"from": one.origin} if one.origin else {})}
            for one in subject.fields
        ],
        "counts": [
            {"part": one.part, "want": one.want, "have": one.have, "running": one.running}
            for one in subject.counts
        ],
        "words": [{"where": word.where, "says": word.says} for word in subject.words],
    }


def _told(cause: Cause) -> dict[str, object]:
    return {"reason": str(cause.reason), "message": cause.sentence}


def _ref(ref: Ref) -> dict[str, object]:
    return {
        "apiVersion": ref.kind.api_version,
        "kind": ref.kind.kind,
        "namespace": ref.namespace,
        "name": ref.name,
    }
