"""What a plugin gives, as bytes and back: whatever is not of the promised type is found on the way.

Plugins answer from another process, and nothing that they made is brought to life here: bytes become values
of our own types, or an error that says where they differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from podgrouper.core.groups import Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import (
    GroupsWanted,
    GroupWanted,
    Kind,
    LinkedWanted,
    ObjectWanted,
    PodsWanted,
    Want,
)

T = TypeVar("T")


class Mistyped(ValueError):
    """Something has a type that it must not have. The message says where."""


@dataclass(frozen=True, slots=True)
class Wants:
    """Wants by their type, since bytes do not say it."""

    objects: tuple[ObjectWanted, ...] = ()
    pods: tuple[PodsWanted, ...] = ()
    group_names: tuple[GroupWanted, ...] = ()
    group_prefixes: tuple[GroupsWanted, ...] = ()
    linked: tuple[LinkedWanted, ...] = ()

    @property
    def all(self) -> tuple[Want, ...]:
        return (*self.objects, *self.pods, *self.group_names, *self.group_prefixes, *self.linked)


@dataclass(frozen=True, slots=True)
class Needs:
    """A `Reads`, with lists for what bytes have no maps and sets for."""

    reads: Reads
    paths: tuple[tuple[Kind, tuple[str, ...]], ...]

    @property
    def all(self) -> Reads:
        return self.reads | Reads(paths={kind: frozenset(paths) for kind, paths in self.paths})


def wants_of(found: Sequence[Want]) -> Wants:
    """Raises `Mistyped` for what is no want."""
    for want in found:
        if not isinstance(want, Want):
            raise Mistyped(f"{type(want).__name__} is nothing that one can want")
    return Wants(
        tuple(want for want in found if isinstance(want, ObjectWanted)),
        tuple(want for want in found if isinstance(want, PodsWanted)),
        tuple(want for want in found if isinstance(want, GroupWanted)),
        tuple(want for want in found if isinstance(want, GroupsWanted)),
        tuple(want for want in found if isinstance(want, LinkedWanted)),
    )


def grouping_of(found: object) -> Grouping:
    """Raises `Mistyped` for anything else."""
    if not isinstance(found, Grouping):
        raise Mistyped(f"{type(found).__name__} is no Grouping")
    return found


def needs_of(reads: Reads) -> Needs:
    bare = Reads(
        reads.labels,
        reads.annotations,
        reads.resources,
        kinds=reads.kinds,
        self_standing=reads.self_standing,
        blocked=reads.blocked,
        priority_classes=reads.priority_classes,
        scheduling=reads.scheduling,
    )
    return Needs(bare, tuple((kind, tuple(paths)) for kind, paths in reads.paths.items()))


def packed(value: object) -> bytes:
    """Raises `Mistyped` for what no answer may hold, an endless number for one."""
    try:
        return msgspec.msgpack.encode(value, enc_hook=_plain)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Mistyped(str(error)) from error


def unpacked(data: bytes | msgspec.Raw, kind: type[T]) -> T:
    """Raises `Mistyped` where the bytes are nothing of that type."""
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Mistyped(str(error)) from error


def _plain(value: object) -> object:
    """The labels of a pod's row are a mapping of their own kind."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not a value of a grouping")
