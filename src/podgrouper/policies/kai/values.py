"""Strict reads of values that a rule depends on: absent is one thing, unusable another.

`core.fields` is tolerant; here a value that is there and makes no sense is told to the person who wrote
it, because a gang of a wrong size is worse than a pod that waits with a message.
"""

import re
from collections.abc import Mapping

from podgrouper.core.model import Json, Owner

INTEGER = re.compile(r"[+-]?[0-9]+")
INT32_MAX = 2**31 - 1
INT64_DIGITS = 18
"""So many digits always fit into 64 bits; a count with more is a mistake anyway."""


class BadValue(ValueError):
    """A value that its rule cannot use. The message names the object, the place and what would do."""


def whole_number(text: str, what: str) -> int:
    """A number in a label or annotation: optional sign and ASCII digits, nothing else.

    `what` names the place in the message.
    """
    if not INTEGER.fullmatch(text):
        raise BadValue(f"{what} is {text[:60]!r}: write a whole number")
    if len(text.lstrip("+-").lstrip("0")) > INT64_DIGITS:
        raise BadValue(f"{what} is {text[:60]!r}: the number is too large")
    return int(text)


def members_asked(annotations: Mapping[str, str], key: str, what: str) -> int | None:
    """The floor that an annotation asks for; None when it is absent or empty, which is the same.

    Zero is a wish (start with whatever is there); below zero or beyond int32 there is no such group.
    """
    text = annotations.get(key, "")
    if not text:
        return None
    number = whole_number(text, f"{what}, annotation {key}")
    if not 0 <= number <= INT32_MAX:
        raise BadValue(f"{what}, annotation {key} is {text!r}: write a number from 0 to {INT32_MAX}")
    return number


def number_at(owner: Owner, path: str) -> int | None:
    """The integer at a path of an owner; None when it is not there."""
    return number_in(owner.object, path, str(owner.ref))


def members_at(owner: Owner, path: str) -> int | None:
    """The integer at a path of an owner, where it counts members: no PodGroup holds more than int32."""
    number = number_at(owner, path)
    if number is not None and number > INT32_MAX:
        raise BadValue(f"{owner.ref}, {path} is too large: write a number up to {INT32_MAX}")
    return number


def text_at(owner: Owner, path: str) -> str:
    """The text at a path of an owner; empty when it is not there."""
    value = value_in(owner.object, path, str(owner.ref))
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _unusable(str(owner.ref), path, value, "a text")
    return value


def object_at(owner: Owner, path: str) -> Json | None:
    """The object at a path of an owner; None when it is not there."""
    value = value_in(owner.object, path, str(owner.ref))
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise _unusable(str(owner.ref), path, value, "an object")
    return value


def value_at(owner: Owner, path: str) -> object:
    """Whatever stands at a path of an owner; None when it is not there."""
    return value_in(owner.object, path, str(owner.ref))


def number_in(obj: Json, path: str, what: str) -> int | None:
    """The integer at a path of an object that is called `what` in the message; None when it is not there."""
    value = value_in(obj, path, what)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise _unusable(what, path, value, "a whole number")
    return value


def value_in(obj: Json, path: str, what: str) -> object:
    """Whatever stands at a path; None when the way there ends. Something in the way is a mistake."""
    value: object = obj
    for key in path.split("."):
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise _unusable(what, path, value, f"an object around {key}")
        value = value.get(key)
    return value


def _unusable(what: str, path: str, value: object, instead: str) -> BadValue:
    return BadValue(f"{what}, {path} is {str(value)[:60]!r}: write {instead}")
