"""How a pod becomes a row.

One function builds rows, for files and for the watch: what the watch's decoder leaves out of an event
is exactly what no policy declared, so both see the same.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from sys import intern
from typing import Generic, TypeVar, overload

import msgspec

from podgrouper.core.fields import dig, foremost_owners, items, mapping, text
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Json, OwnerRef, Pod

T = TypeVar("T")
Value = TypeVar("Value", bound=Hashable)

POOL_LIMIT = 4_000
"""Values that pods share are kept once. The pool starts anew when it is full, so churn cannot fill memory."""
SHARED_LENGTH = 4096
"""Characters of a value that may be in the pool."""
LARGEST_RESOURCES = 64 * 1024
"""Characters: some seven hundred containers. No node runs such a pod, and counting one takes long."""
TOO_LARGE = '{"tooLarge":true}'
"""What stands in place of what is longer. It asks for nothing, so whoever counts resources skips the pod."""


class Undeclared(LookupError):
    """A policy read a key of a pod that it had not declared. Not a KeyError: `get` must not hide it."""


class Picked(Mapping[str, str]):
    """The declared labels or annotations of one pod, in the room of a tuple."""

    __slots__ = ("_columns", "_hash", "_values")

    def __init__(self, columns: Mapping[str, int], values: tuple[str | None, ...]) -> None:
        self._columns = columns
        self._values = values
        self._hash = 0

    def __getitem__(self, key: str) -> str:
        value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    @overload
    def get(self, key: str, /) -> str | None: ...
    @overload
    def get(self, key: str, /, default: str | T) -> str | T: ...
    def get(self, key: str, /, default: object = None) -> object:
        """As every mapping has it, without an exception on the way: nine of ten keys are not there."""
        column = self._columns.get(key)
        if column is None:
            raise Undeclared(f"{key!r} was read from a pod but is in no policy's Reads")
        value = self._values[column]
        return default if value is None else value

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        return (key for key, column in self._columns.items() if self._values[column] is not None)

    def __len__(self) -> int:
        return sum(value is not None for value in self._values)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Picked) and other._columns is self._columns:
            return self._values == other._values
        return super().__eq__(other)

    def __hash__(self) -> int:
        """Rows are compared and shared by value. Computed once: the pods of a gang share what is alike."""
        if not self._hash:
            self._hash = hash(frozenset(self.items()))
        return self._hash

    def __repr__(self) -> str:
        return repr(dict(self))


class _Columns:
    """The declared keys, and what was picked by them lately: kept once for all pods that are alike."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._columns = {key: column for column, key in enumerate(sorted(keys))}
        self._pool: dict[tuple[str | None, ...], Picked] = {}

    def picked(self, values: object) -> Picked:
        row: list[str | None] = [None] * len(self._columns)
        if isinstance(values, (dict, Mapping)):
            for key, value in values.items():
                column = self._columns.get(key)
                if column is not None and isinstance(value, str):
                    row[column] = value
        found = tuple(row)
        known = self._pool.get(found)
        return self._kept(found) if known is None else known

    def _kept(self, found: tuple[str | None, ...]) -> Picked:
        picked = Picked(self._columns, found)
        if sum(map(len, picked.values())) > SHARED_LENGTH:
            return picked
        if len(self._pool) > POOL_LIMIT:
            self._pool.clear()
        return self._pool.setdefault(found, picked)


class _Pool(Generic[Value]):
    """Equal values, kept once. What is huge goes with its pod: a pool of it would be a way to fill memory."""

    def __init__(self, length: Callable[[Value], int]) -> None:
        self._length = length
        self._values: dict[Value, Value] = {}

    def shared(self, value: Value) -> Value:
        known = self._values.get(value)
        if known is not None:
            return known
        if self._length(value) > SHARED_LENGTH:
            return value
        if len(self._values) > POOL_LIMIT:
            self._values.clear()
        return self._values.setdefault(value, value)


