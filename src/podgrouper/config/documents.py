"""YAML as Kubernetes understands it: plain JSON values out, whatever the text says.

Safe for texts that strangers write: no Python objects, no aliases that unfold into gigabytes or into
themselves, no nesting that exhausts the stack, and a wrong text is a finding and no exception.
"""

import re
from collections.abc import Hashable
from dataclasses import dataclass, field

import yaml
from yaml import AliasEvent, CollectionEndEvent, CollectionStartEvent, MappingNode, ScalarEvent, ScalarNode

from podgrouper.core.rules import Finding

DEPTH_LIMIT = 200
"""CRDs nest some fifty levels; the loader recurses for each."""
COPIES_LIMIT = 100_000
"""Values that aliases may stand for, all in all. A few hundred bytes of aliases can stand for billions."""


LARGEST_RULES = 16 * 1024
"""Characters: two hundred rules. Whoever edits a ConfigMap of rules must not stop everybody for seconds."""


@dataclass(frozen=True, slots=True)
class Documents:
    """What could be read of a text, in order, and why not more."""

    values: tuple[object, ...]
    findings: tuple[Finding, ...] = ()


def read_documents(text: str) -> Documents:
    """All documents of a text, empty ones left out. The first mistake ends it. Never raises."""
    values: list[object] = []
    try:
        _refuse_bombs(text)
        values.extend(value for value in yaml.load_all(text, _Loader) if value is not None)
    except yaml.MarkedYAMLError as error:
        return Documents(tuple(values), (_marked(error),))
    except _Refused as error:
        return Documents(tuple(values), (Finding(error.line, f"this is not accepted: {error}"),))
    except (yaml.YAMLError, ValueError, OverflowError, LookupError, RecursionError) as error:
        return Documents(tuple(values), (Finding("", f"this is not YAML: {_first_line(error)}"),))
    return Documents(tuple(values))


def too_long(text: str) -> tuple[Finding, ...]:
    """Why a text that is read while everybody waits is not read at all; empty when it is."""
    if len(text) <= LARGEST_RULES:
        return ()
    return (Finding("", f"this has {len(text)} characters, and more than {LARGEST_RULES} are not read"),)


def _marked(error: yaml.MarkedYAMLError) -> Finding:
    mark = error.problem_mark or error.context_mark
    place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    return Finding(place, f"this is not YAML: {error.problem or error.context or 'it cannot be read'}")


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


class _Refused(yaml.YAMLError):
    """YAML, but none that anybody needs."""

    def __init__(self, problem: str, event: yaml.Event) -> None:
        super().__init__(problem)
        self.line = f"line {event.start_mark.line + 1}" if event.start_mark else ""


@dataclass(slots=True)
class _Unfolding:
    """How large a text becomes, counted without unfolding it."""

    size: int = 0
    copies: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    open: list[tuple[str | None, int]] = field(default_factory=list)
    """The collections around the current event: their anchor, and the size when they began."""

    def take(self, event: yaml.Event) -> None:
        match event:
            case CollectionStartEvent():
                self.open.append((event.anchor, self.size))
                if len(self.open) > DEPTH_LIMIT:
                    raise _Refused(f"nested deeper than {DEPTH_LIMIT} levels", event)
            case CollectionEndEvent():
                anchor, start = self.open.pop()
                self._remember(anchor, self.size - start)
            case AliasEvent():
                self._copy(event)
            case ScalarEvent():
                self.size += 1
                self._remember(event.anchor, 1)

    def _copy(self, event: AliasEvent) -> None:
        if event.anchor in (anchor for anchor, _ in self.open):
            raise _Refused(f"*{event.anchor} holds itself", event)
        more = self.sizes.get(event.anchor or "", 1)
        self.size += more
        self.copies += more
        if self.copies > COPIES_LIMIT:
            raise _Refused(f"aliases stand for more than {COPIES_LIMIT} values", event)

    def _remember(self, anchor: str | None, size: int) -> None:
        if anchor:
            self.sizes[anchor] = size


def _refuse_bombs(text: str) -> None:
    unfolding = _Unfolding()
    for event in yaml.parse(text, yaml.CSafeLoader):
        unfolding.take(event)


class _Loader(yaml.CSafeLoader):
    """Dates stay text and keys are text, as in the JSON that Kubernetes makes of YAML; no key twice."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, object]:
        _refuse_doubles(node)
        self.flatten_mapping(node)
        return {_key(key): self.construct_object(value, deep=deep) for key, value in node.value}


def _refuse_doubles(node: MappingNode) -> None:
    seen: set[str] = set()
    for key, _ in node.value:
        name = _key(key)
        if name in seen:
            raise yaml.MarkedYAMLError(
                problem=f"the key {name!r} is there twice", problem_mark=key.start_mark
            )
        seen.add(name)


def _key(node: yaml.Node) -> str:
    if not isinstance(node, ScalarNode):
        raise yaml.MarkedYAMLError(problem="a key has to be text", problem_mark=node.start_mark)
    return str(node.value)


_TAG = "tag:yaml.org,2002:"
_JSON_TAGS = frozenset(f"{_TAG}{name}" for name in ("null", "bool", "int", "float", "str", "seq", "map"))
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(:[0-9_.]*)+")
"""`1:30` is a number for Python's YAML alone, and takes the square of its length to read."""
_Loader.yaml_implicit_resolvers = {
    first: [
        (f"{_TAG}str", _BASE_60),
        *(entry for entry in resolvers if entry[0] != f"{_TAG}timestamp"),
    ]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_Loader.yaml_constructors = {
    tag: constructor
    for tag, constructor in yaml.CSafeLoader.yaml_constructors.items()
    if tag is None or tag in _JSON_TAGS
}
