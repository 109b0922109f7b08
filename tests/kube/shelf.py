"""A pretend API server for one kind, without network or time: requests in, bytes out."""

import itertools
import json
from collections.abc import Iterable, Iterator

from podgrouper.core.model import Json, Kind
from podgrouper.kube.errors import error_of
from podgrouper.kube.requests import Request, Resource

THING = Resource(Kind("shop.example/v1", "Thing"), "things", namespaced=True)


def line(type_: str, obj: Json) -> bytes:
    return json.dumps({"type": type_, "object": obj}, ensure_ascii=False).encode() + b"\n"


def bookmark(version: int | str, *, end: bool = False) -> bytes:
    marks = {"annotations": {"k8s.io/initial-events-end": "true"}} if end else {}
    return line("BOOKMARK", {"kind": "Thing", "metadata": {"resourceVersion": str(version), **marks}})


def expired() -> bytes:
    return line("ERROR", {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"})


def thing(name: str, version: int, note: str = "") -> Json:
    return {
        "apiVersion": "shop.example/v1",
        "kind": "Thing",
        "metadata": {"name": name, "resourceVersion": str(version), "annotations": {"note": note}},
    }


class Shelf:
    """Things, and everything that ever happened to them."""

    def __init__(self, *, watch_list: bool = True, page: int = 2) -> None:
        self.watch_list = watch_list
        self.version = 1
        self.things: dict[str, Json] = {}
        self._page = page
        self._log: list[tuple[int, bytes]] = []
        self._moments: dict[str, list[Json]] = {}
        self._remembered_from = 1

    def put(self, name: str, note: str = "") -> None:
        self.version += 1
        type_ = "MODIFIED" if name in self.things else "ADDED"
        self.things[name] = thing(name, self.version, note)
        self._log.append((self.version, line(type_, self.things[name])))

    def remove(self, name: str) -> None:
        if name in self.things:
            self.version += 1
            last = thing(name, self.version)
            del self.things[name]
            self._log.append((self.version, line("DELETED", last)))

    def forget(self) -> None:
        """What happened until now cannot be watched any more."""
        self._remembered_from = self.version

    def stream(self, request: Request) -> bytes:
        """All that a watch would send now. Raises what a server without WatchList would answer."""
        asked = dict(request.query)
        if "sendInitialEvents" in asked:
            if not self.watch_list:
                raise error_of(422, {}, b"{}", request.asked)
            return b"".join([*self._everything(), bookmark(self.version, end=True)])
        since = int(asked["resourceVersion"])
        if since < self._remembered_from:
            return expired()
        happened = [event for version, event in self._log if version > since]
        return b"".join([*happened, bookmark(self.version)])

    def page(self, request: Request) -> bytes:
        """One page; the token is the version of the list and the place in it.

        All pages of a list show the moment of the first one, whatever happens meanwhile.
        """
        asked = dict(request.query)
        version, _, place = asked.get("continue", f"{self.version}/0").partition("/")
        if int(version) < self._remembered_from:
            raise error_of(410, {}, b"{}", request.asked)
        then = self._moments.setdefault(version, [obj for _, obj in sorted(self.things.items())])
        start, size = int(place), self._page if "limit" in asked else len(then)
        rest = f"{version}/{start + size}" if start + size < len(then) else ""
        metadata = {"resourceVersion": version, "continue": rest}
        return json.dumps({"metadata": metadata, "items": then[start : start + size]}).encode()

    def _everything(self) -> Iterator[bytes]:
        return (line("ADDED", obj) for _, obj in sorted(self.things.items()))


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    """The same bytes in pieces."""
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in itertools.pairwise(edges)]
