"""Fields with their values, in one line that a person reads."""

from collections.abc import Iterator, Mapping

from podgrouper.core.model import Json


def said(obj: Json) -> str:
    """Fields with their values; in a patch, null is a field that goes."""
    return ", ".join(_fields(obj, ""))


def _fields(obj: Json, path: str) -> Iterator[str]:
    for key, value in obj.items():
        at = f"{path}.{key}" if path else str(key)
        if isinstance(value, Mapping) and value:
            yield from _fields(value, at)
        else:
            yield f"no {at}" if value is None else f"{at} {_value(value)}"


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{'; '.join(map(_value, value))}]"
    return said(value) if isinstance(value, Mapping) else str(value)
