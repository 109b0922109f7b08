"""Who asked the API server for what: its audit log, read as far as it was written.

One `AuditEvent` per request. Watches are told twice (when they start and when they end), a running one
counts from its start.
"""

import uuid
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import msgspec

from tests.cluster.waiting import eventually

POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Request
  userGroups: [audited]
  verbs: [create, patch]
  resources:
  - {group: scheduling.volcano.sh, resources: [podgroups]}
  - {group: scheduling.run.ai, resources: [podgroups]}
- level: Metadata
  userGroups: [audited]
- level: None
"""
"""Levels are decided by group, so that a user can be audited that nobody thought of at the start."""

AUDITED = "audited"
MARKER = "marker"
"""The audited user whose requests end a flush; nobody else may use it."""


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One request. `code` is 0 for one that runs still and has not answered yet."""

    user: str
    verb: str
    """As RBAC calls it: get, list, watch, create, update, patch, delete, deletecollection."""
    group: str
    """The API group of the resource; empty for the core group."""
    resource: str
    """`pods` or `podgroups`; empty for paths that belong to no resource, such as discovery."""
    subresource: str
    namespace: str
    name: str
    """Empty for lists, and for a create: the name stands in its body."""
    code: int
    path: str
    """With its query."""
    at: datetime
    """When the server got it."""
    body: bytes = b""
    """What was sent: of creates and patches of PodGroups, else empty."""

    @property
    def failed(self) -> bool:
        return self.code >= 400

    @property
    def changes(self) -> bool:
        return self.verb not in ("get", "list", "watch", "head", "options")

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))

    def __str__(self) -> str:
        return f"{self.at:%H:%M:%S.%f} {self.user} {self.verb} {self.path} {self.code}"


class _ObjectRef(msgspec.Struct):
    group: str = msgspec.field(name="apiGroup", default="")
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""


class _User(msgspec.Struct):
    username: str = ""


class _Status(msgspec.Struct):
    code: int = 0


class _Line(msgspec.Struct, rename="camel"):
    audit_id: str = msgspec.field(name="auditID")
    verb: str
    user: _User
    request_received_timestamp: datetime
    request_uri: str = msgspec.field(name="requestURI")
    object_ref: _ObjectRef = msgspec.field(default_factory=_ObjectRef)
    response_status: _Status = msgspec.field(default_factory=_Status)
    request_object: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)


class AuditLog:
    """The audit log of one API server, over all its lives. Each line is decoded once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._decoder = msgspec.json.Decoder(_Line)
        self._events: dict[str, dict[str, AuditEvent]] = defaultdict(dict)

    def of(self, user: str) -> list[AuditEvent]:
        """That user's requests so far, in the order in which the server got them."""
        self._read_on()
        return sorted(self._events[user].values(), key=lambda event: event.at)

    def flush(self, ask: Callable[[str], object]) -> None:
        """Returns when all that was answered before is in the log.

        `ask` sends a GET for a path as `MARKER`. The server writes a request's line right after its answer;
        a request of ours made since then went in and out of the same file later.
        """
        mark = uuid.uuid4().hex
        ask(f"/version?mark={mark}")
        eventually(lambda: self.of(MARKER), lambda events: events and events[-1].query.get("mark") == mark)

    def _read_on(self) -> None:
        if not self._path.exists():
            return
        with self._path.open("rb") as log:
            log.seek(self._offset)
            news = log.read()
        complete = news[: news.rfind(b"\n") + 1]
        self._offset += len(complete)
        for line in self._decoder.decode_lines(complete):
            self._events[line.user.username][line.audit_id] = _event(line)


def _event(line: _Line) -> AuditEvent:
    about = line.object_ref
    return AuditEvent(
        user=line.user.username,
        verb=line.verb,
        group=about.group,
        resource=about.resource,
        subresource=about.subresource,
        namespace=about.namespace,
        name=about.name,
        code=line.response_status.code,
        path=line.request_uri,
        at=line.request_received_timestamp,
        body=bytes(line.request_object),
    )
