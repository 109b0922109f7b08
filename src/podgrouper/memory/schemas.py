"""What structural schemas refuse.

The part of OpenAPI v3 that CustomResourceDefinitions allow, without CEL rules
(`x-kubernetes-validations`), which would need an interpreter: objects that only CEL would refuse are
accepted here. Findings read as the server words them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice

from podgrouper.core.fields import items as objects_at
from podgrouper.core.fields import mapping, text
from podgrouper.core.model import Json
from podgrouper.memory.printing import go_json
from podgrouper.memory.refusals import Cause, invalid_value, not_supported, required

_INT_OR_STRING = "x-kubernetes-int-or-string"
_INT32 = range(-(2**31), 2**31)
_INT64 = range(-(2**63), 2**63)


def problems(value: object, schema: Json, at: str = "") -> Iterator[Cause]:
    """Everything that is wrong with a value. Each constraint speaks for itself, also beside a wrong type."""
    if value is None and schema.get("nullable"):
        return
    yield from _type_problems(value, schema, at)
    yield from _enum_problems(value, schema, at)
    match value:
        case bool():
            pass
        case str():
            yield from islice(_text_problems(value, schema, at), 1)
        case int() | float():
            yield from _number_problems(value, schema, at)
        case Mapping():
            yield from _object_problems(value, schema, at)
        case list() | tuple():
            yield from _list_problems(value, schema, at)
    yield from _junction_problems(value, schema, at)


def _type_problems(value: object, schema: Json, at: str) -> Iterator[Cause]:
    wanted = ("integer", "string") if schema.get(_INT_OR_STRING) else (text(schema, "type"),)
    found = _type_of(value)
    if wanted == ("",) or found in wanted or ("number" in wanted and found == "integer"):
        return
    yield _wrong_type(at, ",".join(wanted), found)


def _wrong_type(at: str, wanted: str, found: str) -> Cause:
    words = f'Invalid value: "{found}": {at or "<nil>"} in body must be of type {wanted}: "{found}"'
    return Cause("FieldValueTypeInvalid", words, at or "<nil>")


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
    """The server tells the first of them only."""
    shortest, longest, pattern = (schema.get(key) for key in ("minLength", "maxLength", "pattern"))
    if isinstance(longest, int) and len(value) > longest:
        yield Cause("FieldValueTooLong", f"Too long: may not be more than {longest} bytes", at)
    if isinstance(shortest, int) and len(value) < shortest:
        yield invalid_value(at, go_json(value), f"{at} in body should be at least {shortest} chars long")
    if isinstance(pattern, str) and not _matcher(pattern)(value):
        yield invalid_value(at, go_json(value), f"{at} in body should match '{pattern}'")
    if schema.get("format") == "date-time" and not _DATE_TIME.fullmatch(value):
        yield _wrong_type(at, "date-time", value)


_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")


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
    step = schema.get("multipleOf")
    if isinstance(step, int | float) and step and value % step:
        yield invalid_value(at, go_json(value), f"{at} in body should be a multiple of {step}")
    most, least = schema.get("maximum"), schema.get("minimum")
    if isinstance(most, int | float) and (value > most or (schema.get("exclusiveMaximum") and value == most)):
        words = "less than" if schema.get("exclusiveMaximum") else "less than or equal to"
        yield invalid_value(at, go_json(value), f"{at} in body should be {words} {most}")
    if isinstance(least, int | float) and (
        value < least or (schema.get("exclusiveMinimum") and value == least)
    ):
        words = "greater than" if schema.get("exclusiveMinimum") else "greater than or equal to"
        yield invalid_value(at, go_json(value), f"{at} in body should be {words} {least}")
    bounds = {"int32": _INT32, "int64": _INT64}.get(text(schema, "format"))
    if bounds and int(value) not in bounds:
        words = f"Checked value must be of type integer with format {schema['format']} in {at}"
        yield _nowhere(words)


def _object_problems(value: Json, schema: Json, at: str) -> Iterator[Cause]:
    properties = mapping(schema, "properties")
    others = mapping(schema, "additionalProperties")
    yield from _size_problems(len(value), schema, at, "Properties")
    for name in _names(schema.get("required")):
        if name not in value:
            yield required(_join(at, name))
    for key, item in value.items():
        below = properties.get(key, others)
        if isinstance(below, Mapping) and below:
            yield from problems(item, below, _join(at, key))


def _list_problems(value: Sequence[object], schema: Json, at: str) -> Iterator[Cause]:
    yield from _size_problems(len(value), schema, at, "Items")
    below = mapping(schema, "items")
    for number, item in enumerate(value):
        yield from problems(item, below, f"{at}[{number}]")
    yield from _duplicates(value, schema, at)


def _size_problems(size: int, schema: Json, at: str, of: str) -> Iterator[Cause]:
    least, most = schema.get(f"min{of}"), schema.get(f"max{of}")
    if isinstance(least, int) and size < least:
        words = f"{at} in body should have at least {least} {of.lower()}"
        yield invalid_value(at, str(size), words)
    if isinstance(most, int) and size > most:
        unit = "item" if most == 1 else "items"
        yield Cause("FieldValueTooMany", f"Too many: {size}: must have at most {most} {unit}", at)


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
    """A junction that fails says so at no field, and beside that what its branches found."""
    all_of, any_of, one_of = (_branches(value, schema, at, name) for name in ("allOf", "anyOf", "oneOf"))
    if any(all_of):
        yield _nowhere(f'"{at}" must validate all the schemas (allOf)')
        yield from chain.from_iterable(all_of)
    if any_of and all(any_of):
        yield _nowhere(f'"{at}" must validate at least one schema (anyOf)')
        yield from any_of[0]
    fitting = one_of.count(())
    if one_of and fitting != 1:
        found = f"Found {fitting} valid alternatives" if fitting else "Found none valid"
        yield _nowhere(f'"{at}" must validate one and only one schema (oneOf). {found}')
        yield from () if fitting else one_of[0]
    if "not" in schema and not any(problems(value, mapping(schema, "not"), at)):
        yield _nowhere(f'"{at}" must not validate the schema (not)')


def _branches(value: object, schema: Json, at: str, name: str) -> list[tuple[Cause, ...]]:
    """What each branch of a junction finds."""
    return [tuple(problems(value, branch, at)) for branch in objects_at(schema, name)]


def _nowhere(words: str) -> Cause:
    return invalid_value("<nil>", '""', words)


def _names(value: object) -> Iterable[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list | tuple) else ()


def _join(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key
