"""What a request carries: its body as JSON, and who says to be writing."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from podgrouper.core.fields import integer, mapping, text
from podgrouper.core.model import Json
from podgrouper.kube.requests import Request
from podgrouper.memory.decoding import readable
from podgrouper.memory.refusals import Refused, bad_request, other_namespace, unsupported_form
from podgrouper.memory.resources import Resource
from podgrouper.memory.writing import refuse_other_type, with_metadata
from podgrouper.sandbox.options import number

_READABLE = ("application/json", "")
_UNNAMED = "unknown"
_UNREADABLE = "couldn't get version/kind; json parse error"


def header(request: Request, name: str) -> str:
    """A header by its name in lower case, however the sender spells it."""
    return next((value for key, value in request.headers.items() if key.lower() == name), "")


def manager_of(request: Request, query: Mapping[str, str]) -> str:
    """The field manager: as the query says, else what the client calls itself."""
    return query.get("fieldManager") or header(request, "user-agent").partition("/")[0] or _UNNAMED


def object_in(request: Request, resource: Resource, namespace: str) -> Json:
    """The object of a POST or PUT, of the kind and namespace that the path names; raises `Refused`."""
    media_type = header(request, "content-type").partition(";")[0].strip()
    if media_type not in _READABLE:
        raise unsupported_form(_READABLE[:1])
    try:
        body = msgspec.json.decode(request.body)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise _unrecognized(resource, f"{_UNREADABLE}: {error}") from None
    if not isinstance(body, dict):
        raise _unrecognized(resource, f"{_UNREADABLE}: the body is no object")
    return _placed(_typed(body, resource, request.body), resource, namespace)


def _unrecognized(resource: Resource, why: str) -> Refused:
    return bad_request(f"the object provided is unrecognized (must be of type {resource.kind.kind}): {why}")


def _typed(body: Json, resource: Resource, sent: bytes) -> Json:
    """Objects of built-in kinds need not say what they are; others must."""
    kind, version = text(body, "kind"), text(body, "apiVersion")
    if not resource.custom:
        wanted = resource.kind
        typed = {**body, "apiVersion": version or wanted.api_version, "kind": kind or wanted.kind}
        readable(typed, resource)
        return typed
    if not kind:
        shown = sent.decode("utf-8", "replace")
        raise _unrecognized(resource, f"Object 'Kind' is missing in '{shown}' ({shown})")
    if version != resource.kind.api_version:
        raise bad_request(
            f"the API version in the data ({version}) does not match "
            f"the expected API version ({resource.kind.api_version})"
        )
    refuse_other_type(body, resource)
    return body


def _placed(body: Json, resource: Resource, namespace: str) -> Json:
    named = text(body, "metadata.namespace")
    if named and resource.namespaced and named != namespace:
        raise other_namespace()
    if not isinstance(body.get("metadata"), dict | None):
        return body
    return with_metadata(body, namespace=namespace or None)


def patch_in(request: Request) -> object:
    """The body of a PATCH, whatever it is; raises `Refused` (400) when it is no JSON."""
    try:
        patch: object = msgspec.json.decode(request.body)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise bad_request(f"error decoding patch: {error}") from None
    return patch


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    uid: str = ""
    version: str = ""
    propagation: str = ""
    grace: int | None = None


def delete_options(request: Request, query: Mapping[str, str]) -> DeleteOptions:
    """From the body, else from the query; raises `Refused` (400) when the body is no JSON object."""
    body: object = {}
    if request.body:
        body = patch_in(request)
        if not isinstance(body, dict):
            raise bad_request(f"{_UNREADABLE}: the body is no object")
    return _options(mapping({"options": body}, "options"), query)


def eviction_options(request: Request, pod: str) -> DeleteOptions:
    """Of an Eviction; raises `Refused` (400) when it is none, or one of another pod."""
    body = patch_in(request)
    eviction = mapping({"eviction": body}, "eviction")
    if text(eviction, "kind") != "Eviction":
        raise bad_request(f"{_UNREADABLE}: the body is no Eviction")
    if text(eviction, "metadata.name") != pod:
        raise bad_request("name in URL does not match name in Eviction object")
    return _options(mapping(eviction, "deleteOptions"), {})


def _options(told: Json, query: Mapping[str, str]) -> DeleteOptions:
    return DeleteOptions(
        text(told, "preconditions.uid"),
        text(told, "preconditions.resourceVersion"),
        text(told, "propagationPolicy") or query.get("propagationPolicy", ""),
        _grace(told, query),
    )


def _grace(options: Json, query: Mapping[str, str]) -> int | None:
    """Seconds; what is negative counts as not said."""
    seconds = integer(options, "gracePeriodSeconds", number(query, "gracePeriodSeconds", -1))
    return seconds if seconds >= 0 else None
