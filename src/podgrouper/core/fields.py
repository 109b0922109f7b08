"""Tolerant reads of raw JSON.

Objects come from a cluster where anybody may have written anything. A value of a wrong type reads as
absent here; where a rule wants to tell "absent" from "wrong", it uses `dig` and looks for itself.
"""

from collections.abc import Mapping
from itertools import islice
from types import MappingProxyType

from podgrouper.core.model import Json, Kind, OwnerRef, Ref

EMPTY: Mapping[str, str] = MappingProxyType({})
OWNERS_LIMIT = 32
"""References of one object that are looked at. Real objects have one or two."""


def dig(obj: object, path: str, default: object = None) -> object:
    """The value at a dotted path, or `default` where the way there ends. Keys with dots need `dig` twice.

    Asks for `dict` first: whether something is a `Mapping` costs ten times as much, and nearly all are dicts.
    """
    for key in path.split("."):
        if not isinstance(obj, (dict, Mapping)) or key not in obj:
            return default
        obj = obj[key]
    return obj


def mapping(obj: object, path: str) -> Json:
    """The object at a path; empty when there is none."""
    value = dig(obj, path)
    return value if isinstance(value, (dict, Mapping)) else EMPTY


def items(obj: object, path: str) -> tuple[Json, ...]:
    """The objects of the list at a path, in order; anything in it that is no object is left out."""
    value = dig(obj, path)
    return (
        tuple(item for item in value if isinstance(item, (dict, Mapping)))
        if isinstance(value, list | tuple)
        else ()
    )


def text(obj: object, path: str, default: str = "") -> str:
    value = dig(obj, path)
    return value if isinstance(value, str) else default


def integer(obj: object, path: str, default: int) -> int:
    """A JSON integer; a bool is none, although Python says so."""
    value = dig(obj, path)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def strings(obj: object, path: str) -> Mapping[str, str]:
    """A map of strings at a path, without the entries that are none."""
    value = dig(obj, path)
    if not isinstance(value, (dict, Mapping)):
        return EMPTY
    if all(isinstance(key, str) and isinstance(item, str) for key, item in value.items()):
        return value
    return {key: item for key, item in value.items() if isinstance(key, str) and isinstance(item, str)}


def labels(obj: object) -> Mapping[str, str]:
    return strings(obj, "metadata.labels")


def annotations(obj: object) -> Mapping[str, str]:
    return strings(obj, "metadata.annotations")


def uid(obj: object) -> str:
    return text(obj, "metadata.uid")


def kind_of(obj: object) -> Kind:
    return Kind(text(obj, "apiVersion"), text(obj, "kind"))


def ref_of(obj: object) -> Ref:
    return Ref(kind_of(obj), text(obj, "metadata.namespace"), text(obj, "metadata.name"), uid(obj))


def being_deleted(obj: object) -> bool:
    return bool(text(obj, "metadata.deletionTimestamp"))


def owner_refs(obj: object) -> tuple[OwnerRef, ...]:
    """Every entry of the list as it stands there; `OwnerRef.complete` tells which of them name an object."""
    return tuple(map(_owner_ref, items(obj, "metadata.ownerReferences")))


def foremost_owners(obj: object) -> tuple[OwnerRef, ...]:
    """The first references, as `owner_refs` has them; the managing one is among them wherever it stands.

    Each may cost a request, and nothing keeps an object from naming ten thousand.
    """
    entries = items(obj, "metadata.ownerReferences")
    managing = (entry for entry in entries[OWNERS_LIMIT:] if entry.get("controller") is True)
    return tuple(map(_owner_ref, (*entries[:OWNERS_LIMIT], *islice(managing, 1))))


def controller_ref(owners: tuple[OwnerRef, ...]) -> OwnerRef | None:
    """The owner that manages the object: at most one has `controller: true`, the API server sees to that."""
    return next((owner for owner in owners if owner.controller), None)


def owner_ref_json(owner: OwnerRef) -> Json:
    """An owner reference as it is written; flags that were not there stay away."""
    entry: dict[str, object] = {
        "apiVersion": owner.kind.api_version,
        "kind": owner.kind.kind,
        "name": owner.name,
        "uid": owner.uid,
    }
    if owner.controller is not None:
        entry["controller"] = owner.controller
    if owner.block_owner_deletion is not None:
        entry["blockOwnerDeletion"] = owner.block_owner_deletion
    return entry


def _owner_ref(entry: Json) -> OwnerRef:
    return OwnerRef(
        Kind(text(entry, "apiVersion"), text(entry, "kind")),
        text(entry, "name"),
        text(entry, "uid"),
        _flag(entry, "controller"),
        _flag(entry, "blockOwnerDeletion"),
    )


def _flag(entry: Json, name: str) -> bool | None:
    value = entry.get(name)
    return value if isinstance(value, bool) else None
