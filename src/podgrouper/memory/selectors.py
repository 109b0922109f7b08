"""Label and field selectors: text once, then a question that any object answers."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from podgrouper.core.fields import dig, labels
from podgrouper.core.model import Json
from podgrouper.core.selectors import BadSelector, parse
from podgrouper.memory.refusals import bad_request
from podgrouper.memory.resources import Resource

_FIELD_TERM = re.compile(r"(?P<path>[^=!]+)(?P<op>==|=|!=)(?P<value>.*)", re.DOTALL)
_COMMA = re.compile(r"(?<!\\),")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition on one key. What is absent is in no set, and outside of every set."""

    key: str
    holds: Callable[[str | None], bool]


@dataclass(frozen=True, slots=True)
class Selector:
    """What a list or watch asked for: conditions on labels and on fields, all of them."""

    labels: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.labels or self.fields)

    def matches(self, obj: Json) -> bool:
        if self.labels:
            there = labels(obj)
            if not all(wanted.holds(there.get(wanted.key)) for wanted in self.labels):
                return False
        return all(wanted.holds(_field(obj, wanted.key)) for wanted in self.fields)


EVERYTHING = Selector()


def selector(resource: Resource, label_selector: str, field_selector: str) -> Selector:
    """Raises `Refused` for what cannot be read, and for fields that the kind does not offer."""
    return Selector(_label_requirements(label_selector), _field_requirements(resource, field_selector))


def _label_requirements(text: str) -> tuple[Requirement, ...]:
    try:
        return tuple(Requirement(wanted.key, wanted.holds) for wanted in parse(text))
    except BadSelector as error:
        raise bad_request(str(error)) from error


def _field_requirements(resource: Resource, text: str) -> tuple[Requirement, ...]:
    if not text:
        return ()
    return tuple(_field_requirement(resource, term) for term in _COMMA.split(text) if term)


def _field_requirement(resource: Resource, term: str) -> Requirement:
    match = _FIELD_TERM.fullmatch(term)
    if match is None:
        raise bad_request(f"invalid selector: {term!r}; can't understand {term!r}")
    path, wanted = match["path"], re.sub(r"\\([\\,=])", r"\1", match["value"])
    if path not in ("metadata.name", "metadata.namespace", *resource.fields):
        raise bad_request(f"field label not supported: {path}")
    equal = match["op"] != "!="
    return Requirement(path, lambda value: ((value or "") == wanted) == equal)


def _field(obj: Json, path: str) -> str:
    """A field as selectors see it: text, empty when it is not there."""
    value = dig(obj, _ELSEWHERE.get(path, path))
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return _UNSET.get(path, "")
    return str(value)


_ELSEWHERE: Mapping[str, str] = {"source": "source.component", "status.successful": "status.succeeded"}
_UNSET: Mapping[str, str] = {
    "spec.unschedulable": "false",
    "spec.hostNetwork": "false",
    "status.replicas": "0",
    "status.successful": "0",
}
