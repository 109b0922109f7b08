"""What becomes of an object that somebody writes: pure steps from what was sent to what is kept.

The order is the server's: identity, what the writer may not touch, shape, checks, and only then
whether anything changed at all.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from podgrouper.core.fields import integer, mapping, text
from podgrouper.core.model import Json, Kind
from podgrouper.memory.builtins import (
    NAMESPACE,
    completed,
    derived,
    schema_of,
)
from podgrouper.memory.checks import built_in_change_problems, built_in_problems
from podgrouper.memory.definitions import CRD, definition_problems, established
from podgrouper.memory.managers import Writer, managed
from podgrouper.memory.printing import go_json
from podgrouper.memory.pruning import defaulted, pruned
from podgrouper.memory.refusals import Cause, bad_request, conflict, invalid, invalid_value, other_namespace
from podgrouper.memory.resources import Generation, Resource
from podgrouper.memory.schemas import problems
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
    identity: dict[str, object] = {"uid": uid, "creationTimestamp": writer.time}
    if resource.generation is not Generation.NONE:
        identity["generation"] = 1
    hidden = resource.status and not resource.born_with_status
    plain = {key: value for key, value in obj.items() if not (key == "status" and hidden)}
    shape = shaped({**plain, "metadata": {**sent, **identity}}, resource)
    owned = {key: value for key, value in shape.items() if not (key == "status" and resource.status)}
    made = derived(shape, resource.kind)
    if resource.kind == CRD:
        made = established(made, writer.time)
    _refuse_findings(made, resource, (*metadata_problems(made, resource), *_findings(made, resource)))
    return with_metadata(made, managedFields=list(managed({}, owned, writer, resource)) or None)


def successor(current: Json, proposed: Json, resource: Resource, writer: Writer) -> Json:
    """What `current` becomes when `proposed` is written through a door; `current` itself if nothing changes.

    Raises `Refused`: 400 for another name, 409 for another resourceVersion, 422 with all findings. What
    no update may do is told twice: by the check of all kinds, and by that of this kind, which begins with
    it. What is wrong with the metadata already is not found again: only a file can have brought it here.
    """
    _refuse_other_identity(current, proposed, resource)
    meant = text(proposed, "metadata.resourceVersion")
    if meant and meant != text(current, "metadata.resourceVersion"):
        raise conflict(resource, text(current, "metadata.name"))
    changed = tuple(change_problems(current, proposed))
    made = shaped(_through_door(current, proposed, resource, writer.subresource), resource)
    if not changed and same(
        with_metadata(made, managedFields=None), with_metadata(current, managedFields=None)
    ):
        return current
    found = (
        *_new_metadata_problems(current, made, resource),
        *_findings(made, resource),
        *_frozen(current, made, resource),
    )
    _refuse_findings(made, resource, (*changed, *changed, *found))
    if not same(_intent(made, resource), _intent(current, resource)):
        made = with_metadata(made, generation=integer(made, "metadata.generation", 0) + 1)
    return with_metadata(made, managedFields=list(managed(current, made, writer, resource)) or None)


def _new_metadata_problems(current: Json, made: Json, resource: Resource) -> Iterator[Cause]:
    found = tuple(metadata_problems(made, resource))
    old = frozenset(metadata_problems(current, resource)) if found else frozenset()
    return (cause for cause in found if cause not in old)


def _refuse_other_identity(current: Json, proposed: Json, resource: Resource) -> None:
    name, sent = text(current, "metadata.name"), text(proposed, "metadata.name")
    if not sent:
        raise bad_request(
            f"the name of the object ({name} based on URL) was undeterminable: name must be provided"
        )
    if sent != name:
        raise bad_request(f"the name of the object ({sent}) does not match the name on the URL ({name})")
    if text(proposed, "metadata.namespace") not in ("", text(current, "metadata.namespace")):
        raise other_namespace()
    refuse_other_type(proposed, resource)


def refuse_other_type(obj: Json, resource: Resource) -> None:
    """Measured: the answer speaks of the kind that was sent."""
    sent = Kind(text(obj, "apiVersion"), text(obj, "kind"))
    wanted = (
        ("apiVersion", sent.api_version, resource.kind.api_version),
        ("kind", sent.kind, resource.kind.kind),
    )
    wrong = [
        invalid_value(field, go_json(was), f"must be {must}") for field, was, must in wanted if was != must
    ]
    if wrong:
        about = replace(resource, kind=Kind(resource.kind.api_version, sent.kind))
        raise invalid(about, text(obj, "metadata.name"), wrong)


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
        case "finalize":
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
    return with_metadata(shape, **{key: _tidy(shape, key) for key in _MAY_BE_EMPTY})


def _tidy(obj: Json, key: str) -> object:
    """A field of the metadata, None when it is empty. A null in a map of strings is an empty string to Go."""
    value = mapping(obj, "metadata").get(key) or None
    if isinstance(value, Mapping) and None in value.values():
        return {name: "" if item is None else item for name, item in value.items()}
    return value


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


def _frozen(current: Json, made: Json, resource: Resource) -> Iterable[Cause]:
    return () if resource.custom else built_in_change_problems(current, made, resource.kind)


def _refuse_findings(obj: Json, resource: Resource, found: tuple[Cause, ...]) -> None:
    if found:
        raise invalid(resource, text(obj, "metadata.name"), found)


def _intent(obj: Json, resource: Resource) -> Json:
    """The part whose changes are counted in `metadata.generation`."""
    if resource.generation in (Generation.NONE, Generation.BIRTH):
        return {}
    left_out = {"apiVersion", "kind", "metadata"} | ({"status"} if resource.status else set())
    intent = {key: value for key, value in obj.items() if key not in left_out}
    if resource.generation is Generation.SPEC_AND_ANNOTATIONS:
        intent["annotations"] = mapping(obj, "metadata.annotations")
    return intent


def may_go(obj: Json) -> bool:
    """Nothing holds an object that is being deleted any more: no finalizer, no grace period, no contents."""
    metadata = mapping(obj, "metadata")
    held = bool(metadata.get("finalizers") or integer(metadata, "deletionGracePeriodSeconds", 0) > 0)
    full = obj.get("kind") == NAMESPACE.kind and bool(mapping(obj, "spec").get("finalizers"))
    return bool(metadata.get("deletionTimestamp")) and not held and not full
