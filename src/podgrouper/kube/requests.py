"""Requests as values: what goes over the wire for each verb, and nothing about how it gets there.

Pure, so a test reads URL, headers and body without a server, and so every transport (sockets, memory)
is asked the same thing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from urllib.parse import quote, urlencode

import msgspec

from podgrouper.core.model import Json, Kind, Ref
from podgrouper.kube.errors import NotFound

FIELD_MANAGER = "podgrouper.io"
"""The manager that `managedFields` shows for whatever we write."""

READ_SECONDS = 30.0
WRITE_SECONDS = 30.0
LIST_SECONDS = 120.0
"""A page of full objects on a busy server takes long; the server itself gives up after a minute."""
WATCH_GRACE_SECONDS = 30.0
"""A watch ends by the server's clock; ours is only there in case the server forgets."""

PAGE = 500
"""Objects of one page of a list."""

JSON = "application/json"
_METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
_METADATA_ONLY_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
"""The plain form at the end is for aggregated API servers that know no other: more bytes, same fields."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request. `timeout` is ours, in seconds, from start to the last byte."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    timeout: float = READ_SECONDS

    @property
    def target(self) -> str:
        """Path and query as they stand in the request line."""
        return f"{self.path}?{_encoded(self.query)}" if self.query else self.path

    @property
    def asked(self) -> str:
        """Verb and path, for messages."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Resource:
    """How a kind is served: discovery's answer."""

    kind: Kind
    plural: str
    namespaced: bool
    verbs: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    """What people call it: plural, singular, short names; lower case."""

    def path(self, namespace: str = "", name: str = "") -> str:
        """The path of an object, or without a name of a collection; without a namespace of all namespaces."""
        root = f"/apis/{self.kind.api_version}" if self.kind.group else f"/api/{self.kind.api_version}"
        inside = f"/namespaces/{_segment(namespace)}" if self.namespaced and namespace else ""
        last = f"/{_segment(name)}" if name else ""
        return f"{root}{inside}/{self.plural}{last}"


@dataclass(frozen=True, slots=True)
class WatchSpec:
    """What to list and watch. An empty namespace is all of them."""

    kind: Kind
    namespace: str = ""
    label_selector: str = ""
    field_selector: str = ""
    metadata_only: bool = False


def get(resource: Resource, namespace: str, name: str, *, metadata_only: bool = False) -> Request:
    accept = _METADATA_ONLY if metadata_only else JSON
    return Request("GET", _object_path(resource, namespace, name), headers={"Accept": accept})


def list_page(resource: Resource, spec: WatchSpec, *, limit: int = PAGE, continue_token: str = "") -> Request:
    """A page of a list as of now (no resourceVersion: a consistent read). A limit of 0: all at once."""
    query = _selectors(spec)
    if limit:
        query.append(("limit", str(limit)))
    if continue_token:
        query.append(("continue", continue_token))
    accept = _METADATA_ONLY_LIST if spec.metadata_only else JSON
    return Request(
        "GET", resource.path(spec.namespace), tuple(query), {"Accept": accept}, timeout=LIST_SECONDS
    )


def watch(
    resource: Resource, spec: WatchSpec, *, version: str = "", initial: bool = False, seconds: int = 300
) -> Request:
    """A watch from a version on, or with `initial` one that first sends everything there is (WatchList).

    `resourceVersionMatch` and `allowWatchBookmarks` are not optional with `sendInitialEvents`: 422
    without the first, no end mark without the second. Never compressed: from 1.37 on a compressed watch
    is a chain of gzip members, of which HTTP libraries read the first and lose the rest silently.
    """
    query = [*_selectors(spec), ("watch", "true"), ("allowWatchBookmarks", "true")]
    if initial:
        query += [("sendInitialEvents", "true"), ("resourceVersionMatch", "NotOlderThan")]
    if version:
        query.append(("resourceVersion", version))
    query.append(("timeoutSeconds", str(seconds)))
    headers = {"Accept": _METADATA_ONLY if spec.metadata_only else JSON, "Accept-Encoding": "identity"}
    return Request(
        "GET", resource.path(spec.namespace), tuple(query), headers, timeout=seconds + WATCH_GRACE_SECONDS
    )


