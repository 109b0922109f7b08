"""What the server checks on every object, whatever its kind: metadata."""

import re
from collections.abc import Iterator, Mapping

from podgrouper.core.fields import items, labels, mapping, strings, text
from podgrouper.core.model import Json
from podgrouper.memory.printing import go_json
from podgrouper.memory.refusals import Cause, Refused, bad_request, forbidden_field, invalid_value, required
from podgrouper.memory.resources import Resource

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(rf"{_LABEL.pattern}(\.{_LABEL.pattern})*")
_NAME_PART = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_NAMED_BY_LABEL = frozenset({"Namespace", "Service"})
_NAMED_FREELY = frozenset({"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"})
_STANDARD_FINALIZERS = frozenset({"kubernetes", "orphan", "foregroundDeletion"})
_ANNOTATION_BYTES = 256 * 1024

_SUBDOMAIN_WORDS = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LABEL_WORDS = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
    "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
    "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_NAME_PART_WORDS = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_VALUE_WORDS = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
    "must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
    "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def readable(obj: Json, resource: Resource) -> None:
    """Raises `Refused` (400) for metadata of the wrong types, which the server cannot even decode."""
    found = unreadable(obj)
    if found:
        kind, version = resource.kind.kind, resource.kind.version
        raise bad_request(f'{kind} in version "{version}" cannot be handled as a {kind}: {found}')


def unreadable(obj: Json) -> str:
    """What of the metadata has a wrong type, in the words of Go's decoder; empty when all is well."""
    metadata = obj.get("metadata", {})
    if not isinstance(metadata, Mapping):
        found = f"cannot unmarshal {_go_type(metadata)}"
        return f"json: {found} into Go struct field .metadata of type v1.ObjectMeta"
    return next(_misfits(metadata), "")


def _misfits(metadata: Json) -> Iterator[str]:
    yield from _wrong_types(metadata, _METADATA_TYPES, "")
    for name in ("labels", "annotations"):
        for value in mapping(metadata, name).values():
            if value is not None and not isinstance(value, str):
                yield _cannot(value, name, "string")
    for entry in _list(metadata.get("ownerReferences")):
        if isinstance(entry, Mapping):
            yield from _wrong_types(entry, _OWNER_TYPES, "ownerReferences.")
        else:
            yield _cannot(entry, "ownerReferences", "v1.OwnerReference")
    for entry in _list(metadata.get("finalizers")):
        if not isinstance(entry, str):
            yield _cannot(entry, "finalizers", "string")


def _wrong_types(obj: Json, types: Mapping[str, tuple[tuple[type, ...], str]], at: str) -> Iterator[str]:
    for name, (accepted, wanted) in types.items():
        value = obj.get(name)
        if value is not None and not isinstance(value, accepted):
            yield _cannot(value, f"{at}{name}", wanted)


_TEXT = ((str,), "string")
_METADATA_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
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
_OWNER_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "apiVersion": _TEXT,
    "kind": _TEXT,
    "name": _TEXT,
    "uid": _TEXT,
    "controller": ((bool,), "bool"),
    "blockOwnerDeletion": ((bool,), "bool"),
}


def metadata_problems(obj: Json, resource: Resource) -> Iterator[Cause]:
    """Findings in name, labels, annotations, owners and finalizers, in the server's order."""
    yield from _name_problems(text(obj, "metadata.name"), resource)
    for key, value in labels(obj).items():
        yield from _key_problems(key, "metadata.labels")
        if len(value) > 63:
            yield Cause("FieldValueTooLong", "Too long: may not be more than 63 bytes", "metadata.labels")
        elif not _VALUE.fullmatch(value):
            yield invalid_value("metadata.labels", go_json(value), _VALUE_WORDS)
    annotations = strings(obj, "metadata.annotations")
    for key in annotations:
        yield from _key_problems(key.lower(), "metadata.annotations")
    if sum(_bytes(key) + _bytes(value) for key, value in annotations.items()) > _ANNOTATION_BYTES:
        words = f"Too long: may not be more than {_ANNOTATION_BYTES} bytes"
        yield Cause("FieldValueTooLong", words, "metadata.annotations")
    yield from _owner_problems(obj)
    for number, finalizer in enumerate(_list(mapping(obj, "metadata").get("finalizers"))):
        field = f"metadata.finalizers[{number}]"
        name = str(finalizer)
        if "/" in name:
            yield from _key_problems(name, field)
        elif name not in _STANDARD_FINALIZERS:
            words = "name is neither a standard finalizer name nor is it fully qualified"
            yield invalid_value(field, go_json(name), words)


