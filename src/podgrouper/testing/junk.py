"""Objects with one value in them that nobody expects, at every place that a grouper reads."""

from collections.abc import Iterable, Iterator, Mapping

from podgrouper.core.fields import dig, kind_of, ref_of
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import POD, Json

VALUES: tuple[object, ...] = (
    *(None, True, "", "x", "Ünï", -1, 0, 1.5, 2**31, 10**40),
    *([], [None], ["x"], {}, {"x": None}, {"x": {"x": [1]}}),
)
"""What may stand anywhere in a spec or status: no CRD is sure to forbid it."""
TEXTS = ("", "x", "Ünï", "-1", "1.5", "9" * 40, "true")
"""What may stand in a label or annotation."""

Objects = tuple[Json, ...]


def spoiled(objects: Objects, reads: Reads) -> Iterator[tuple[str, Objects]]:
    """What was put where, in words, and all objects with it."""
    for place, obj in enumerate(objects):
        for path, value in _replacements(obj, reads):
            changed = _with(obj, path, value)
            words = f"{ref_of(obj)} with {str(value)[:45]!r} at {'.'.join(path)}"
            yield words, (*objects[:place], changed, *objects[place + 1 :])


def _replacements(obj: Json, reads: Reads) -> Iterator[tuple[tuple[str, ...], object]]:
    kind = kind_of(obj)
    for declared in sorted(reads.paths.get(kind, frozenset())):
        for path in _with_what_is_below(obj, declared):
            yield from ((path, value) for value in VALUES)
    if kind == POD:
        for field, keys in (("labels", reads.labels), ("annotations", reads.annotations)):
            yield from ((("metadata", field, key), text) for key in sorted(keys) for text in TEXTS)


def _with_what_is_below(obj: Json, declared: str) -> Iterator[tuple[str, ...]]:
    """The way to a declared path step by step, and every place below it that the object has."""
    keys = tuple(key for key in declared.split(".") if key)
    yield from (keys[:length] for length in range(1, len(keys)))
    yield from _below(keys, dig(obj, declared))


def _below(path: tuple[str, ...], value: object) -> Iterator[tuple[str, ...]]:
    if path:
        yield path
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _below((*path, str(key)), inner)


def _with(obj: object, path: Iterable[str], value: object) -> Json:
    """The object with the value at the path, whatever was in the way."""
    there = dict(obj) if isinstance(obj, Mapping) else {}
    first, *rest = path
    return there | {first: _with(there.get(first), rest, value) if rest else value}
