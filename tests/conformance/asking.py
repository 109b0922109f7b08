"""Requests and answers in a form in which two servers can be compared.

A conversation is a list of requests in an empty namespace. What two runs of it may differ in (uids,
versions, times, generated names, the namespace itself) is replaced by its order of appearance, so an
answer still says whether two versions were the same one.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Transport

JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"

_PLACES = {
    "PODS": "/api/v1/namespaces/NS/pods",
    "CONFIGMAPS": "/api/v1/namespaces/NS/configmaps",
    "EVENTS": "/api/v1/namespaces/NS/events",
    "JOBS": "/apis/batch/v1/namespaces/NS/jobs",
    "DEPLOYMENTS": "/apis/apps/v1/namespaces/NS/deployments",
    "REPLICASETS": "/apis/apps/v1/namespaces/NS/replicasets",
    "STATEFULSETS": "/apis/apps/v1/namespaces/NS/statefulsets",
    "DAEMONSETS": "/apis/apps/v1/namespaces/NS/daemonsets",
    "LEASES": "/apis/coordination.k8s.io/v1/namespaces/NS/leases",
    "VOLCANO": "/apis/scheduling.volcano.sh/v1beta1/namespaces/NS/podgroups",
    "KAI": "/apis/scheduling.run.ai/v2alpha2/namespaces/NS/podgroups",
    "CLASSES": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "SAMPLES": "/apis/conformance.podgrouper.io/v1/namespaces/NS/samples",
}


@dataclass(frozen=True, slots=True)
class Ask:
    """One request. A path begins with a place in capitals; `BODY` may be text that is no JSON."""

    method: str
    path: str
    body: object = None
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


async def answers_to(transport: Transport, namespace: str, conversation: Sequence[Ask]) -> list[Any]:
    """What a server says to each request, told apart only where a client could tell."""
    mask = _Mask(namespace)
    told = []
    for ask in conversation:
        answer = await transport.send(_request(ask, namespace))
        told.append({"status": answer.status, "body": mask.over(_decoded(answer.body))})
    return told


def _request(ask: Ask, namespace: str) -> Request:
    place, slash, rest = ask.path.partition("/")
    whole = f"{_PLACES.get(place, place)}{slash}{rest}" if place else ask.path
    for name, found in _PLACES.items():
        if ask.path.startswith(f"{name}?"):
            whole = found + ask.path.removeprefix(name)
    path, _, query = whole.replace("NS", namespace).partition("?")
    body = ask.body if isinstance(ask.body, str) else json.dumps(ask.body) if ask.body is not None else ""
    headers = {"Accept": JSON, "User-Agent": "conformance/1"} | dict(ask.headers)
    if body:
        headers["Content-Type"] = ask.content_type
    sent = body.replace("NS", namespace).encode()
    return Request(ask.method, path, tuple(parse_qsl(query, keep_blank_values=True)), headers, sent)


def _decoded(body: bytes) -> object:
    """JSON, or the lines of a watch, or the first line of whatever it is."""
    text = body.decode()
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return text.partition("\n")[0]


_TIMES = frozenset(
    {"creationTimestamp", "deletionTimestamp", "time", "lastTransitionTime", "lastProbeTime", "renewTime"}
)
_OTHERS_DOING = {
    "tolerations": "an admission plugin adds some",
    "enableServiceLinks": "nobody reads it",
    "qosClass": "nobody reads it",
    "f:enableServiceLinks": "nobody reads it",
    "storageVersionHash": "of the real server's storage",
    "daemonEndpoints": "nobody reads it",
    "nodeInfo": "nobody reads it",
    "successPolicy": "nobody reads it",
}
"""Fields of a real server that the sandbox does not promise, and why."""


_WORDS = (
    (r"\b(gen-|Gen_)[a-z0-9]{5}\b", r"\1xxxxx"),  # random
    (r"(in record|precondition) \(\d+\)", r"\1 (N)"),
    (r"(json parse error|error decoding patch|continue key is not valid): .*", r"\1: (Go's words)"),
    (r"^(unable to parse requirement: .*|found '[^']*', expected: .*)", "that is no selector"),
    (r'Invalid value: "\{.*\}": (json|no kind)', r'Invalid value: "(the whole object)": \1'),
    (r"\n@@ .*", ""),  # a difference between Go structs
    (r' in scheme ".*"| \(\*\w+\.\w+\)$', ""),  # where in the source
    (r"(accepted media types include|media types are accepted): .*", r"\1: (the list)"),
)
"""What nobody reads in a message: parsers describe themselves, and programs go by status and reason."""
_UNORDERED = frozenset({"causes", "managedFields", "verbs", "categories", "ownerReferences", "resources"})


class _Mask:
    """Replaces what differs from run to run by what does not."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._seen: dict[str, dict[str, str]] = {"uid": {}, "resourceVersion": {}}

    def over(self, answer: object) -> Any:
        """Uids come first: they are also part of labels and messages."""
        for uid in _uids(answer):
            self._text(uid, "uid")
        return self._masked(answer)

    def _masked(self, value: object, key: str = "") -> Any:
        match value:
            case dict():
                return self._mapping(value)
            case list():
                return self._list(value, key)
            case str():
                return self._text(value, key)
        return value

    def _mapping(self, value: dict[str, object]) -> Any:
        kept = {key: item for key, item in sorted(value.items()) if key not in _OTHERS_DOING}
        if "items" in kept and "metadata" in kept:
            kept["metadata"] = {**_as_dict(kept["metadata"]), "resourceVersion": "of the list"}
        if value.get("kind") == "Status" and len(_causes(value)) > 1:
            kept["message"] = "of several causes"
        return {self._text(key, ""): self._masked(item, key) for key, item in kept.items()}

    def _list(self, value: list[object], key: str) -> Any:
        masked = [self._masked(item) for item in value]
        if key in _UNORDERED:
            return sorted(masked, key=lambda item: json.dumps(item, sort_keys=True))
        return masked

    def _text(self, value: str, key: str) -> str:
        if key in _TIMES:
            return "some time"
        if key in ("uid", "resourceVersion") and value and value != "of the list":
            names = self._seen[key]
            return names.setdefault(value, f"{key} {len(names) + 1}")
        for kind, names in self._seen.items():
            for found, name in names.items():
                if kind == "uid" and len(found) > 20:
                    value = value.replace(found, name)
        value = value.replace(self._namespace, "NS")
        for pattern, plain in _WORDS:
            value = re.sub(pattern, plain, value, flags=re.DOTALL)
        return value


def _uids(value: object) -> Iterator[str]:
    """Every uid in an answer, in an order that does not depend on the server."""
    match value:
        case dict():
            for key in sorted(value):
                if key == "uid" and isinstance(value[key], str) and value[key]:
                    yield value[key]
                yield from _uids(value[key])
        case list():
            for item in value:
                yield from _uids(item)


def _as_dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _causes(status: dict[str, object]) -> list[object]:
    causes = _as_dict(status.get("details")).get("causes")
    return causes if isinstance(causes, list) else []
