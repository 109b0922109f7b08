"""JSON values: own copies of them, when two are the same, and how the server prints them in messages."""

from collections.abc import Mapping
from typing import TypeVar

from podgrouper.memory.refusals import bad_request

T = TypeVar("T")


def frozen(value: T) -> T:
    """A copy made of dicts and lists, so that nobody changes a stored object from outside.

    Raises `Refused` (400) for what JSON cannot hold.
    """
    try:
        copy = _copied(value)
    except RecursionError:
        raise bad_request("the object is nested too deeply") from None
    return copy  # type: ignore[return-value]  # the same JSON value, which mypy cannot follow through the copy


def _copied(value: object) -> object:
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise bad_request("the keys of an object are strings")
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copied(item) for item in value]
    if value is None or isinstance(value, str | int | float):
        return value
    raise bad_request(f"a {type(value).__name__} is no JSON value")


def same(one: object, other: object) -> bool:
    """Equal as JSON: true is not 1, although Python says so."""
    if one is other:
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other
