"""What becomes of an object that somebody writes: pure steps from what was sent to what is kept.

The order is the server's: identity, what the writer may not touch, shape, checks, and only then
whether anything changed at all.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from podgrouper.core.fields import integer, mapping, text
from podgrouper.core.model import Json
from podgrouper.memory.builtins import (
    NAMESPACE,
    built_in_change_problems,
    built_in_problems,
    completed,
    derived,
    schema_of,
)
from podgrouper.memory.definitions import CRD, definition_problems, established
from podgrouper.memory.managers import Writer, managed
from podgrouper.memory.printing import go_json
from podgrouper.memory.refusals import Cause, bad_request, conflict, invalid, invalid_value
from podgrouper.memory.resources import Resource
from podgrouper.memory.schemas import defaulted, problems, pruned
from podgrouper.memory.validation import change_problems, metadata_problems
from podgrouper.memory.values import same

_KNOWN_METADATA = frozenset(
    {
        "name",
        "generateName",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "ownerReferences",
        "finalizers",
        "managedFields",
        "selfLink",
    }
)
_SERVERS_METADATA = frozenset(
    {
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "managedFields",
        "selfLink",
    }
)
_MAY_BE_EMPTY = ("labels", "annotations", "ownerReferences", "finalizers", "namespace", "generateName")


def with_metadata(obj: Json, **fields: object) -> Json:
    """The object with these fields of its metadata; None takes one away."""
    kept = {key: value for key, value in {**mapping(obj, "metadata"), **fields}.items() if value is not None}
    return {**obj, "metadata": kept}


def newborn(obj: Json, resource: Resource, uid: str, writer: Writer) -> Json:
    """The object as it is first kept, without resourceVersion. Raises `Refused` (422) with all findings."""
    sent = {
        key: value
        for key, value in mapping(obj, "metadata").items()
        if key in _KNOWN_METADATA - _SERVERS_METADATA
    }
    identity = {"uid": uid, "creationTimestamp": writer.time} | (
        {"generation": 1} if resource.generation else {}
    )
    plain = {key: value for key, value in obj.items() if not (key == "status" and resource.status)}
    shape = shaped({**plain, "metadata": {**sent, **identity}}, resource)
    owned = {key: value for key, value in shape.items() if not (key == "status" and resource.status)}
    if resource.born_with_status:
        shape = _with_part(dict(shape), obj, "status")
    made = derived(shape, resource.kind)
    if resource.kind == CRD:
        made = established(made, writer.time)
    _refuse_findings(made, resource, (*metadata_problems(made, resource), *_findings(made, resource)))
    return with_metadata(made, managedFields=list(managed({}, owned, writer, resource)) or None)


def successor(current: Json, proposed: Json, resource: Resource, writer: Writer) -> Json:
    """What `current` becomes when `proposed` is written through a door; `current` itself if nothing changes.

    Raises `Refused`: 400 for another name, 409 for another resourceVersion, 422 with all findings. What is
    wrong with the metadata already is not found again: only a file can have brought it here.
    """
    _refuse_other_identity(current, proposed, resource)
    meant = text(proposed, "metadata.resourceVersion")
    if meant and meant != text(current, "metadata.resourceVersion"):
        raise conflict(resource, text(current, "metadata.name"))
    name = text(current, "metadata.name")
    uid_and_finalizers = tuple(change_problems(current, proposed))
    if uid_and_finalizers:
        raise invalid(resource, name, uid_and_finalizers)
    made = shaped(_through_door(current, proposed, resource, writer.subresource), resource)
    if same(with_metadata(made, managedFields=None), with_metadata(current, managedFields=None)):
        return current
    found = (*_new_metadata_problems(current, made, resource), *_findings(made, resource))
    _refuse_findings(made, resource, (*found, *_frozen(current, made, resource, writer)))
    if resource.generation and not same(_intent(made, resource), _intent(current, resource)):
        made = with_metadata(made, generation=integer(made, "metadata.generation", 0) + 1)
    return with_metadata(made, managedFields=list(managed(current, made, writer, resource)) or None)


def _new_metadata_problems(current: Json, made: Json, resource: Resource) -> Iterator[Cause]:
    found = tuple(metadata_problems(made, resource))
    old = frozenset(metadata_problems(current, resource)) if found else frozenset()
    return (cause for cause in found if cause not in old)


def _refuse_other_identity(current: Json, proposed: Json, resource: Resource) -> None:
    if proposed.get("apiVersion") != resource.kind.api_version:
        raise bad_request(
            f"the API version in the data ({text(proposed, 'apiVersion')}) does not match "
            f"the expected API version ({resource.kind.api_version})"
        )
    if proposed.get("kind") != resource.kind.kind:
        raise wrong_kind(proposed, resource)
    for field, words in (("name", "name"), ("namespace", "namespace")):
        there, sent = text(current, f"metadata.{field}"), text(proposed, f"metadata.{field}")
        if sent and sent != there:
            place = "URL" if field == "name" else "request"
            raise bad_request(
                f"the {words} of the object ({sent}) does not match the {words} on the {place} ({there})"
            )


def wrong_kind(obj: Json, resource: Resource) -> Exception:
    """Measured: the answer speaks of the kind that was sent."""
    sent = text(obj, "kind")
    stranger = replace(resource, kind=replace(resource.kind, kind=sent))
    cause = invalid_value("kind", go_json(sent), f"must be {resource.kind.kind}")
    return invalid(stranger, text(obj, "metadata.name"), (cause,))


def _through_door(current: Json, proposed: Json, resource: Resource, subresource: str) -> Json:
    """What of the proposal this door lets in; all else stays as it is."""
    metadata = mapping(proposed, "metadata")
    ours = {key: value for key, value in mapping(current, "metadata").items() if key in _SERVERS_METADATA}
    theirs = {key: value for key, value in metadata.items() if key in _KNOWN_METADATA - _SERVERS_METADATA}
    fixed = {
        key: mapping(current, "metadata")[key]
        for key in ("name", "namespace")
        if key in mapping(current, "metadata")
    }
    made: dict[str, object] = {**proposed, "metadata": {**theirs, **ours, **fixed}}
    match subresource:
        case "status":
            return _status_only(current, made, resource)
        case "finalize" | "binding":
            return made
    if resource.status:
        made = _with_part(made, current, "status")
    if resource.kind == NAMESPACE:
        made = _with_part(made, current, "spec")
    return made


def _status_only(current: Json, made: Json, resource: Resource) -> Json:
    """Of custom resources nothing but the status; built-in kinds also let metadata through."""
    body = _with_part(dict(current), made, "status")
    if resource.custom:
        return body
    owners = {"ownerReferences": mapping(current, "metadata").get("ownerReferences")}
    return with_metadata({**body, "metadata": made["metadata"]}, **owners)


def _with_part(obj: dict[str, object], source: Json, part: str) -> dict[str, object]:
    rest = {key: value for key, value in obj.items() if key != part}
    return rest | ({part: source[part]} if part in source else {})


def shaped(obj: Json, resource: Resource) -> Json:
    """Without unknown fields, with defaults, and with no empty collections in the metadata."""
    shape: object = obj
    if resource.schema is not None:
        shape = defaulted(pruned(obj, resource.schema), resource.schema)
    elif not resource.custom:
        shape = completed(_defaulted(obj, resource), resource.kind)
    assert isinstance(shape, Mapping)
    empty = {key: None for key in _MAY_BE_EMPTY if not mapping(shape, "metadata").get(key)}
    return with_metadata(shape, **empty)


def _defaulted(obj: Json, resource: Resource) -> Json:
    shape = defaulted(obj, schema_of(resource.kind))
    assert isinstance(shape, Mapping)
    return shape


def _findings(obj: Json, resource: Resource) -> Iterator[Cause]:
    if resource.kind == CRD:
        yield from definition_problems(obj)
    elif resource.schema is not None:
        yield from problems(obj, resource.schema)
    elif not resource.custom:
        yield from built_in_problems(obj, resource.kind)


def _frozen(current: Json, made: Json, resource: Resource, writer: Writer) -> Iterable[Cause]:
    if resource.custom or writer.subresource == "binding":
        return ()
    return built_in_change_problems(current, made, resource.kind)


def _refuse_findings(obj: Json, resource: Resource, found: tuple[Cause, ...]) -> None:
    if found:
        raise invalid(resource, text(obj, "metadata.name"), found)


def _intent(obj: Json, resource: Resource) -> Json:
    """The part whose changes are counted in `metadata.generation`."""
    left_out = {"apiVersion", "kind", "metadata"} | ({"status"} if resource.status else set())
    return {key: value for key, value in obj.items() if key not in left_out}


def may_go(obj: Json) -> bool:
    """Nothing holds an object that is being deleted any more: no finalizer, no grace period, no contents."""
    metadata = mapping(obj, "metadata")
    held = bool(metadata.get("finalizers") or integer(metadata, "deletionGracePeriodSeconds", 0) > 0)
    full = obj.get("kind") == NAMESPACE.kind and bool(mapping(obj, "spec").get("finalizers"))
    return bool(metadata.get("deletionTimestamp")) and not held and not full
