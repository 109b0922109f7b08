"""Label selectors, as Kubernetes writes them in a line of text: `team=a,stage in (test, prod),!legacy`.

Text once, then plain values that any map of labels can be held against.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class Operator(Enum):
    """What a requirement asks of a value. What is absent is in no set, and outside of every set."""

    IN = "in"
    NOT_IN = "notin"
    EXISTS = "exists"
    ABSENT = "!"
    ABOVE = ">"
    BELOW = "<"


@dataclass(frozen=True, slots=True, order=True)
class Requirement:
    """One condition on one key."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def holds(self, value: str | None) -> bool:
        match self.operator:
            case Operator.IN:
                return value in self.values
            case Operator.NOT_IN:
                return value not in self.values
            case Operator.EXISTS:
                return value is not None
            case Operator.ABSENT:
                return value is None
            case Operator.ABOVE | Operator.BELOW:
                return self._beyond(value)

    def _beyond(self, value: str | None) -> bool:
        found, limit = integer(value or ""), integer(self.values[0])
        if found is None or limit is None:
            return False
        return found > limit if self.operator is Operator.ABOVE else found < limit


Selector: TypeAlias = tuple[Requirement, ...]
"""Conditions that must all hold; none selects everything."""


class BadSelector(ValueError):
    """A text that is no selector. The message is the API server's."""


def selects(selector: Selector, labels: Mapping[str, str]) -> bool:
    return all(wanted.holds(labels.get(wanted.key)) for wanted in selector)


def equal_to(key: str, value: str) -> Requirement:
    return Requirement(key, Operator.IN, (value,))


_REQUIREMENT = re.compile(
    r"\s*(?:"
    r"(?P<absent>!)\s*(?P<no>[^\s,()=!<>]+)"
    r"|(?P<key>[^\s,()=!<>]+)"
    r"(?:\s+(?P<set>in|notin)\s*\((?P<values>[^()]*)\)|\s*(?P<op>==|=|!=|>|<)\s*(?P<value>[^\s,()=!<>]*))?"
    r")\s*(?:,|$)"
)
_OPERATORS: Mapping[str, Operator] = {
    "=": Operator.IN,
    "==": Operator.IN,
    "!=": Operator.NOT_IN,
    ">": Operator.ABOVE,
    "<": Operator.BELOW,
    "in": Operator.IN,
    "notin": Operator.NOT_IN,
}


def parse(text: str) -> Selector:
    """The selector that a text says, in the order of the text. Raises `BadSelector`."""
    found: list[Requirement] = []
    at = 0
    while at < len(text):
        match = _REQUIREMENT.match(text, at)
        if match is None:
            raise BadSelector(f"unable to parse requirement: found {text[at : at + 30]!r}")
        found.append(_requirement(match))
        at = match.end()
    return tuple(found)


def _requirement(match: re.Match[str]) -> Requirement:
    if match["absent"]:
        return Requirement(match["no"], Operator.ABSENT)
    key = match["key"]
    if match["set"]:
        values = tuple(value.strip() for value in match["values"].split(","))
        return Requirement(key, _OPERATORS[match["set"]], values)
    if match["op"] is None:
        return Requirement(key, Operator.EXISTS)
    operator, value = _OPERATORS[match["op"]], match["value"]
    if operator in (Operator.ABOVE, Operator.BELOW) and integer(value) is None:
        raise BadSelector(
            f"unable to parse requirement: values[0][{key}]: Invalid value: {value!r}: "
            "for 'Gt', 'Lt' operators, the value must be an integer"
        )
    return Requirement(key, operator, (value,))


def integer(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,19}", text) else None
