"""A small synchronous client for what tests themselves want from an API server.

Not the client of the project: what tests say about a server must not depend on the code that they test.
A new connection for each request, so that a server that was killed in between is no special case.
"""

import json
import ssl
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPException, HTTPSConnection
from typing import Any, TypeAlias
from urllib.parse import quote

from podgrouper.core.model import Kind
from tests.cluster.waiting import eventually

Object: TypeAlias = dict[str, Any]
"""JSON that a test wrote or that the server sent: `Any`, so that a test may just reach into it."""

NAMESPACE = Kind("v1", "Namespace")
CRD = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")

MERGE_PATCH = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
_JSON = "application/json"
_AT_ONCE = {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
"""No kubelet is waited for, and a Job does not wait for somebody to orphan its pods."""
_SECONDS = 30.0


class Refused(Exception):
    """An answer of 400 or more; `answer` is the Status, or what was said instead under `message`."""

    def __init__(self, asked: str, status: int, answer: Object) -> None:
        super().__init__(f"{asked}: {status} {answer.get('message', '')}")
        self.status = status
        self.answer = answer


class Unreachable(Exception):
    """No answer at all."""


@dataclass(frozen=True, slots=True)
class Served:
    """A resource as discovery tells it."""

    root: str
    plural: str
    namespaced: bool
    verbs: frozenset[str]

    def path(self, namespace: str = "", name: str = "") -> str:
        inside = f"/namespaces/{quote(namespace, safe='')}" if self.namespaced and namespace else ""
        last = f"/{quote(name, safe='')}" if name else ""
        return f"{self.root}{inside}/{self.plural}{last}"


class Api:
    """Speaks as one user, by token, with the server at a port of 127.0.0.1."""

    def __init__(self, port: int, certificate: str, token: str) -> None:
        self._port = port
        self._tls = ssl.create_default_context(cadata=certificate)
        self._token = token
        self._served: dict[Kind, Served] = {}

    def ask(self, method: str, path: str, body: object = None, content_type: str = _JSON) -> Object:
        """The decoded answer. Raises `Refused` and `Unreachable`."""
        status, text = self.ask_text(method, path, body, content_type)
        try:
            answer: Object = json.loads(text)
        except ValueError:
            answer = {"message": text}
        if status >= 400:
            raise Refused(f"{method} {path}", status, answer)
        return answer

    def ask_text(
        self, method: str, path: str, body: object = None, content_type: str = _JSON
    ) -> tuple[int, str]:
        """Status and body, whatever they are. Bytes are sent as they are."""
        headers = {"Accept": _JSON, "Content-Type": content_type, "Authorization": f"Bearer {self._token}"}
        payload = body if body is None or isinstance(body, bytes) else json.dumps(body)
        with closing(
            HTTPSConnection("127.0.0.1", self._port, context=self._tls, timeout=_SECONDS)
        ) as connection:
            try:
                connection.request(method, path, payload, headers)
                answer = connection.getresponse()
                return answer.status, answer.read().decode()
            except (OSError, HTTPException) as error:
                raise Unreachable(f"{method} {path}: {type(error).__name__}: {error}") from error

    def get(self, kind: Kind, namespace: str, name: str) -> Object:
        return self.ask("GET", self.served(kind).path(namespace, name))

    def all_of(self, kind: Kind, namespace: str = "") -> Sequence[Object]:
        """All objects, without a namespace those of all. Built-in kinds come without apiVersion and kind."""
        items: Sequence[Object] = self.ask("GET", self.served(kind).path(namespace))["items"]
        return items

    def create(self, obj: Mapping[str, Any]) -> Object:
        """POST, with `metadata.namespace` as it stands in the object."""
        return self.ask("POST", self.served(kind_of(obj)).path(obj["metadata"].get("namespace", "")), obj)

    def apply(self, objects: Iterable[Mapping[str, Any]]) -> list[Object]:
        """Creates or changes each, in order. The kinds of CRDs are served, and settled, when this returns."""
        answers = [self._apply(obj) for obj in objects]
        new = [answer["metadata"]["name"] for answer in answers if kind_of(answer) == CRD]
        eventually(lambda: all(self._settled(name) for name in new), within=20)
        return answers

    def patch(
        self, kind: Kind, namespace: str, name: str, patch: Mapping[str, Any], subresource: str = ""
    ) -> Object:
        """A merge patch."""
        path = self.served(kind).path(namespace, name)
        return self.ask("PATCH", f"{path}/{subresource}" if subresource else path, patch, MERGE_PATCH)

    def delete(self, kind: Kind, namespace: str, name: str) -> Object:
        """At once, without a kubelet's consent."""
        return self.ask("DELETE", self.served(kind).path(namespace, name), _AT_ONCE)

    def clear(self, namespace: str) -> None:
        """Deletes a namespace and everything in it, which no controller does on a bare control plane."""
        place = self.served(NAMESPACE).path(name=namespace)
        self.ask("DELETE", place)
        for resource in self._deletable():
            self._delete_all(resource, namespace)
        rest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}, "spec": {}}
        try:
            self.ask("PUT", f"{place}/finalize", rest)
        except Refused as refused:
            if refused.status not in (404, 409):
                raise

    def _delete_all(self, resource: Served, namespace: str) -> None:
        """Nothing where the kind has gone meanwhile, and its objects with it."""
        try:
            self.ask("DELETE", resource.path(namespace), _AT_ONCE)
        except Refused as refused:
            if refused.status != 404:
                raise

    def served(self, kind: Kind) -> Served:
        """How the kind is served. Asks again for a kind that it has not met yet: a CRD may have come."""
        if kind not in self._served:
            self._served.update(self._discover(kind.api_version))
        try:
            return self._served[kind]
        except KeyError:
            raise Refused(
                f"discovery of {kind}", 404, {"message": "not served: is its CRD installed?"}
            ) from None

    def _apply(self, obj: Mapping[str, Any]) -> Object:
        metadata = obj["metadata"]
        path = self.served(kind_of(obj)).path(metadata.get("namespace", ""), metadata["name"])
        answer = self.ask("PATCH", f"{path}?fieldManager=tests&force=true", obj, APPLY)
        if kind_of(obj) == CRD:
            eventually(lambda: self._serves(obj), within=20)
        return answer

    def _serves(self, crd: Mapping[str, Any]) -> bool:
        """Told by discovery and by an empty list: the first alone comes some moments too early."""
        spec = crd["spec"]
        kinds = [
            Kind(f"{spec['group']}/{version['name']}", spec["names"]["kind"]) for version in spec["versions"]
        ]
        return all("items" in self.ask("GET", self.served(kind).path()) for kind in kinds)

    def _settled(self, crd: str) -> bool:
        """Old enough: a create of a kind that is younger than two seconds sleeps for two in the server."""
        conditions = {entry["type"]: entry for entry in self.get(CRD, "", crd)["status"]["conditions"]}
        established = datetime.fromisoformat(conditions["Established"]["lastTransitionTime"])
        return datetime.now(UTC) - established > timedelta(seconds=3)  # times are cut to whole seconds

    def _discover(self, api_version: str) -> dict[Kind, Served]:
        root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        try:
            resources = self.ask("GET", root)["resources"]
        except Refused as refused:
            if refused.status == 404:
                return {}
            raise
        return {
            Kind(api_version, entry["kind"]): Served(
                root, entry["name"], entry["namespaced"], frozenset(entry["verbs"])
            )
            for entry in resources
            if "/" not in entry["name"]
        }

    def _deletable(self) -> list[Served]:
        """Every namespaced resource that can be deleted as a collection, in its preferred version.

        Those that were used before come too: a server that has just been started lists custom resources late.
        """
        groups = self.ask("GET", "/apis")["groups"]
        versions = ["v1", *(group["preferredVersion"]["groupVersion"] for group in groups)]
        found = [served for version in versions for served in self._discover(version).values()]
        known = dict.fromkeys([*found, *self._served.values()])
        return [served for served in known if served.namespaced and "deletecollection" in served.verbs]


def kind_of(obj: Mapping[str, Any]) -> Kind:
    return Kind(obj["apiVersion"], obj["kind"])
