"""What the server cannot even decode: another kind, or metadata of other types than Go's structs.

Only metadata is looked at. What built-in kinds carry besides has no full description here, and custom
kinds have schemas.
"""

from collections.abc import Iterator, Mapping

from podgrouper.core.fields import kind_of, mapping, text
from podgrouper.core.model import Json
from podgrouper.memory.printing import go_json
from podgrouper.memory.refusals import Refused, bad_request, invalid_value
from podgrouper.memory.resources import Resource

Accepted = tuple[tuple[type, ...], str]
"""The Python types of a field that fits, and the name of its Go type."""

_TEXT: Accepted = ((str,), "string")
_METADATA: Mapping[str, Accepted] = {
    "name": _TEXT,
    "namespace": _TEXT,
    "generateName": _TEXT,
    "uid": _TEXT,
    "resourceVersion": _TEXT,
    "creationTimestamp": _TEXT,
    "deletionTimestamp": _TEXT,
    "labels": ((Mapping,), "map[string]string"),
    "annotations": ((Mapping,), "map[string]string"),
    "ownerReferences": ((list, tuple), "[]v1.OwnerReference"),
    "finalizers": ((list, tuple), "[]string"),
}
_OWNER: Mapping[str, Accepted] = {
    "apiVersion": _TEXT,
    "kind": _TEXT,
    "name": _TEXT,
    "uid": _TEXT,
    "controller": ((bool,), "bool"),
    "blockOwnerDeletion": ((bool,), "bool"),
}
MAPS_OF_TEXT = ("labels", "annotations")


def readable(obj: Json, resource: Resource) -> None:
    """Raises `Refused` (400) for an object that is of another kind, or whose metadata has wrong types."""
    found = _unreadable(obj, resource)
    if found:
        sent = kind_of(obj)
        what = f'{sent.kind} in version "{sent.version}"'
        raise bad_request(f"{what} cannot be handled as a {resource.kind.kind}: {found}")


def readable_patch(result: Json, resource: Resource) -> None:
    """Raises `Refused` (422) for the result of a patch. The answer names no kind and no object."""
    found = _unreadable(result, resource)
    if found:
        cause = invalid_value("patch", go_json(go_json(result)), found)
        raise Refused(422, "Invalid", f' "" is invalid: patch: {cause.message}', {"causes": [cause.json]})


def _unreadable(obj: Json, resource: Resource) -> str:
    """The first misfit in the words of Go's decoder, empty when all is well.

    It names the innermost struct and the way there. Of custom kinds only the metadata is decoded, by
    itself, so its way begins one step later.
    """
    if kind_of(obj) != resource.kind and not resource.custom:
        return f'no kind "{text(obj, "kind")}" is registered for version "{text(obj, "apiVersion")}"'
    metadata = obj.get("metadata")
    if metadata is None or isinstance(metadata, Mapping):
        return next(_misfits(metadata or {}, "" if resource.custom else "metadata."), "")
    if resource.custom:
        return f"json: cannot unmarshal {_go_type(metadata)} into Go value of type v1.ObjectMeta"
    return _cannot(metadata, f"{resource.kind.kind}.metadata", "v1.ObjectMeta")


def _misfits(metadata: Json, way: str) -> Iterator[str]:
    at = f"ObjectMeta.{way}"
    yield from _wrong_types(metadata, _METADATA, at)
    for name in MAPS_OF_TEXT:
        for value in mapping(metadata, name).values():
            if value is not None and not isinstance(value, str):
                yield _cannot(value, f"{at}{name}", "string")
    for entry in _entries(metadata, "ownerReferences"):
        if isinstance(entry, Mapping):
            yield from _wrong_types(entry, _OWNER, f"OwnerReference.{way}ownerReferences.")
        else:
            yield _cannot(entry, f"{at}ownerReferences", "v1.OwnerReference")
    for entry in _entries(metadata, "finalizers"):
        if not isinstance(entry, str):
            yield _cannot(entry, f"{at}finalizers", "string")


def _entries(metadata: Json, name: str) -> Iterator[object]:
    value = metadata.get(name)
    return iter(value) if isinstance(value, list | tuple) else iter(())


def _wrong_types(obj: Json, fields: Mapping[str, Accepted], at: str) -> Iterator[str]:
    for name, value in obj.items():
        accepted, wanted = fields.get(name, ((object,), ""))
        if value is not None and not isinstance(value, accepted):
            yield _cannot(value, f"{at}{name}", wanted)


def _cannot(value: object, field: str, wanted: str) -> str:
    return f"json: cannot unmarshal {_go_type(value)} into Go struct field {field} of type {wanted}"


def _go_type(value: object) -> str:
    match value:
        case bool():
            return "bool"
        case str():
            return "string"
        case int() | float():
            return "number"
    return "object" if isinstance(value, Mapping) else "array"
