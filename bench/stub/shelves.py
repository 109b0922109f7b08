"""The objects of a population, made when somebody asks: as JSON, a whole workload at a time.

Only the samples are in memory, cut where the number of a workload stands.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import msgspec

from bench.stub.sample import Crowd, sample
from bench.stub.workloads import NUMBER
from podgrouper.config.model import Config
from podgrouper.core.fields import kind_of, mapping, text
from podgrouper.core.model import Json, Kind
from podgrouper.sandbox.forms import Form, object_form

NAMESPACES = tuple(f"team-{number}" for number in range(10))
VERSION = "200000000000"
"""Of every list: younger than all objects, whose versions have as many digits and begin with 1."""


@dataclass(frozen=True, slots=True)
class Cut:
    """JSON, cut where the number stands."""

    parts: tuple[bytes, ...]

    def of(self, number: int) -> bytes:
        return _digits(number).encode().join(self.parts)


def cut(words: bytes) -> Cut:
    return Cut(tuple(words.split(NUMBER.encode())))


def _digits(number: int) -> str:
    """As many as the place has."""
    return f"{number:0{len(NUMBER)}}"


@dataclass(frozen=True, slots=True)
class Batch:
    """The objects of one kind in those workloads of a crowd that live in one namespace."""

    namespace: str
    scheduler: str
    objects: tuple[Json, ...]
    """Of one workload."""
    numbers: range
    """Of all of them: every tenth, for there are ten namespaces."""


class Shelf:
    """All objects of one kind."""

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._batches = tuple(batches)

    def lines(self, form: Form, wanted: "Wanted") -> Iterator[bytes]:
        """Watch lines that tell of every object, many at a time."""
        for batch in self._chosen(wanted):
            whole = cut(b"".join(b'{"type":"ADDED","object":%s}\n' % one for one in _encoded(batch, form)))
            for number in batch.numbers:
                yield whole.of(number)

    def items(self, form: Form, wanted: "Wanted", start: int, limit: int) -> tuple[bytes, int]:
        """Objects from the workload `start` on as items of a list: as many workloads as `limit` has room for.

        And the workload to go on from; 0 when there is none. A limit of 0 has room for all.
        """
        found: list[bytes] = []
        room = limit
        passed = 0
        for batch in self._chosen(wanted):
            size = len(batch.objects)
            first = max(0, start - passed)
            fits = max(room // size, 0 if found else 1)
            last = min(len(batch.numbers), first + fits) if limit else len(batch.numbers)
            whole = cut(b",".join(_encoded(batch, form)))
            found += [whole.of(number) for number in batch.numbers[first:last]]
            if last < len(batch.numbers):
                return b",".join(found), passed + last
            room -= size * max(0, last - first)
            passed += len(batch.numbers)
        return b",".join(found), 0

    def one(self, namespace: str, name: str, form: Form) -> bytes | None:
        """The object of that name, if there is one."""
        found = (
            cut(msgspec.json.encode(object_form(obj, form))).of(number)
            for batch in self._batches
            if batch.namespace == namespace
            for number in _numbers_in(name, batch)
            for obj in batch.objects
            if text(obj, "metadata.name").replace(NUMBER, _digits(number)) == name
        )
        return next(found, None)

    def _chosen(self, wanted: "Wanted") -> Iterator[Batch]:
        for batch in self._batches:
            if wanted.namespace in ("", batch.namespace) and wanted.scheduler in ("", batch.scheduler):
                yield batch


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request selects. Empty is everything."""

    namespace: str = ""
    scheduler: str = ""


def shelves_of(crowds: Sequence[Crowd], config: Config) -> Mapping[Kind, Shelf]:
    """Shelves for every kind that the crowds have objects of."""
    batches: list[tuple[Kind, Batch]] = []
    for crowd in crowds:
        for place, namespace in enumerate(NAMESPACES):
            objects = _numbered(sample(crowd.form, namespace, crowd.scheduler, config))
            numbers = range(place, crowd.workloads, len(NAMESPACES))
            for kind, alike in groupby(objects, kind_of):
                batches.append((kind, Batch(namespace, crowd.scheduler, tuple(alike), numbers)))
    kinds = dict.fromkeys(kind for kind, _ in batches)
    return {kind: Shelf(batch for of, batch in batches if of == kind) for kind in kinds}


def _numbered(objects: Sequence[Json]) -> list[Json]:
    """By kind, and each with a version of its own below that of every list."""
    versioned = (
        {**obj, "metadata": {**mapping(obj, "metadata"), "resourceVersion": f"1{NUMBER}{place:03}"}}
        for place, obj in enumerate(objects)
    )
    return sorted(versioned, key=lambda obj: str(kind_of(obj)))


def _encoded(batch: Batch, form: Form) -> list[bytes]:
    return [msgspec.json.encode(object_form(obj, form)) for obj in batch.objects]


def _numbers_in(name: str, batch: Batch) -> Iterator[int]:
    """The numbers that a name holds, of those that there are."""
    for word in name.split("-"):
        if len(word) == len(NUMBER) and word.isdigit() and int(word) in batch.numbers:
            yield int(word)
