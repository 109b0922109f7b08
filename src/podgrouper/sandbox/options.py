"""The query of a list or watch, checked as the server checks it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from podgrouper.core.model import Json
from podgrouper.memory.refusals import Cause, Refused, bad_request, forbidden_field, not_supported

_EXACT, _NOT_OLDER = "Exact", "NotOlderThan"


@dataclass(frozen=True, slots=True)
class ListOptions:
    """What a list or a watch asks for besides its path."""

    watch: bool = False
    labels: str = ""
    fields: str = ""
    version: int | None = None
    """None: whatever is newest. 0: anything will do."""
    limit: int = 0
    continue_token: str = ""
    initial_events: bool = False
    bookmarks: bool = False
    seconds: int = 0


def list_options(query: Mapping[str, str]) -> ListOptions:
    """Raises `Refused`: 400 for what cannot be read, 422 for what does not go together."""
    watch = _flag(query, "watch")
    initial = query.get("sendInitialEvents")
    match = query.get("resourceVersionMatch", "")
    found = tuple(
        _findings(watch=watch, initial=initial, match=match, version=query.get("resourceVersion", ""))
    )
    if found:
        raise _invalid(found)
    return ListOptions(
        watch=watch,
        labels=query.get("labelSelector", ""),
        fields=query.get("fieldSelector", ""),
        version=_version(query.get("resourceVersion", ""), watch=watch),
        limit=max(0, number(query, "limit")),
        continue_token=query.get("continue", ""),
        initial_events=_flag(query, "sendInitialEvents"),
        bookmarks=_flag(query, "allowWatchBookmarks"),
        seconds=number(query, "timeoutSeconds"),
    )


def _findings(*, watch: bool, initial: str | None, match: str, version: str) -> Iterator[Cause]:
    if not watch:
        if initial is not None:
            yield forbidden_field("sendInitialEvents", "sendInitialEvents is forbidden for list")
        yield from _match_findings(match, version)
        return
    if initial is None:
        if match:
            words = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
            yield forbidden_field("resourceVersionMatch", words)
        return
    if match != _NOT_OLDER:
        words = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        yield forbidden_field("resourceVersionMatch", words)
        if match:
            yield not_supported("resourceVersionMatch", f'"{match}"', (f'"{_NOT_OLDER}"',))


def _match_findings(match: str, version: str) -> Iterator[Cause]:
    if match and not version:
        words = "resourceVersionMatch is forbidden unless resourceVersion is provided"
        yield forbidden_field("resourceVersionMatch", words)
    if match == _EXACT and version == "0":
        words = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
        yield forbidden_field("resourceVersionMatch", words)
    if match not in (_EXACT, _NOT_OLDER, ""):
        known = (f'"{_EXACT}"', f'"{_NOT_OLDER}"', '""')
        yield not_supported("resourceVersionMatch", f'"{match}"', known)


def _invalid(found: tuple[Cause, ...]) -> Refused:
    listed = ", ".join(f"{cause.field}: {cause.message}" for cause in found)
    words = f"[{listed}]" if len(found) > 1 else listed
    causes = [cause.json for cause in found]
    details: Json = {"group": "meta.k8s.io", "kind": "ListOptions", "causes": causes}
    return Refused(422, "Invalid", f'ListOptions.meta.k8s.io "" is invalid: {words}', details)


def _flag(query: Mapping[str, str], name: str) -> bool:
    """Anything but `false` and `0` is a yes, also nothing after the `=`."""
    return query.get(name, "0").lower() not in ("false", "0")


def number(query: Mapping[str, str], name: str, default: int = 0) -> int:
    """Raises `Refused` (400) for what is no number."""
    value = query.get(name, "")
    if not value:
        return default
    if not value.removeprefix("-").isdecimal() or len(value) > 18:
        raise bad_request(f'strconv.ParseInt: parsing "{value}": invalid syntax')
    return int(value)


def _version(value: str, *, watch: bool) -> int | None:
    if not value:
        return None
    if value.isascii() and value.isdigit() and len(value) < 20:
        return int(value)
    why = f'resourceVersion: Invalid value: "{value}": strconv.ParseUint: parsing "{value}": invalid syntax'
    raise Refused(500, "", why) if watch else bad_request(f"invalid resource version: {why}")


def too_large(version: int, current: int) -> Refused:
    """A version that this server has not reached. Not an error of the client: another replica may have."""
    cause = Cause("ResourceVersionTooLarge", "Too large resource version", "")
    told = {key: value for key, value in cause.json.items() if value}
    message = f"Timeout: Too large resource version: {version}, current: {current}"
    return Refused(504, "Timeout", message, {"causes": [told], "retryAfterSeconds": 1})
