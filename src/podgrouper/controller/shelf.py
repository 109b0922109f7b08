"""Rows of pods in the room that a hundred thousand of them have.

The pods of a gang are alike but for name, uid, version and node: what they share is kept once, the uid as
the 16 bytes that it spells. A row is put together when somebody asks for it.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from podgrouper.controller.identities import Identity, identity, spelled
from podgrouper.core.model import Pod
from podgrouper.core.pods import is_huge

POOL_LIMIT = 4_000
"""Alike pods come one after the other, in lists as in life: looking far back for them gains nothing."""
ALIKE = Pod._fields.index("owners")
SCHEDULER = Pod._fields.index("scheduler") - ALIKE

Alike: TypeAlias = tuple[object, ...]
Packed: TypeAlias = tuple[Identity, str, str, Mapping[str, str], Alike]
"""Identity, creation, node, labels, and the rest of the row."""


class Shelf:
    """Pods by namespace and name."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, Packed]] = {}
        self._pool: dict[Alike, Alike] = {}

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))

    def row(self, namespace: str, name: str) -> Pod | None:
        packed = self._rows.get(namespace, {}).get(name)
        return _unpacked(namespace, name, packed) if packed else None

    def within(self, namespace: str) -> Iterable[Pod]:
        """The pods of a namespace."""
        return (_unpacked(namespace, name, row) for name, row in self._rows.get(namespace, {}).items())

    def names(self, scheduler: str, namespace: str = "") -> dict[str, set[str]]:
        """Of the pods of a scheduler, by namespace. Unpacks none: all of them are asked for in one go."""
        return {
            space: {name for name, row in self._rows[space].items() if row[-1][SCHEDULER] == scheduler}
            for space in ((namespace,) if namespace else tuple(self._rows))
            if space in self._rows
        }

    def put(self, row: Pod) -> None:
        rest: Alike = row[ALIKE:]
        alike = self._pool.get(rest) or self._kept(rest, row)
        packed = (identity(row.uid, row.version), row.created, row.node, row.labels, alike)
        self._rows.setdefault(row.namespace, {})[row.name] = packed

    def drop(self, namespace: str, name: str) -> None:
        """Does nothing when there is no such pod."""
        rows = self._rows.get(namespace, {})
        rows.pop(name, None)
        if not rows:
            self._rows.pop(namespace, None)

    def _kept(self, alike: Alike, row: Pod) -> Alike:
        if is_huge(row):
            return alike
        if len(self._pool) > POOL_LIMIT:
            self._pool.clear()
        return self._pool.setdefault(alike, alike)


def _unpacked(namespace: str, name: str, packed: Packed) -> Pod:
    held, created, node, labels, alike = packed
    uid, version = spelled(held)
    return Pod._make((namespace, name, uid, version, created, node, labels, *alike))