def create(resource: Resource, namespace: str, obj: Json) -> Request:
    return _write("POST", resource.path(namespace), JSON, obj)


def merge_patch(resource: Resource, ref: Ref, patch: Json, *, subresource: str = "") -> Request:
    """A JSON merge patch; null removes. With `metadata.uid` in it, it is 422 for a later namesake."""
    door = f"/{subresource}" if subresource else ""
    return _write("PATCH", _path_of(resource, ref) + door, "application/merge-patch+json", patch)


def strategic_patch(resource: Resource, ref: Ref, patch: Json) -> Request:
    """Lists merge by key. Built-in kinds only: 415 on custom resources."""
    return _write("PATCH", _path_of(resource, ref), "application/strategic-merge-patch+json", patch)


def json_patch(resource: Resource, ref: Ref, operations: Sequence[Json]) -> Request:
    """A list of operations, all or none; a `test` that fails is 422."""
    return _write("PATCH", _path_of(resource, ref), "application/json-patch+json", operations)


def delete(resource: Resource, ref: Ref, *, version: str = "") -> Request:
    """Deletes that life of the object: uid and version, where given, are preconditions (409)."""
    preconditions = {"uid": ref.uid, "resourceVersion": version}
    options: dict[str, object] = {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "propagationPolicy": "Background",
    }
    if any(preconditions.values()):
        options["preconditions"] = {key: value for key, value in preconditions.items() if value}
    headers = {"Accept": JSON, "Content-Type": JSON}
    body = msgspec.json.encode(options)
    return Request("DELETE", _path_of(resource, ref), headers=headers, body=body, timeout=WRITE_SECONDS)


def evict(resource: Resource, ref: Ref) -> Request:
    """Asks that this life of a pod goes: 409 for a later namesake, 429 where a budget protects it."""
    eviction = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"namespace": ref.namespace, "name": ref.name},
        "deleteOptions": {"preconditions": {"uid": ref.uid}},
    }
    return _write("POST", f"{_path_of(resource, ref)}/eviction", JSON, eviction)


def plain_get(path: str, accept: str = JSON, headers: Mapping[str, str] = MappingProxyType({})) -> Request:
    """A path that belongs to no resource: discovery, /version, /readyz."""
    return Request("GET", path, headers={"Accept": accept, **headers})


def _write(method: str, path: str, content_type: str, body: Json | Sequence[Json]) -> Request:
    return Request(
        method,
        path,
        (("fieldManager", FIELD_MANAGER),),
        {"Accept": JSON, "Content-Type": content_type},
        msgspec.json.encode(body),
        WRITE_SECONDS,
    )


@lru_cache(maxsize=64)
def _encoded(query: tuple[tuple[str, str], ...]) -> str:
    """All writes have the same one."""
    return urlencode(query, quote_via=quote)


def _selectors(spec: WatchSpec) -> list[tuple[str, str]]:
    asked = [("labelSelector", spec.label_selector), ("fieldSelector", spec.field_selector)]
    return [(key, value) for key, value in asked if value]


def _path_of(resource: Resource, ref: Ref) -> str:
    return _object_path(resource, ref.namespace, ref.name)


def _object_path(resource: Resource, namespace: str, name: str) -> str:
    """Never a collection's path: without name or namespace an object's verb would become a list's."""
    if not name or (resource.namespaced and not namespace):
        raise NotFound(f"{resource.kind} needs a namespace and a name", status=404, reason="NotFound")
    return resource.path(namespace, name)


def _segment(name: str) -> str:
    """A name as one segment of a path.

    Owner references hold whatever their author wrote. The API server splits the *decoded* path, so
    `a%2Fb` would be two segments and `..` another resource; no object can have such a name
    (apimachinery's IsValidPathSegmentName), so it is not found, without asking.
    """
    if name in (".", "..") or "/" in name or "%" in name:
        raise NotFound(f"no object can be called {name!r}", status=404, reason="NotFound")
    return quote(name, safe="", errors="replace")
