"""What the server checks on every object, whatever its kind: metadata."""

import re
from collections.abc import Iterator

from podgrouper.core.fields import items, labels, mapping, owner_ref_json, owner_refs, strings, text
from podgrouper.core.model import Json
from podgrouper.memory.printing import go_json, go_struct
from podgrouper.memory.refusals import Cause, forbidden_field, invalid_value, required
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


def metadata_problems(obj: Json, resource: Resource) -> Iterator[Cause]:
    """Findings in name, labels, annotations, owners and finalizers, in the server's order."""
    prefix = text(obj, "metadata.generateName")
    if prefix:
        whole = f"{prefix[:-1]}a" if prefix.endswith("-") else prefix
        yield from _name_problems("metadata.generateName", prefix, whole, resource)
    name = text(obj, "metadata.name")
    if name:
        yield from _name_problems("metadata.name", name, name, resource)
    else:
        yield required("metadata.name", "name or generateName is required")
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
    yield from _finalizer_problems(_list(mapping(obj, "metadata").get("finalizers")), resource)


def _finalizer_problems(finalizers: list[object], resource: Resource) -> Iterator[Cause]:
    """Built-in kinds are checked twice: as any object, and for names that nobody owns."""
    for finalizer in finalizers:
        yield from _key_problems(str(finalizer), "metadata.finalizers")
    if {"orphan", "foregroundDeletion"} <= set(finalizers):
        words = "finalizer orphan and foregroundDeletion cannot be both set"
        yield invalid_value("metadata.finalizers", go_json(finalizers), words)
    for number, finalizer in enumerate(finalizers):
        if "/" not in str(finalizer) and finalizer not in _STANDARD_FINALIZERS and not resource.custom:
            words = "name is neither a standard finalizer name nor is it fully qualified"
            yield invalid_value(f"metadata.finalizers[{number}]", go_json(finalizer), words)


def _bytes(value: str) -> int:
    return len(value.encode("utf-8", "replace"))


def _name_problems(field: str, shown: str, name: str, resource: Resource) -> Iterator[Cause]:
    kind = "" if resource.custom else resource.kind.kind
    if kind in _NAMED_FREELY:
        if name in (".", "..") or "/" in name or "%" in name:
            yield invalid_value(field, go_json(shown), "may not be '.', '..' or contain '/' or '%'")
    elif kind in _NAMED_BY_LABEL:
        if "." in name:
            yield invalid_value(field, go_json(shown), "must not contain dots")
        elif not _LABEL.fullmatch(name) or len(name) > 63:
            yield invalid_value(field, go_json(shown), _LABEL_WORDS)
    elif not _SUBDOMAIN.fullmatch(name):
        yield invalid_value(field, go_json(shown), _SUBDOMAIN_WORDS)
    elif len(name) > 253:
        yield invalid_value(field, go_json(shown), "must be no more than 253 characters")


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
        shown = go_struct([owner_ref_json(owner) for owner in owner_refs(obj)])
        yield invalid_value("metadata.ownerReferences", shown, words)


def change_problems(before: Json, after: Json) -> Iterator[Cause]:
    """What no update may do to metadata."""
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


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []
