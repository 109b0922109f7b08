"""Rights as RBAC speaks of them: which one a request takes, and which one a refusal says is lacking.

Pure. A 403 means other things too (a webhook, a quota, a namespace that is going): only the words of the
authorizer are about rights.
"""

import re
from dataclasses import dataclass

from podgrouper.kube.errors import Forbidden
from podgrouper.kube.requests import Request

_LACKING = re.compile(
    r'cannot (?P<verb>[a-z]+) resource "(?P<resource>[^"]+)" in API group "(?P<group>[^"]*)"'
    r'(?: in the namespace "(?P<namespace>[^"]*)")?'
)
"""Measured on 1.32 and 1.36."""
_VERBS = {"POST": "create", "PATCH": "patch", "DELETE": "delete", "PUT": "update"}


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """A verb on a resource: `patch pods`, `patch podgroups.scheduling.run.ai/status`."""

    resource: str
    """With its group and subresource, as `kubectl auth can-i` takes it."""
    verb: str

    def __str__(self) -> str:
        return f"{self.verb} {self.resource}"


Place = tuple[Right, str]
"""A right, and the namespace in which it is or is not there; none: in all of them at once."""


def lacking(error: Exception | None) -> Place | None:
    """The right whose lack the server names; None where it refuses for another reason, or does not."""
    found = _LACKING.search(error.message) if isinstance(error, Forbidden) else None
    if found is None:
        return None
    plural, _, subresource = found["resource"].partition("/")
    return _right(found["verb"], found["group"], plural, subresource), found["namespace"] or ""


def right_for(request: Request) -> Place | None:
    """The right that a request takes; None for paths that belong to no resource."""
    root, *parts = request.path.strip("/").split("/")
    if root not in ("api", "apis") or len(parts) < (2 if root == "api" else 3):
        return None
    group, rest = ("", parts[1:]) if root == "api" else (parts[0], parts[2:])
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2:
        namespace, rest = rest[1], rest[2:]
    plural, name, subresource = (*rest, "", "")[:3]
    return _right(_verb(request, name), group, plural, subresource), namespace


def _verb(request: Request, name: str) -> str:
    if request.method != "GET":
        return _VERBS[request.method]
    if name:
        return "get"
    return "watch" if ("watch", "true") in request.query else "list"


def _right(verb: str, group: str, plural: str, subresource: str) -> Right:
    resource = f"{plural}.{group}" if group else plural
    return Right(f"{resource}/{subresource}" if subresource else resource, verb)
