"""What structural schemas drop and fill in.

Both give the value itself where nothing changes, so that an unchanged part is known by its identity.
"""

from collections.abc import Mapping, Sequence
from operator import is_

from podgrouper.core.fields import mapping
from podgrouper.core.model import Json

OMIT_EMPTY = "omitEmpty"
"""Of built-in kinds: a map that is not there when nothing is in it."""
_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_ALWAYS_KEPT = frozenset({"apiVersion", "kind", "metadata"})


def pruned(value: object, schema: Json) -> object:
    """Without the fields that the schema does not know. apiVersion, kind and metadata always stay."""
    if not isinstance(value, Mapping):
        return value
    known = {**schema, "properties": {**mapping(schema, "properties"), **dict.fromkeys(_ALWAYS_KEPT, _OPEN)}}
    return _pruned(value, known)


_OPEN: Json = {_PRESERVE: True}


def _pruned(value: object, schema: Json) -> object:
    if isinstance(value, Mapping):
        return _pruned_object(value, schema)
    if isinstance(value, list | tuple) and "items" in schema:
        below = mapping(schema, "items")
        return _if_other(value, [_pruned(item, below) for item in value])
    return value


def _pruned_object(value: Json, schema: Json) -> Json:
    properties = mapping(schema, "properties")
    others = schema.get("additionalProperties")
    rest = (
        others if isinstance(others, Mapping) else _OPEN if others is True or schema.get(_PRESERVE) else None
    )
    kept: dict[str, object] = {}
    for key, item in value.items():
        below = properties.get(key, rest)
        if isinstance(below, Mapping):
            kept[key] = item if below is _OPEN else _pruned(item, below)
    return value if len(kept) == len(value) and all(kept[key] is value[key] for key in kept) else kept


def _if_other(value: Sequence[object], made: list[object]) -> Sequence[object]:
    """What was made of a list, or the list itself when all in it stayed as it was."""
    return value if all(map(is_, value, made)) else made


def defaulted(value: object, schema: Json) -> object:
    """With the defaults of absent fields; a null that the schema does not allow counts as absent."""
    if isinstance(value, Mapping):
        return _defaulted_object(value, schema)
    if isinstance(value, list | tuple):
        below = mapping(schema, "items")
        return _if_other(value, [defaulted(item, below) for item in value]) if below else value
    return value


def _defaulted_object(value: Json, schema: Json) -> Json:
    properties = mapping(schema, "properties")
    others = mapping(schema, "additionalProperties")
    absent: set[str] = set()
    filled: dict[str, object] = {}
    for key, item in value.items():
        below = properties.get(key, others)
        if not isinstance(below, Mapping) or not below:
            continue
        if _counts_as_absent(item, below):
            absent.add(key)
            continue
        made = defaulted(item, below)
        if made is not item:
            filled[key] = made
    for key, below in properties.items():
        if (key not in value or key in absent) and isinstance(below, Mapping) and "default" in below:
            filled[key] = defaulted(below["default"], below)
    if not absent and not filled:
        return value
    return {key: item for key, item in value.items() if key not in absent} | filled


def _counts_as_absent(value: object, schema: Json) -> bool:
    if value is None:
        return not (schema.get("nullable") or schema.get(_PRESERVE))
    return not value and OMIT_EMPTY in schema
