"""Who wrote which field: `metadata.managedFields`, kept as the API server keeps it.

A manager owns the fields that it set or changed last; whoever changes a field takes it over, whoever
removes it takes it from everybody. The trees are fieldsV1: `f:` a field, `k:` an element of a list
that is a map, `v:` an element of a set, `.` the thing itself beside its children.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from podgrouper.core.fields import items, mapping, text
from podgrouper.core.model import Json
from podgrouper.memory.fieldsets import Tree, minus, tree, union
from podgrouper.memory.lists import SET, map_keys
from podgrouper.memory.printing import go_json
from podgrouper.memory.resources import Resource

Path = tuple[str, ...]

_NOBODYS = frozenset({"apiVersion", "kind"})
_NOBODYS_METADATA = frozenset(
    {
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "managedFields",
        "selfLink",
    }
)
_ALWAYS_THERE = frozenset(
    {
        "metadata",
        "spec",
        "status",
        "template",
        "strategy",
        "updateStrategy",
        "containers",
        "serviceName",
        "source",
        "eventTime",
        "firstTimestamp",
        "lastTimestamp",
        "reportingComponent",
        "reportingInstance",
    }
)
"""Fields of built-in kinds that the server writes even when they are empty, so nobody ever added them."""
_ATOMIC = frozenset(
    {
        "selector",
        "nodeSelector",
        "involvedObject",
        "fieldRef",
        "resourceFieldRef",
        "configMapKeyRef",
        "secretKeyRef",
    }
)
"""Maps of built-in kinds that are one value."""
_WHOLE_ELEMENTS = ("metadata", "ownerReferences")


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, when, and through which door."""

    manager: str
    time: str
    subresource: str = ""


def managed(before: Json, after: Json, writer: Writer, resource: Resource) -> tuple[Json, ...]:
    """The managedFields of `after`, which `writer` made of `before` (`{}`: it is new).

    An object that nobody manages any more stays so, until somebody applies it
    (`skipNonAppliedManager` in apimachinery).
    """
    entries = items(before, "metadata.managedFields")
    if before and not entries:
        return ()
    changed, removed = _differences(before, after, resource)
    lost = union(changed, removed)
    kept = [_without_fields(entry, lost) for entry in entries]
    mine = next((number for number, entry in enumerate(entries) if _is_of(entry, writer, resource)), None)
    if mine is None:
        kept.append(_entry(changed, writer, resource))
    elif changed:
        fields = union(tree(mapping(kept[mine], "fieldsV1")), changed)
        kept[mine] = {**kept[mine], "fieldsV1": fields, "time": writer.time}
    return tuple(sorted((entry for entry in kept if mapping(entry, "fieldsV1")), key=_order))


def _order(entry: Json) -> tuple[str, ...]:
    return tuple(text(entry, key) for key in ("time", "manager"))


def _is_of(entry: Json, writer: Writer, resource: Resource) -> bool:
    return (
        entry.get("manager") == writer.manager
        and entry.get("operation") == "Update"
        and entry.get("apiVersion") == resource.kind.api_version
        and text(entry, "subresource") == writer.subresource
    )


