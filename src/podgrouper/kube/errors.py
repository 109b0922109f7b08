"""What the API server, or the way to it, may answer instead of what was asked for.

One family: catch `ApiError`, or one member when something different can be done about it. Which class
an answer becomes is one table; whoever raises goes through `error_of` or `unreachable`.
"""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType

from podgrouper.core.fields import dig, integer, items, mapping, text
from podgrouper.core.model import Json, Kind

_NOTHING: Json = MappingProxyType({})
_WORDS_OF_A_STRANGER = 300
_WEBHOOK = "admission webhook"
_UID_PRECONDITION = re.compile(r"\bUID in (the )?precondition\b")


class ApiError(Exception):
    """A request that did not get what it asked for. The message names verb, path and the server's words."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        reason: str = "",
        details: Json = _NOTHING,
        retry_after: float = 0.0,
        maybe_done: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        """0 when no answer came at all."""
        self.reason = reason
        """The machine-readable word of the server's Status; empty when whoever answered sent no Status."""
        self.details = details
        self.retry_after = retry_after
        """Seconds that the server asks us to wait; 0 when it asks for nothing."""
        self.maybe_done = maybe_done
        """A write whose fate is unknown: look before trying again."""

    @property
    def causes(self) -> tuple[tuple[str, str], ...]:
        """(reason, field) of each cause, in the server's order."""
        return tuple((text(cause, "reason"), text(cause, "field")) for cause in items(self.details, "causes"))

    @property
    def wrong_uid(self) -> bool:
        """The object of that name is not the one that we meant: a precondition on the uid held us back.

        Measured on 1.36: 422 with a cause at metadata.uid for patches, 409 with these words for DELETE.
        """
        by_patch = any(field == "metadata.uid" for _, field in self.causes)
        return by_patch or (self.status == 409 and _UID_PRECONDITION.search(self.message) is not None)

    @property
    def namespace_terminating(self) -> bool:
        return any(reason == "NamespaceTerminating" for reason, _ in self.causes)


class BadRequest(ApiError):
    """400: the request makes no sense to the server; asking again will not help."""


class Unauthorized(ApiError):
    """401: the server does not know who we are, also after the credentials were read again."""


class Forbidden(ApiError):
    """403: known and not allowed; also quota, webhooks and terminating namespaces."""


class NotFound(ApiError):
    """404: no such object; or no such path, then `reason` is empty."""


class UnknownKind(ApiError):
    """The kind is not served. Not a `NotFound`: nothing is known about any object."""


class NotAllowed(ApiError):
    """405: the resource does not know this verb."""


class NotAcceptable(ApiError):
    """406 or 415: the server cannot read or write this form."""


class Conflict(ApiError):
    """409: the object changed since we looked, or is another one."""


class AlreadyExists(ApiError):
    """409 for a create: the name is taken, perhaps by an object that is being deleted."""


class Gone(ApiError):
    """410: the resourceVersion or continue token is too old; list again."""


class Invalid(ApiError):
    """422: the object would not be valid, or is another one than we meant (`wrong_uid`)."""

    @property
    def failed_test(self) -> bool:
        """A JSON patch did not fit what is there.

        Measured on 1.36: no word about which operation and no cause, where validation and admission
        policies name causes, and webhooks themselves.
        """
        return not self.causes and _WEBHOOK not in self.message


class TooMany(ApiError):
    """429: slow down, for `retry_after` seconds at least."""


class Protected(ApiError):
    """429 for an eviction: a PodDisruptionBudget has no disruption left. No sign of an overloaded server."""


class Internal(ApiError):
    """500: a fault inside the server or in a webhook it called."""


class Unavailable(ApiError):
    """No answer, a broken or silent connection, a timeout, a gateway's error. See `maybe_done`."""


class Withheld(ApiError):
    """Not sent: to write is not our task at this moment."""


_BY_STATUS: Mapping[int, type[ApiError]] = {
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: NotAllowed,
    406: NotAcceptable,
    408: Unavailable,
    409: Conflict,
    410: Gone,
    415: NotAcceptable,
    422: Invalid,
    429: TooMany,
    500: Internal,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
_BY_REASON: Mapping[str, type[ApiError]] = {"AlreadyExists": AlreadyExists, "Expired": Gone, "Gone": Gone}
"""Where the reason says more than the status. A status of another meaning never becomes one of these."""

_BUDGET = "DisruptionBudget"
"""The cause of an eviction's refusal."""
_UNDECIDED = frozenset({408, 500, 502, 503, 504})
"""A write answered like this may have happened: a gateway gave up, or etcd did not answer in time."""


def error_of(status: int, headers: Mapping[str, str], body: bytes, asked: str = "") -> ApiError:
    """The error that an answer means. Never raises, whatever the body is.

    `headers` have lower-case names. `asked` is the verb and path; one that is no read makes the
    fate of an undecided write unknown.
    """
    return error_of_status(_status_object(body), status, headers, asked)


def error_of_status(
    answer: Json, status: int = 0, headers: Mapping[str, str] = MappingProxyType({}), asked: str = ""
) -> ApiError:
    """The error of a Status object that is decoded already: one that came inside a watch, for instance."""
    code = status or integer(answer, "code", 0)
    reason = text(answer, "reason")
    family = _BY_STATUS.get(code, Unavailable if code > 504 else ApiError)
    if code in (409, 410):
        family = _BY_REASON.get(reason, family)
    if code == 429 and any(text(cause, "reason") == _BUDGET for cause in items(answer, "details.causes")):
        family = Protected
    words = text(answer, "message") or reason or "no explanation"
    return family(
        f"{asked}: {code} {words}" if asked else f"{code} {words}",
        status=code,
        reason=reason,
        details=mapping(answer, "details"),
        retry_after=_retry_after(answer, headers),
        maybe_done=code in _UNDECIDED and _writes(asked),
    )


def unreachable(asked: str, why: str, *, sent: bool) -> Unavailable:
    """No answer came. `sent`: the request may have reached the server, so a write may have happened."""
    return Unavailable(f"{asked}: {why}", maybe_done=sent and _writes(asked))


def unknown_kind(kind: Kind) -> UnknownKind:
    return UnknownKind(f"{kind} is not served by the API server: is its CRD installed?", status=404)


def _writes(asked: str) -> bool:
    return asked.partition(" ")[0] not in ("", "GET", "HEAD")


def _status_object(body: bytes) -> Json:
    """The Status, or one made of what a gateway said instead, cut to a bearable length."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict) and dig(answer, "kind") == "Status":
        return answer
    words = " ".join(body[:_WORDS_OF_A_STRANGER].decode("utf-8", "replace").split())
    return {"message": words}


def _retry_after(answer: Json, headers: Mapping[str, str]) -> float:
    """Seconds from the header, else from the Status. A date is not understood: the API server sends none."""
    header = headers.get("retry-after", "").strip()
    seconds = int(header) if header.isascii() and header.isdigit() and len(header) < 6 else 0
    return float(seconds or max(0, integer(answer, "details.retryAfterSeconds", 0)))
