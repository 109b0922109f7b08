"""Which kinds are served, in which versions, under which paths.

One question for all groups at first (aggregated discovery), then only about the group of a kind that was
not there. A group whose own server is broken says so for its kinds and harms no other.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from podgrouper.core.fields import items, text
from podgrouper.core.model import Json, Kind
from podgrouper.kube.decoding import object_of
from podgrouper.kube.errors import ApiError, Internal, NotFound, Unavailable, unknown_kind, unreachable
from podgrouper.kube.requests import JSON, Request, Resource, plain_get
from podgrouper.kube.transport import Answer

Send = Callable[[Request], Awaitable[Answer]]
ASK_AGAIN_SECONDS = 5.0
"""How long "there is no such kind" is believed: its CRD may have been installed since."""

_FORM = "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
MISSING_LIMIT = 1000
"""Missing kinds that are remembered; owner references may name any number of them."""
_API_VERSION = re.compile(r"([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[a-z][a-z0-9]*")
"""What may stand in a path. References hold whatever their author wrote."""
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,62}")
LONGEST_API_VERSION = 253 + 1 + 63
"""Of a kind that cannot be nothing is asked, and nothing remembered."""
ACCEPT = ",".join((_FORM.format("v2"), _FORM.format("v2beta1"), "application/json"))


@dataclass(frozen=True, slots=True)
class Group:
    """What one API group serves."""

    versions: tuple[str, ...] = ()
    """`apiVersion`s, as the server prefers them."""
    resources: Mapping[Kind, Resource] = field(default_factory=dict)
    broken: frozenset[str] = frozenset()
    """Versions whose own server does not answer."""

    def resource(self, kind: Kind) -> Resource | None:
        """Of exactly this version, else of the most preferred other one that has the kind."""
        candidates = (kind.api_version, *self.versions)
        found = (self.resources.get(Kind(version, kind.kind)) for version in candidates)
        return next((resource for resource in found if resource), None)

    def joined(self, newer: "Group") -> "Group":
        """With what was heard later of some of its versions."""
        heard = {*newer.versions, *newer.broken}
        return Group(
            tuple(dict.fromkeys((*self.versions, *newer.versions))),
            {**{k: r for k, r in self.resources.items() if k.api_version not in heard}, **newer.resources},
            (self.broken - heard) | newer.broken,
        )


_NOTHING = Group()


class Discovery:
    """Answers from memory; asks when it knows nothing of a kind.

    Many that ask for kinds of one group at the same time cause one question.
    """

    def __init__(
        self,
        send: Send,
        *,
        ask_again_seconds: float = ASK_AGAIN_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._send = send
        self._ask_again_seconds = ask_again_seconds
        self._now = now
        self._groups: dict[str, Group] = {}
        self._served: dict[Kind, Resource] = {}
        self._missing: dict[Kind, tuple[float, ApiError]] = {}
        """Kinds that could not be had: when that was, and why. Oldest first."""
        self._all_asked = False
        self._all_failed: tuple[float, ApiError] | None = None
        self._one = asyncio.Lock()
        self._one_of = tuple(asyncio.Lock() for _ in range(64))
        """Who asks about a group. So many suffice; references may name any number of groups."""

    async def resource(self, kind: Kind) -> Resource:
        """How the kind is served. Raises `UnknownKind`; `Unavailable` when only its server could tell."""
        served = self._served.get(kind)
        if served:
            return served
        if not _can_be(kind):
            raise unknown_kind(kind)
        async with self._one:
            if not self._all_asked:
                await self._ask_for_all()
        async with self._one_of[hash(kind.group) % len(self._one_of)]:
            found = self._groups.get(kind.group, _NOTHING).resource(kind)
            if not found:
                self._raise_if_missing(kind)
                found = await self._ask_for(kind)
            self._served[kind] = found
            return found

    async def called(self, word: str) -> tuple[Resource, ...]:
        """The resources that people call so: `deploy`, `RayCluster`, `rayclusters.ray.io`.

        In their preferred versions. Several groups may have one of that name.
        """
        async with self._one:
            if not self._all_asked:
                await self._ask_for_all()
        name, _, wanted = word.lower().partition(".")
        found: list[Resource] = []
        for group_name, group in self._groups.items():
            if wanted in ("", group_name):
                served = {r.kind: r for r in group.resources.values() if name in r.names and "get" in r.verbs}
                kinds = dict.fromkeys(kind.kind for kind in served)
                best = (group.resource(Kind(group.versions[0], kind)) for kind in kinds)
                found.extend(resource for resource in best if resource)
        return tuple(found)

    def forget(self, kind: Kind) -> None:
        """A path of the group turned out to be wrong: whoever wants a kind of it asks anew."""
        self._groups.pop(kind.group, None)
        for known in [known for known in self._served if known.group == kind.group]:
            del self._served[known]

    def _raise_if_missing(self, kind: Kind) -> None:
        since, error = self._missing.get(kind, (0.0, None))
        if error and self._now() - since < self._ask_again_seconds:
            raise error

    async def _ask_for_all(self) -> None:
        """Two questions for everything; servers that do not know this form are asked group by group."""
        if self._all_failed and self._now() - self._all_failed[0] < 1.0:
            raise self._all_failed[1]
        try:
            for path in ("/api", "/apis"):
                document = await self._document(path, ACCEPT)
                if text(document, "kind") == "APIGroupDiscoveryList":
                    self._groups.update(_groups(document))
        except ApiError as error:
            self._all_failed = (self._now(), error)
            raise
        self._all_asked = True

    async def _ask_for(self, kind: Kind) -> Resource:
        """About its exact version, and only where that does not help about the others of its group."""
        group = self._groups.get(kind.group, _NOTHING).joined(await self._version(kind.api_version))
        if kind.group and not group.resource(kind):
            for version in (versions := await self._versions(kind.group)):
                if version != kind.api_version:
                    group = group.joined(await self._version(version))
            group = replace(group, versions=versions)
        if group.resources:
            self._groups[kind.group] = group
        found = group.resource(kind)
        if found:
            return found
        raise self._remembered(kind, group.broken)

    def _remembered(self, kind: Kind, broken: frozenset[str]) -> ApiError:
        """Why the kind cannot be had; the next to ask within some seconds hears it without a question."""
        error: ApiError = unknown_kind(kind)
        if broken:
            why = f"{kind} is unknown while the server of {', '.join(sorted(broken))} does not answer"
            error = Unavailable(why, status=503)
        if len(self._missing) >= MISSING_LIMIT:
            del self._missing[next(iter(self._missing))]
        self._missing.pop(kind, None)
        self._missing[kind] = (self._now(), error)
        return error

    async def _versions(self, group: str) -> tuple[str, ...]:
        try:
            document = await self._document(f"/apis/{group}")
        except NotFound:
            return ()
        named = (text(entry, "groupVersion") for entry in items(document, "versions"))
        return tuple(version for version in named if _API_VERSION.fullmatch(version))

    async def _version(self, api_version: str) -> Group:
        """One version of a group. That the server behind it does not answer is a fact, not a failure."""
        root = "/apis" if "/" in api_version else "/api"
        try:
            document = await self._document(f"{root}/{api_version}")
        except NotFound:
            return _NOTHING
        except (Unavailable, Internal) as error:
            if not error.status:
                raise
            return Group(broken=frozenset({api_version}))
        return Group((api_version,), _resources(api_version, document))

    async def _document(self, path: str, accept: str = JSON) -> Json:
        request = plain_get(path, accept)
        answer = await self._send(request)
        try:
            return object_of(answer.body)
        except ValueError as error:
            raise unreachable(request.asked, f"the answer is {error}", sent=True) from error


def _can_be(kind: Kind) -> bool:
    if len(kind.api_version) > LONGEST_API_VERSION or not _KIND.fullmatch(kind.kind):
        return False
    return _API_VERSION.fullmatch(kind.api_version) is not None


def _groups(document: Json) -> Mapping[str, Group]:
    """All groups of an aggregated document."""
    found: dict[str, Group] = {}
    for group in items(document, "items"):
        name = text(group, "metadata.name")
        versions = {
            f"{name}/{text(version, 'version')}" if name else text(version, "version"): version
            for version in items(group, "versions")
        }
        resources: dict[Kind, Resource] = {}
        for api_version, version in versions.items():
            resources.update(_aggregated_resources(api_version, version))
        found[name] = Group(tuple(versions), resources)
    return found


def _aggregated_resources(api_version: str, version: Json) -> Mapping[Kind, Resource]:
    listed = (
        (
            text(entry, "resource"),
            text(entry, "responseKind.kind"),
            text(entry, "scope") == "Namespaced",
            entry,
        )
        for entry in items(version, "resources")
    )
    return _by_kind(api_version, listed)


def _resources(api_version: str, document: Json) -> Mapping[Kind, Resource]:
    """Those of a classic `APIResourceList`; a name with a slash is a subresource."""
    listed = (
        (text(entry, "name"), text(entry, "kind"), entry.get("namespaced") is True, entry)
        for entry in items(document, "resources")
        if "/" not in text(entry, "name")
    )
    return _by_kind(api_version, listed)


def _by_kind(api_version: str, listed: Iterable[tuple[str, str, bool, Json]]) -> Mapping[Kind, Resource]:
    """The first of a kind that can be read; `bindings` and their like can only be created."""
    found: dict[Kind, Resource] = {}
    for plural, name, namespaced, entry in listed:
        kind = Kind(api_version, name)
        verbs = frozenset(verb for verb in _listed(entry.get("verbs")) if isinstance(verb, str))
        known = found.get(kind)
        if plural and name and (known is None or ("get" in verbs and "get" not in known.verbs)):
            found[kind] = Resource(kind, plural, namespaced, verbs, _names(plural, name, entry))
    return found


def _names(plural: str, kind: str, entry: Json) -> frozenset[str]:
    """What people call the resource; the two forms of discovery spell its singular differently."""
    short = (name for name in _listed(entry.get("shortNames")) if isinstance(name, str))
    singular = text(entry, "singularResource") or text(entry, "singularName")
    return frozenset({plural, kind.lower(), *short, *([singular] if singular else [])})


def _listed(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else ()