def _entry(fields: Tree, writer: Writer, resource: Resource) -> Json:
    entry: dict[str, object] = {
        "manager": writer.manager,
        "operation": "Update",
        "apiVersion": resource.kind.api_version,
        "time": writer.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return entry | ({"subresource": writer.subresource} if writer.subresource else {})


def _without_fields(entry: Json, lost: Tree) -> Json:
    fields = tree(mapping(entry, "fieldsV1"))
    left = minus(fields, lost)
    return entry if left == fields else {**entry, "fieldsV1": left}


def _differences(before: Json, after: Json, resource: Resource) -> tuple[Tree, Tree]:
    """The fields that were set or changed, and those that went."""
    return _compared(_ownable(before), _ownable(after), (), resource)


def _ownable(obj: Json) -> Json:
    metadata = {key: item for key, item in mapping(obj, "metadata").items() if key not in _NOBODYS_METADATA}
    return {key: item for key, item in obj.items() if key not in _NOBODYS} | {"metadata": metadata}


def _compared(before: Json, after: Json, at: Path, resource: Resource) -> tuple[Tree, Tree]:
    changed: Tree = {}
    removed: Tree = {}
    for key in {**before, **after}:
        old, new = before.get(key, _ABSENT), after.get(key, _ABSENT)
        if old is new:
            continue
        added, gone = _field(old, new, (*at, key), resource)
        if added is not None:
            changed[f"f:{key}"] = added
        if gone is not None:
            removed[f"f:{key}"] = gone
    return changed, removed


_ABSENT = object()


def _field(old: object, new: object, at: Path, resource: Resource) -> tuple[Tree | None, Tree | None]:
    """What changed and what went at one field; None where nothing did."""
    olds, news = _children(old, at, resource), _children(new, at, resource)
    if not olds and not news:
        if new is _ABSENT:
            return None, {}
        unchanged = not new and _always_there(at, resource) if old is _ABSENT else old == new
        return (None if unchanged else {}), None
    changed: Tree = {}
    removed: Tree = {}
    for element in {**olds, **news}:
        added, gone = _element(olds.get(element, _ABSENT), news.get(element, _ABSENT), element, at, resource)
        if added is not None:
            changed[element] = added
        if gone is not None:
            removed[element] = gone
    if new is _ABSENT:
        removed["."] = {}
    elif old is _ABSENT and changed and not _always_there(at, resource):
        changed["."] = {}
    return changed or None, removed or None


def _element(
    old: object, new: object, element: str, at: Path, resource: Resource
) -> tuple[Tree | None, Tree | None]:
    if element.startswith("f:"):
        return (None, None) if old is new else _field(old, new, (*at, element[2:]), resource)
    if element.startswith("v:") or at == _WHOLE_ELEMENTS:
        return ({} if new is not _ABSENT and old != new else None), ({} if new is _ABSENT else None)
    return (None, None) if old is new else _field(old, new, (*at, _INSIDE), resource)


_INSIDE = ""
"""A list's element on a path: below it, names are looked up as if the list were not there."""


def _children(value: object, at: Path, resource: Resource) -> dict[str, object]:
    """What somebody can own below a field, by fieldsV1 key; empty when the field is owned as a whole."""
    if isinstance(value, Mapping):
        if _whole(at, resource):
            return {}
        return {f"f:{key}": item for key, item in value.items() if isinstance(key, str)}
    if not isinstance(value, list | tuple):
        return {}
    keys = _list_keys(at, resource)
    if keys == (SET,):
        return {f"v:{go_json(item)}": item for item in value}
    return _elements(value, keys) if keys else {}


def _elements(value: Sequence[object], keys: Sequence[str]) -> dict[str, object]:
    return {
        f"k:{go_json({key: item[key] for key in keys if key in item})}": item
        for item in value
        if isinstance(item, Mapping)
    }


def _list_keys(at: Path, resource: Resource) -> Sequence[str]:
    if not resource.custom or at[0] == "metadata":
        return map_keys(tuple(key for key in at if key != _INSIDE))
    schema = _schema_at(at, resource)
    match schema.get("x-kubernetes-list-type"):
        case "map":
            keys = schema.get("x-kubernetes-list-map-keys")
            return [key for key in keys if isinstance(key, str)] if isinstance(keys, list | tuple) else ()
        case "set":
            return (SET,)
    return ()


def _whole(at: Path, resource: Resource) -> bool:
    """A map that is owned as one value."""
    if resource.custom and at[0] != "metadata":
        return _schema_at(at, resource).get("x-kubernetes-map-type") == "atomic"
    return at[-1] in _ATOMIC


def _schema_at(at: Path, resource: Resource) -> Json:
    schema: Json = resource.schema or {}
    for key in at:
        if key == _INSIDE:
            schema = mapping(schema, "items")
            continue
        below = mapping(schema, "properties").get(key)
        schema = below if isinstance(below, Mapping) else mapping(schema, "additionalProperties")
    return schema


def _always_there(at: Path, resource: Resource) -> bool:
    if at == ("metadata",):
        return True
    return not resource.custom and at[-1] in _ALWAYS_THERE
