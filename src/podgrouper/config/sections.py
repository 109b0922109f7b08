"""Maps with known keys: one table says which there are, what each accepts and what it is for.

Reading, the JSON schema and the documentation all walk this table, so they cannot disagree.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Generic, TypeAlias, TypeVar

from podgrouper.config.shapes import Bad, Good, Shape, findings_of, refused
from podgrouper.core.model import Json
from podgrouper.core.rules import Finding

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Field(Generic[T_co]):
    """A key of a section. `default` is written as in a file; `otherwise` says it where it depends."""

    key: str
    shape: Shape[T_co]
    help: str
    default: object = None
    required: bool = False
    otherwise: str = ""


class Values:
    """The values of a section in which there was nothing to find."""

    def __init__(self, raw: Json) -> None:
        self._raw = raw

    def __getitem__(self, field: Field[T]) -> T:
        read = field.shape.read(self._raw.get(field.key, field.default), field.key)
        assert isinstance(read, Good), f"the default of {field.key} is none that it accepts"
        return read.value


Check: TypeAlias = Callable[[Json, str], Iterable[Finding]]
"""What no field can tell alone. Gets the section as it stands in the file, whatever is wrong with it."""


def nothing_more(_section: Json, _path: str) -> Iterable[Finding]:
    return ()


@dataclass(frozen=True, slots=True)
class Section(Generic[T_co]):
    """A map with these keys and no others, made into one value."""

    fields: tuple[Field[object], ...]
    build: Callable[[Values], T_co]
    check: Check = nothing_more

    @property
    def accepts(self) -> str:
        return f"a map with {', '.join(field.key for field in self.fields)}"

    def read(self, value: object, path: str) -> Good[T_co] | Bad:
        if not isinstance(value, Mapping):
            return refused(value, path, self.accepts)
        findings = (
            *self._unknown(value, path),
            *(finding for field in self.fields for finding in _field_findings(field, value, path)),
            *self.check(value, path),
        )
        return Bad(findings) if findings else Good(self.build(Values(value)))

    def _unknown(self, value: Json, path: str) -> Iterable[Finding]:
        known = [field.key for field in self.fields]
        return (
            Finding(joined(path, key), f"there is no such key: {meant(key, known)}")
            for key in value
            if key not in known
        )

    def schema(self) -> Json:
        required = [field.key for field in self.fields if field.required]
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {field.key: _field_schema(field) for field in self.fields},
            **({"required": required} if required else {}),
        }


def _field_findings(field: Field[object], section: Json, path: str) -> tuple[Finding, ...]:
    at = joined(path, field.key)
    if field.key in section:
        return findings_of([field.shape.read(section[field.key], at)])
    return (Finding(at, f"this is missing: give {field.shape.accepts}"),) if field.required else ()


def _field_schema(field: Field[object]) -> Json:
    default = {} if field.required or field.otherwise else {"default": field.default}
    return {**field.shape.schema(), "description": field.help, **default}


def joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def meant(name: str, known: Iterable[str]) -> str:
    """What a person who wrote an unknown name probably wanted, else all that there is."""
    names = list(known)
    by_lower = {each.lower(): each for each in names}
    close = get_close_matches(name.lower(), by_lower, n=1)
    return f"did you mean `{by_lower[close[0]]}`?" if close else f"known are {', '.join(names)}"
