"""What came out of a world, in a form that can be compared with what a vector states.

The rules of comparison are those of the vectors: sets keyed by namespace and name, quantities by value,
absent equals empty where the profile says so, whatever the server adds left out.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import unified_diff

from podgrouper.core.difference import plain
from podgrouper.core.model import Json
from podgrouper.core.plans import LinkPod
from podgrouper.core.precedents import RULES
from podgrouper.core.quantity import parse
from podgrouper.core.reasons import QUIET, Reason
from podgrouper.planning import Plan, Skipped
from tests.golden.vectors import Vector

Keyed = Mapping[str, object]
VALID_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
ANY_VALID_NAME = {"nameValid": True}
NO_WARNING = QUIET | {Reason.LINKED_ELSEWHERE}
"""Reasons that nobody is warned about as of a failure: the pod has a group, or wants none."""


@dataclass(frozen=True)
class Outcome:
    """PodGroups, new links, deleted groups and pods that could not be grouped, each by `namespace/name`."""

    groups: Keyed
    links: Keyed
    deleted: Keyed = field(default_factory=dict)
    warnings: Keyed = field(default_factory=dict)

    def text(self) -> list[str]:
        return json.dumps(vars(self), indent=1, sort_keys=True).splitlines()


def expected(vector: Vector, actual: Outcome) -> Outcome:
    """What the vector states. A name that only has to be valid is taken from what came out, if it is."""
    expect = _with_names(vector.expect, actual)
    return Outcome(
        groups=_by_name(expect["podGroups"], _GROUP_FORMS[vector.profile]),
        links=_by_name(expect["links"], _link),
        deleted=_by_name(expect.get("deleted", ()), _nothing),
        warnings=_by_name(expect.get("warnings", ()), _nothing),
    )


def planned(vector: Vector, plan: Plan) -> Outcome:
    """What a plan says would come out."""
    warnings = [_named(entry) for entry in plan.skipped if entry.skip.reason not in NO_WARNING]
    return outcome(
        vector, plan.pod_groups, _links(plan.links), [_named(ref) for ref in plan.deleted], warnings
    )


def outcome(
    vector: Vector,
    groups: Iterable[Json],
    links: Iterable[Json],
    deleted: Iterable[Json],
    warnings: Iterable[Json],
) -> Outcome:
    """What came out: groups as the API shows them; links, deletions and warnings as vectors do."""
    return Outcome(
        groups=_by_name([_shown(group) for group in groups], _GROUP_FORMS[vector.profile]),
        links=_by_name(links, _link),
        deleted=_by_name(deleted, _nothing) if "deleted" in vector.expect else {},
        warnings=_by_name(warnings, _nothing) if "warnings" in vector.expect else {},
    )


def difference(wanted: Outcome, found: Outcome, lines: int = 40) -> str:
    """Empty when they are the same."""
    diff = list(unified_diff(wanted.text(), found.text(), "expected", "actual", n=2, lineterm=""))
    return "\n".join(diff[:lines])


def _shown(group: Json) -> Json:
    metadata = group["metadata"]
    assert isinstance(metadata, Mapping)
    kept = {key: metadata[key] for key in ("labels", "annotations", "ownerReferences") if key in metadata}
    if "annotations" in kept:
        kept["annotations"] = {key: said for key, said in kept["annotations"].items() if key != RULES}
    return {
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "spec": group.get("spec", {}),
        **kept,
    }


def _named(entry: object) -> Json:
    ref = entry.pod if isinstance(entry, Skipped) else entry
    return {"namespace": ref.namespace, "name": ref.name}


def _links(links: Iterable[LinkPod]) -> list[Json]:
    """Links with the values that the pod carries in the end; the last of several patches is the one."""
    found: dict[tuple[str, str], dict[str, object]] = {}
    for link in links:
        entry = found.setdefault((link.pod.namespace, link.pod.name), {"annotations": {}, "labels": {}})
        entry["annotations"] |= link.expects.annotations | link.patch.annotations
        entry["labels"] |= link.expects.labels | link.patch.labels
    return [{"namespace": namespace, "name": name, **entry} for (namespace, name), entry in found.items()]


def _by_name(entries: Iterable[Json], form: Callable[[Json], object]) -> Keyed:
    return {f"{entry['namespace']}/{entry['name']}": form(entry) for entry in entries}


def _nothing(_: Json) -> object:
    return {}


def _link(entry: Json) -> object:
    return {key: dict(entry[key]) for key in ("annotations", "labels") if entry.get(key)}


def _volcano_group(group: Json) -> object:
    spec = {"minMember": 0, "queue": "default"} | dict(group.get("spec", {}))
    if isinstance(spec.get("minResources"), Mapping):
        spec["minResources"] = {name: _quantity(value) for name, value in spec["minResources"].items()}
    parts = {key: group.get(key) for key in ("labels", "annotations", "ownerReferences")}
    return plain(parts | {"spec": spec})


def _kai_group(group: Json) -> object:
    spec = plain({key: value for key, value in group.get("spec", {}).items() if value != ""})
    return {
        "labels": dict(group.get("labels") or {}),
        "annotations": dict(group.get("annotations") or {}),
        "ownerReferences": list(group.get("ownerReferences") or ()),
        "spec": _without_empty_texts(spec),
    }


def _without_empty_texts(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _without_empty_texts(item) for key, item in value.items() if item != ""}
    return [_without_empty_texts(item) for item in value] if isinstance(value, list) else value


def _quantity(value: object) -> object:
    quantity = parse(value)
    return value if quantity is None else f"{quantity.nanos}n"


_GROUP_FORMS = {"volcano": _volcano_group, "kai": _kai_group}


def _with_names(expect: Json, actual: Outcome) -> Json:
    """Puts the name that came out in place of one that only has to be valid."""
    named = {f"{group['namespace']}/{group['name']}" for group in expect["podGroups"]}
    if not any(group["name"] == ANY_VALID_NAME for group in expect["podGroups"]):
        return expect
    chosen = [key.partition("/")[2] for key in actual.groups if key not in named]
    valid = [name for name in chosen if len(name) <= 253 and VALID_NAME.fullmatch(name)]
    return _replaced(expect, valid[0] if len(valid) == len(chosen) == 1 else "no valid name came out")


def _replaced(value: object, name: str) -> object:
    if value == ANY_VALID_NAME:
        return name
    if isinstance(value, Mapping):
        return {key: _replaced(item, name) for key, item in value.items()}
    return [_replaced(item, name) for item in value] if isinstance(value, list) else value