def _bytes(value: str) -> int:
    return len(value.encode("utf-8", "replace"))


def _name_problems(name: str, resource: Resource) -> Iterator[Cause]:
    if not name:
        yield required("metadata.name", "name or generateName is required")
    elif resource.kind.kind in _NAMED_BY_LABEL and not resource.custom:
        if not _LABEL.fullmatch(name) or len(name) > 63:
            yield invalid_value("metadata.name", go_json(name), _LABEL_WORDS)
    elif resource.kind.kind in _NAMED_FREELY and not resource.custom:
        if name in (".", "..") or "/" in name or "%" in name:
            yield invalid_value("metadata.name", go_json(name), "may not be '.', '..' or contain '/' or '%'")
    elif not _SUBDOMAIN.fullmatch(name):
        yield invalid_value("metadata.name", go_json(name), _SUBDOMAIN_WORDS)
    elif len(name) > 253:
        yield invalid_value("metadata.name", go_json(name), "must be no more than 253 characters")


def _key_problems(key: str, field: str) -> Iterator[Cause]:
    prefix, slash, name = key.rpartition("/")
    if slash and (not _SUBDOMAIN.fullmatch(prefix) or len(prefix) > 253):
        yield invalid_value(field, go_json(key), f"prefix part {_SUBDOMAIN_WORDS}")
    if len(name) > 63:
        yield invalid_value(field, go_json(key), "name part must be no more than 63 bytes")
    elif not _NAME_PART.fullmatch(name):
        yield invalid_value(field, go_json(key), _NAME_PART_WORDS)


def _owner_problems(obj: Json) -> Iterator[Cause]:
    owners = items(obj, "metadata.ownerReferences")
    for owner in owners:
        for key in ("apiVersion", "kind", "name", "uid"):
            if not text(owner, key):
                words = "version must not be empty" if key == "apiVersion" else "must not be empty"
                yield invalid_value(f"metadata.ownerReferences.{key}", '""', words)
    managing = [owner for owner in owners if owner.get("controller") is True]
    if len(managing) > 1:
        first, second = (f"{text(owner, 'kind')}/{text(owner, 'name')}" for owner in managing[:2])
        words = (
            "Only one reference can have Controller set to true. "
            f'Found "true" in references for {first} and {second}'
        )
        yield invalid_value("metadata.ownerReferences", go_json(list(owners)), words)


def change_problems(before: Json, after: Json) -> Iterator[Cause]:
    """What no update may do to metadata. The server tells each of it twice; programs look at the field."""
    for name in ("uid", "deletionTimestamp"):
        old, new = text(before, f"metadata.{name}"), text(after, f"metadata.{name}")
        if new and new != old:
            yield invalid_value(f"metadata.{name}", go_json(new), "field is immutable")
    if text(before, "metadata.deletionTimestamp"):
        olds = _list(mapping(before, "metadata").get("finalizers"))
        added = [entry for entry in _list(mapping(after, "metadata").get("finalizers")) if entry not in olds]
        if added:
            shown = ", ".join(go_json(entry) for entry in added)
            words = (
                "no new finalizers can be added if the object is being deleted, "
                f"found new finalizers []string{{{shown}}}"
            )
            yield forbidden_field("metadata.finalizers", words)


def unreadable_patch(result: Json) -> Refused | None:
    """The answer to a patch whose result the server cannot decode. It names no kind and no object."""
    found = unreadable(result)
    if not found:
        return None
    cause = invalid_value("patch", go_json(go_json(result)), found)
    details: Json = {"causes": [cause.json]}
    return Refused(422, "Invalid", f' "" is invalid: patch: {cause.message}', details)


def _cannot(value: object, field: str, wanted: str) -> str:
    return (
        f"json: cannot unmarshal {_go_type(value)} into Go struct field ObjectMeta.{field} of type {wanted}"
    )


def _go_type(value: object) -> str:
    match value:
        case bool():
            return "bool"
        case str():
            return "string"
        case int() | float():
            return "number"
    return "object" if isinstance(value, Mapping) else "array"


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []
