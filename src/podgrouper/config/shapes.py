"""What a value of a configuration may look like: said once, and read, explained and published from there.

A shape reads plain JSON into a typed value or finds what is wrong with it, all of it. The same shape
gives the JSON schema and the words of the documentation.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from podgrouper.core.model import Json
from podgrouper.core.rules import Finding

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Name = TypeVar("Name", bound=str)


@dataclass(frozen=True, slots=True)
class Good(Generic[T_co]):
    value: T_co


@dataclass(frozen=True, slots=True)
class Bad:
    findings: tuple[Finding, ...]


Read: TypeAlias = Good[T] | Bad


class Shape(Protocol[T_co]):
    @property
    def accepts(self) -> str:
        """Completes the sentence "accepted is …"."""

    def read(self, value: object, path: str) -> "Good[T_co] | Bad": ...

    def schema(self) -> Json: ...


def refused(value: object, path: str, accepts: str) -> Bad:
    return Bad((Finding(path, f"{shown(value)} is not accepted: give {accepts}"),))


TOO_LONG_TO_SHOW = 10**60
"""Python refuses to print numbers of some thousand digits, and a YAML text may hold one."""


def shown(value: object) -> str:
    """A value in a message: as JSON has it, and never long."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case Mapping():
            return "a map"
        case int() if abs(value) >= TOO_LONG_TO_SHOW:
            return "a number of more than 60 digits"
        case list() | tuple():
            return "a list" if value else "an empty list"
        case _:
            text = repr(value) if isinstance(value, str) else str(value)
            return text if len(text) <= 60 else f"{text[:57]}…"


@dataclass(frozen=True, slots=True)
class Text:
    """A string that the pattern matches from end to end."""

    accepts: str = "text"
    pattern: str = ""
    longest: int = 0

    def read(self, value: object, path: str) -> Read[str]:
        if not isinstance(value, str) or (self.longest and len(value) > self.longest):
            return refused(value, path, self.accepts)
        if self.pattern and not re.fullmatch(self.pattern, value, re.ASCII):
            return refused(value, path, self.accepts)
        return Good(value)

    def schema(self) -> Json:
        limits = {"pattern": f"^(?:{self.pattern})$" if self.pattern else "", "maxLength": self.longest}
        return {"type": "string", **{key: limit for key, limit in limits.items() if limit}}


@dataclass(frozen=True, slots=True)
class Flag:
    accepts: str = "true or false"

    def read(self, value: object, path: str) -> Read[bool]:
        return Good(value) if isinstance(value, bool) else refused(value, path, self.accepts)

    def schema(self) -> Json:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Number:
    """More than nothing, and finite."""

    accepts: str = "a number above 0"

    def read(self, value: object, path: str) -> Read[float]:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < MOST:
            return Good(float(value))
        return refused(value, path, self.accepts)

    def schema(self) -> Json:
        return {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": MOST}


@dataclass(frozen=True, slots=True)
class Count:
    """A whole number of things, at least one."""

    accepts: str = "a whole number from 1 on"

    def read(self, value: object, path: str) -> Read[int]:
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value < MOST:
            return Good(value)
        return refused(value, path, self.accepts)

    def schema(self) -> Json:
        return {"type": "integer", "minimum": 1, "exclusiveMaximum": MOST}


MOST = 1_000_000_000
"""No rate or number of things in a configuration is larger."""


@dataclass(frozen=True, slots=True)
class Choice(Generic[Name]):
    names: tuple[Name, ...]

    @property
    def accepts(self) -> str:
        return " or ".join(f"`{name}`" for name in self.names)

    def read(self, value: object, path: str) -> Read[Name]:
        found = next((name for name in self.names if name == value), None)
        return Good(found) if found is not None else refused(value, path, self.accepts)

    def schema(self) -> Json:
        return {"enum": list(self.names)}


@dataclass(frozen=True, slots=True)
class Optional(Generic[T]):
    """The value, or null: `none` says what that means."""

    shape: Shape[T]
    none: str

    @property
    def accepts(self) -> str:
        return f"{self.shape.accepts}, or null: {self.none}"

    def read(self, value: object, path: str) -> "Read[T | None]":
        if value is None:
            return Good(None)
        read = self.shape.read(value, path)
        return read if isinstance(read, Bad) else Good(read.value)

    def schema(self) -> Json:
        return {"anyOf": [self.shape.schema(), {"type": "null"}]}


@dataclass(frozen=True, slots=True)
class ListOf(Generic[T]):
    """Each item of one shape, none twice."""

    item: Shape[T]
    plural: str
    at_least_one: bool = False

    @property
    def accepts(self) -> str:
        return f"a list of {self.plural}{', at least one' if self.at_least_one else ''}"

    def read(self, value: object, path: str) -> Read[tuple[T, ...]]:
        if not isinstance(value, list) or (self.at_least_one and not value):
            return refused(value, path, self.accepts)
        reads = [self.item.read(item, f"{path}[{index}]") for index, item in enumerate(value)]
        twice = [
            Finding(f"{path}[{index}]", f"{shown(item)} is in the list twice")
            for index, item in enumerate(value)
            if item in value[:index]
        ]
        findings = (*findings_of(reads), *twice)
        return Bad(findings) if findings else Good(tuple(r.value for r in reads if isinstance(r, Good)))

    def schema(self) -> Json:
        limit = {"minItems": 1} if self.at_least_one else {}
        return {"type": "array", "items": self.item.schema(), "uniqueItems": True, **limit}


def findings_of(reads: Iterable[Good[T] | Bad]) -> tuple[Finding, ...]:
    return tuple(finding for read in reads if isinstance(read, Bad) for finding in read.findings)