class PodRows:
    """Builds rows that hold what `reads` declares."""

    def __init__(self, reads: Reads) -> None:
        self._labels = _Columns(reads.labels)
        self._annotations = _Columns(reads.annotations)
        self._resources = reads.resources
        self._scheduling = reads.scheduling
        self._texts: _Pool[str] = _Pool(len)
        self._owners: _Pool[tuple[OwnerRef, ...]] = _Pool(_length_of)

    def row(self, pod: Json) -> Pod:
        """The pod's row. Never raises: what cannot be understood reads as absent."""
        metadata, spec, status = mapping(pod, "metadata"), mapping(pod, "spec"), mapping(pod, "status")
        labels, annotations = metadata.get("labels"), metadata.get("annotations")
        return Pod(
            namespace=intern(_text(metadata, "namespace")),
            name=_text(metadata, "name"),
            uid=_text(metadata, "uid"),
            version=_text(metadata, "resourceVersion"),
            created=self._texts.shared(_text(metadata, "creationTimestamp")),
            node=intern(_text(spec, "nodeName")),
            owners=self._owners.shared(foremost_owners(pod)),
            labels=self._labels.picked(labels),
            annotations=self._annotations.picked(annotations),
            scheduler=intern(_text(spec, "schedulerName")),
            priority_class=intern(_text(spec, "priorityClassName")),
            phase=intern(_text(status, "phase")),
            deleting=bool(_text(metadata, "deletionTimestamp")),
            has_labels=isinstance(labels, (dict, Mapping)),
            has_annotations=isinstance(annotations, (dict, Mapping)),
            resources=self._texts.shared(resources_text(spec, status)) if self._resources else "",
            blocked=intern(_blocked(status)) if self._scheduling else "",
        )


def _text(obj: Json, key: str) -> str:
    value = obj.get(key)
    return value if isinstance(value, str) else ""


def is_huge(pod: Pod) -> bool:
    """Holds more text than is kept for other pods to share."""
    texts = (pod.resources, *pod.labels.values(), *pod.annotations.values())
    return sum(map(len, texts)) + _length_of(pod.owners) > SHARED_LENGTH


def _length_of(owners: tuple[OwnerRef, ...]) -> int:
    return sum(len(f"{owner.kind}{owner.name}{owner.uid}") for owner in owners)


def _blocked(status: Json) -> str:
    """The reason of `PodScheduled` while it is False."""
    conditions = items(status, "conditions")
    said = next((entry for entry in conditions if text(entry, "type") == "PodScheduled"), {})
    return text(said, "reason") if text(said, "status") == "False" else ""


def resources_text(spec: Json, status: Json) -> str:
    """What says how much a pod asks for, and nothing else of it, as canonical JSON.

    Text, because the pods of a gang are alike: they share one string, and what is computed from it is
    computed once (`of_shared_text`).
    """
    asked = {
        "containers": [_picked_fields(c, ("name", "resources")) for c in items(spec, "containers")],
        "initContainers": [
            _picked_fields(c, ("name", "restartPolicy", "resources")) for c in items(spec, "initContainers")
        ],
        "overhead": dig(spec, "overhead"),
        "resources": dig(spec, "resources"),
    }
    granted = {
        "containerStatuses": _granted(status, "containerStatuses"),
        "initContainerStatuses": _granted(status, "initContainerStatuses"),
        "conditions": [
            _picked_fields(c, ("type", "reason"))
            for c in items(status, "conditions")
            if c.get("type") == "PodResizePending"
        ],
    }
    parts = {"spec": _present(asked), "status": _present(granted)}
    try:
        words = _canonical(_present(parts))
    except RecursionError:
        return TOO_LARGE
    return words if len(words) <= LARGEST_RESOURCES else TOO_LARGE


def _canonical(parts: Json) -> str:
    """JSON with sorted keys. The slow way knows lone surrogates and numbers of any length."""
    try:
        return msgspec.json.encode(parts, order="sorted").decode()
    except (ValueError, OverflowError, TypeError):
        return json.dumps(parts, sort_keys=True, separators=(",", ":"))


def of_shared_text(compute: Callable[[str], T]) -> Callable[[str], T]:
    """`compute`, done once for texts that pods share. Of huge ones nothing is kept beyond their pods."""
    once = lru_cache(maxsize=8192)(compute)
    return lambda words: once(words) if len(words) <= SHARED_LENGTH else compute(words)


def _granted(status: Json, path: str) -> list[Json]:
    """Container statuses that tell of resources; the others are alike and say nothing."""
    picked = [_picked_fields(c, ("name", "resources", "allocatedResources")) for c in items(status, path)]
    return [entry for entry in picked if len(entry) > 1]


def _picked_fields(entry: Json, names: tuple[str, ...]) -> Json:
    return {name: entry[name] for name in names if entry.get(name)}


def _present(values: Json) -> Json:
    return {key: value for key, value in values.items() if value}
