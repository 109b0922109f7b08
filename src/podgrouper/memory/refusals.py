"""What the store says when it refuses: the words and codes of a real API server, as one exception.

The messages are part of the interface: people find them in logs, and programs read `reason`,
`details.causes` and, where the server has nothing better, the words themselves.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from podgrouper.core.fields import text
from podgrouper.core.model import Json
from podgrouper.memory.resources import Resource


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong, at one field."""

    reason: str
    message: str
    field: str

    @property
    def json(self) -> Json:
        return {"reason": self.reason, "message": self.message, "field": self.field}


class Refused(Exception):
    """A request that gets a Status of failure. `reason` is empty where the server gives none."""

    def __init__(self, status: int, reason: str, message: str, details: Json | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message
        self.details = details

    @property
    def json(self) -> Json:
        """The Status object that goes over the wire."""
        answer: dict[str, object] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            answer["reason"] = self.reason
        if self.details is not None:
            answer["details"] = self.details
        return answer | {"code": self.status}


def not_found(resource: Resource, name: str) -> Refused:
    return Refused(
        404, "NotFound", f'{resource.qualified} "{name}" not found', resource_details(resource, name)
    )


def no_such_path() -> Refused:
    return Refused(404, "NotFound", "the server could not find the requested resource", {})


def already_exists(resource: Resource, name: str, *, dying: bool) -> Refused:
    """The name of an object that is being deleted is still taken."""
    words = "object is being deleted: " if dying else ""
    message = f'{words}{resource.qualified} "{name}" already exists'
    return Refused(409, "AlreadyExists", message, resource_details(resource, name))


def conflict(resource: Resource, name: str) -> Refused:
    message = (
        f'Operation cannot be fulfilled on {resource.qualified} "{name}": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    return Refused(409, "Conflict", message, resource_details(resource, name))


def precondition_failed(resource: Resource, name: str, why: str) -> Refused:
    """A DELETE that means another life or another version. Measured: it names the kind, not the resource."""
    kind = _qualified_kind(resource)
    message = f'Operation cannot be fulfilled on {kind} "{name}": {why}'
    return Refused(409, "Conflict", message, _kind_details(resource, name))


def forbidden(resource: Resource, name: str, why: str, causes: Iterable[Cause] = ()) -> Refused:
    details = {**resource_details(resource, name)}
    told = [cause.json for cause in causes]
    if told:
        details["causes"] = told
    return Refused(403, "Forbidden", f'{resource.qualified} "{name}" is forbidden: {why}', details)


def invalid(resource: Resource, name: str, causes: Iterable[Cause]) -> Refused:
    """422: all findings at once, each at its field."""
    found = tuple(causes)
    listed = ", ".join(f"{cause.field}: {cause.message}" for cause in found)
    words = f"[{listed}]" if len(found) > 1 else listed
    details = {**_kind_details(resource, name), "causes": [cause.json for cause in found]}
    return Refused(422, "Invalid", f'{_qualified_kind(resource)} "{name}" is invalid: {words}', details)


def bad_request(message: str) -> Refused:
    return Refused(400, "BadRequest", message)


def other_namespace() -> Refused:
    return bad_request(
        "the namespace of the provided object does not match the namespace sent on the request"
    )


def patch_does_not_fit() -> Refused:
    """A JSON patch whose test fails or whose path leads nowhere. The server says no more than this."""
    return Refused(422, "Invalid", "the server rejected our request due to an error in our request", {})


def unsupported_form(accepted: Iterable[str]) -> Refused:
    message = "the body of the request was in an unknown format - accepted media types include: "
    return Refused(415, "UnsupportedMediaType", message + ", ".join(accepted))


def not_allowed() -> Refused:
    message = "the server does not allow this method on the requested resource"
    return Refused(405, "MethodNotAllowed", message, {})


def expired(version: int, oldest: int) -> Refused:
    return Refused(410, "Expired", f"too old resource version: {version} ({oldest})")


def terminating(resource: Resource, name: str, namespace: str) -> Refused:
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    cause = Cause("NamespaceTerminating", f"namespace {namespace} is being terminated", "metadata.namespace")
    return forbidden(resource, name, why, (cause,))


def invalid_value(field: str, value: str, why: str) -> Cause:
    return Cause("FieldValueInvalid", f"Invalid value: {value}: {why}", field)


def required(field: str, why: str = "") -> Cause:
    return Cause("FieldValueRequired", f"Required value: {why}" if why else "Required value", field)


def not_supported(field: str, value: str, known: Iterable[str]) -> Cause:
    return Cause(
        "FieldValueNotSupported", f"Unsupported value: {value}: supported values: {', '.join(known)}", field
    )


def forbidden_field(field: str, why: str) -> Cause:
    return Cause("FieldValueForbidden", f"Forbidden: {why}", field)


def resource_details(resource: Resource, name: str) -> dict[str, object]:
    """What was asked about, by the name of its resource."""
    return _details(name, resource.kind.group, resource.plural)


def _kind_details(resource: Resource, name: str) -> dict[str, object]:
    return _details(name, resource.kind.group, resource.kind.kind)


def _details(name: str, group: str, kind: str) -> dict[str, object]:
    """The server leaves out what is empty."""
    parts = (("name", name), ("group", group), ("kind", kind))
    return {key: value for key, value in parts if value}


def _qualified_kind(resource: Resource) -> str:
    return f"{resource.kind.kind}.{resource.kind.group}" if resource.kind.group else resource.kind.kind


def already_assigned(pod: Json) -> Refused:
    """A binding that comes too late."""
    name, node = text(pod, "metadata.name"), text(pod, "spec.nodeName")
    why = f'already assigned to node "{node}"' if node else "being deleted, cannot be assigned to a host"
    message = f'Operation cannot be fulfilled on pods/binding "{name}": pod {name} is {why}'
    return Refused(409, "Conflict", message, {"name": name, "kind": "pods/binding"})


def version_missing(resource: Resource, name: str) -> Refused:
    """A PUT that must name what it replaces. Measured: it names the resource where others name the kind."""
    cause = invalid_value("metadata.resourceVersion", "0", "must be specified for an update")
    message = f'{resource.qualified} "{name}" is invalid: {cause.field}: {cause.message}'
    return Refused(422, "Invalid", message, {**resource_details(resource, name), "causes": [cause.json]})
