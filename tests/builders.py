"""Objects as an API server would show them. What no server would store is refused here.

rs = owner("apps/v1 ReplicaSet", "web", controls(deployment))
pod("web-1", controls(rs))
"""

from collections.abc import Mapping
from dataclasses import dataclass

Object = dict[str, object]

NAMESPACE = "ns"
SCHEDULER = "volcano"
NOTHING: Mapping[str, object] = {}


class Impossible(ValueError):
    """No API server would store this."""


@dataclass(frozen=True)
class Reference:
    """A way up: the owner, and whether it is the managing one."""

    owner: Object
    controller: bool | None = None


def controls(owner_object: Object) -> Reference:
    return Reference(owner_object, controller=True)


def owns(owner_object: Object) -> Reference:
    """A plain owner."""
    return Reference(owner_object)


def owner(kind: str, name: str, *up: Reference, **more: object) -> Object:
    """An object of a kind such as `apps/v1 ReplicaSet`. Other keywords are its parts, or its metadata."""
    api_version, _, word = kind.rpartition(" ")
    if not (name and word and api_version):
        raise Impossible(f"{kind!r} {name!r} lacks a name, a kind or a version")
    namespace = more.pop("namespace", NAMESPACE)
    parts = {part: more.pop(part) for part in ("spec", "status", "data") if part in more}
    metadata = {"namespace": namespace, "name": name, **_identity(name), **more}
    metadata |= {"ownerReferences": _references(namespace, up)} if up else {}
    return {
        "apiVersion": api_version,
        "kind": word,
        "metadata": {key: value for key, value in metadata.items() if value != ""},
        **parts,
    }


def pod(
    name: str, *up: Reference, scheduler: str = SCHEDULER, phase: str = "Pending", **more: object
) -> Object:
    """With one container that asks for nothing, unless `spec` says otherwise."""
    asked = _mapping(more.pop("spec", NOTHING))
    spec = {"schedulerName": scheduler, "containers": [{"name": "main", "image": "main"}], **asked}
    return owner("v1 Pod", name, *up, spec=spec, status={"phase": phase}, **more)


def chain(length: int, kind: str = "example.com/v1 Step") -> list[Object]:
    """So many owners, each one controlled by the one before it; the first is the top."""
    objects: list[Object] = []
    for number in range(length):
        objects.append(owner(kind, f"step-{number}", *map(controls, objects[-1:])))
    return objects


def at_version(obj: Object, version: int, **metadata: object) -> Object:
    """The same object later on."""
    return obj | {"metadata": {**_mapping(obj["metadata"]), "resourceVersion": str(version), **metadata}}


def _identity(name: str) -> Object:
    return {"uid": f"uid-{name}", "creationTimestamp": "2026-01-01T00:00:00Z", "resourceVersion": "1"}


def _references(namespace: object, up: tuple[Reference, ...]) -> list[Object]:
    if sum(reference.controller is True for reference in up) > 1:
        raise Impossible("an object has at most one controller")
    return [_reference(namespace, reference) for reference in up]


def _reference(namespace: object, reference: Reference) -> Object:
    obj, metadata = reference.owner, _mapping(reference.owner["metadata"])
    if metadata.get("namespace", namespace) != namespace:
        raise Impossible(f"{obj['kind']} {metadata['name']} is in another namespace: it owns nothing here")
    flags = {} if reference.controller is None else {"controller": reference.controller}
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        **flags,
    }


def _mapping(value: object) -> Mapping[str, object]:
    assert isinstance(value, Mapping)
    return value
