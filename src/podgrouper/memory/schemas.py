"""Structural schemas: what they drop, what they fill in, what they refuse.

The part of OpenAPI v3 that CustomResourceDefinitions allow, without CEL rules
(`x-kubernetes-validations`), which would need an interpreter: objects that only CEL would refuse are
accepted here. Findings read as the server words them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from podgrouper.core.fields import items as objects_at
from podgrouper.core.fields import mapping, text
from podgrouper.core.model import Json
from podgrouper.memory.printing import go_json
from podgrouper.memory.refusals import Cause, invalid_value, not_supported, required

_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING = "x-kubernetes-int-or-string"
_ALWAYS_KEPT = frozenset({"apiVersion", "kind", "metadata"})
_INT32 = range(-(2**31), 2**31)
_INT64 = range(-(2**63), 2**63)


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
        return [_pruned(item, below) for item in value]
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
    return kept


def defaulted(value: object, schema: Json) -> object:
    """With the defaults of absent fields; a null that the schema does not allow counts as absent."""
    if isinstance(value, Mapping):
        return _defaulted_object(value, schema)
    if isinstance(value, list | tuple):
        below = mapping(schema, "items")
        return [defaulted(item, below) for item in value] if below else value
    return value


def _defaulted_object(value: Json, schema: Json) -> Json:
    properties = mapping(schema, "properties")
    others = mapping(schema, "additionalProperties")
    result: dict[str, object] = {}
    for key, item in value.items():
        below = properties.get(key, others)
        if not isinstance(below, Mapping):
            result[key] = item
        elif item is not None or below.get("nullable") or not below or below.get(_PRESERVE):
            result[key] = defaulted(item, below)
    for key, below in properties.items():
        if key not in result and isinstance(below, Mapping) and "default" in below:
            result[key] = defaulted(below["default"], below)
    return result


def problems(value: object, schema: Json, at: str = "") -> Iterator[Cause]:
    """Everything that is wrong with a value, in the order of its fields."""
    if value is None and schema.get("nullable"):
        return
    wrong_type = _type_problem(value, schema, at)
    if wrong_type:
        yield wrong_type
        return
    yield from _enum_problems(value, schema, at)
    match value:
        case bool():
            pass
        case str():
            yield from _text_problems(value, schema, at)
        case int() | float():
            yield from _number_problems(value, schema, at)
        case Mapping():
            yield from _object_problems(value, schema, at)
        case list() | tuple():
            yield from _list_problems(value, schema, at)
    yield from _junction_problems(value, schema, at)


def _type_problem(value: object, schema: Json, at: str) -> Cause | None:
    wanted = ("integer", "string") if schema.get(_INT_OR_STRING) else (text(schema, "type"),)
    found = _type_of(value)
    if wanted == ("",) or found in wanted or ("number" in wanted and found == "integer"):
        return None
    return Cause(
        "FieldValueTypeInvalid",
        f'Invalid value: "{found}": {at or "<nil>"} in body must be of type {",".join(wanted)}: "{found}"',
        at or "<nil>",
    )


def _type_of(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case Mapping():
            return "object"
    return "array"


def _enum_problems(value: object, schema: Json, at: str) -> Iterator[Cause]:
    known = schema.get("enum")
    if isinstance(known, list | tuple) and value not in known:
        yield not_supported(at, go_json(value), map(go_json, known))


def _text_problems(value: str, schema: Json, at: str) -> Iterator[Cause]:
    shortest, longest, pattern = (schema.get(key) for key in ("minLength", "maxLength", "pattern"))
    if isinstance(longest, int) and len(value) > longest:
        yield Cause("FieldValueTooLong", f"Too long: may not be more than {longest} bytes", at)
    if isinstance(shortest, int) and len(value) < shortest:
        yield invalid_value(at, go_json(value), f"{at} in body should be at least {shortest} chars long")
    if isinstance(pattern, str) and not _matcher(pattern)(value):
        yield invalid_value(at, go_json(value), f"{at} in body should match '{pattern}'")


@lru_cache(maxsize=1024)
def _matcher(pattern: str) -> Callable[[str], object]:
    """Go's regular expressions are a subset of Python's but for details; what Python cannot read fits all.

    `$` is the end of the text to Go, also before a last newline.
    """
    try:
        return re.compile(re.sub(r"(?<!\\)\$$", r"\\Z", pattern)).search
    except re.error:
        return bool


def _number_problems(value: float, schema: Json, at: str) -> Iterator[Cause]:
    least, most = schema.get("minimum"), schema.get("maximum")
    if isinstance(most, int | float):
        strict = bool(schema.get("exclusiveMaximum"))
        if value > most or (strict and value == most):
            words = f"less than {most}" if strict else f"less than or equal to {most}"
            yield invalid_value(at, go_json(value), f"{at} in body should be {words}")
    if isinstance(least, int | float):
        strict = bool(schema.get("exclusiveMinimum"))
        if value < least or (strict and value == least):
            words = f"greater than {least}" if strict else f"greater than or equal to {least}"
            yield invalid_value(at, go_json(value), f"{at} in body should be {words}")
    bounds = {"int32": _INT32, "int64": _INT64}.get(text(schema, "format"))
    if bounds and int(value) not in bounds:
        words = f"Checked value must be of type integer with format {schema['format']} in {at}"
        yield invalid_value("<nil>", '""', words)


def _object_problems(value: Json, schema: Json, at: str) -> Iterator[Cause]:
    properties = mapping(schema, "properties")
    others = mapping(schema, "additionalProperties")
    most = schema.get("maxProperties")
    if isinstance(most, int) and len(value) > most:
        yield _too_many(at, len(value), most)
    for name in _names(schema.get("required")):
        if name not in value:
            yield required(_join(at, name))
    for key, item in value.items():
        below = properties.get(key, others)
        if isinstance(below, Mapping) and below:
            yield from problems(item, below, _join(at, key))


def _list_problems(value: Sequence[object], schema: Json, at: str) -> Iterator[Cause]:
    least, most = schema.get("minItems"), schema.get("maxItems")
    if isinstance(least, int) and len(value) < least:
        yield invalid_value(at, str(len(value)), f"{at} in body should have at least {least} items")
    if isinstance(most, int) and len(value) > most:
        yield _too_many(at, len(value), most)
    below = mapping(schema, "items")
    for number, item in enumerate(value):
        yield from problems(item, below, f"{at}[{number}]")
    yield from _duplicates(value, schema, at)


def _duplicates(value: Sequence[object], schema: Json, at: str) -> Iterator[Cause]:
    match schema.get("x-kubernetes-list-type"):
        case "set":
            identities: list[object] = list(value)
        case "map":
            keys = _names(schema.get("x-kubernetes-list-map-keys"))
            identities = [
                {key: item[key] for key in keys if key in item} if isinstance(item, Mapping) else item
                for item in value
            ]
        case _:
            return
    seen: set[str] = set()
    for number, identity in enumerate(identities):
        shown = go_json(identity)
        if shown in seen:
            yield Cause("FieldValueDuplicate", f"Duplicate value: {shown}", f"{at}[{number}]")
        seen.add(shown)


def _junction_problems(value: object, schema: Json, at: str) -> Iterator[Cause]:
    for branch in objects_at(schema, "allOf"):
        yield from problems(value, branch, at)
    any_of, one_of = objects_at(schema, "anyOf"), objects_at(schema, "oneOf")
    if any_of and not any(_fits(value, branch, at) for branch in any_of):
        yield invalid_value("<nil>", '""', f'"{at}" must validate at least one schema (anyOf)')
    if one_of and sum(_fits(value, branch, at) for branch in one_of) != 1:
        yield invalid_value("<nil>", '""', f'"{at}" must validate one and only one schema (oneOf)')
    if "not" in schema and _fits(value, mapping(schema, "not"), at):
        yield invalid_value("<nil>", '""', f'"{at}" must not validate the schema (not)')


def _fits(value: object, schema: Json, at: str) -> bool:
    return next(problems(value, schema, at), None) is None


def _too_many(at: str, found: int, most: int) -> Cause:
    unit = "item" if most == 1 else "items"
    return Cause("FieldValueTooMany", f"Too many: {found}: must have at most {most} {unit}", at)


def _names(value: object) -> Iterable[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list | tuple) else ()


def _join(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key
