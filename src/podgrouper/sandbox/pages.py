"""Lists in pages, all of them as of the moment of the first."""

import base64
import json
from collections import OrderedDict
from collections.abc import Sequence

from podgrouper.core.fields import integer
from podgrouper.core.model import Json
from podgrouper.memory.refusals import Refused, bad_request

_KEPT = 64
"""Lists that are being paged through at a time; the oldest expires when another one begins."""


class Pages:
    """The rests of lists that were begun. A token names one of them and a place in it."""

    def __init__(self) -> None:
        self._lists: OrderedDict[int, tuple[int, Sequence[Json]]] = OrderedDict()
        self._begun = 0

    def first(self, objects: Sequence[Json], version: int, limit: int) -> tuple[Sequence[Json], Json]:
        """The first page and the metadata that goes with it; everything when there is no limit."""
        if not limit or limit >= len(objects):
            return objects, {"resourceVersion": str(version)}
        self._begun += 1
        self._lists[self._begun] = (version, objects)
        while len(self._lists) > _KEPT:
            self._lists.popitem(last=False)
        return self._page(self._begun, 0, limit)

    def next(self, token: str, limit: int) -> tuple[Sequence[Json], Json]:
        """Raises `Refused`: 400 for a token that is none, 410 for one that is too old."""
        number, start = _read(token)
        if number not in self._lists:
            raise Refused(410, "Expired", _EXPIRED)
        return self._page(number, start, limit)

    def expire(self) -> None:
        """Makes every token too old, as a compaction does."""
        self._lists.clear()

    def _page(self, number: int, start: int, limit: int) -> tuple[Sequence[Json], Json]:
        version, objects = self._lists[number]
        end = start + limit if limit else len(objects)
        metadata: dict[str, object] = {"resourceVersion": str(version)}
        if end < len(objects):
            metadata |= {"continue": _token(number, end), "remainingItemCount": len(objects) - end}
        return objects[start:end], metadata


_EXPIRED = (
    "The provided continue parameter is too old to display a consistent list result. "
    "You can start a new list without the continue parameter."
)


def _token(number: int, start: int) -> str:
    return base64.urlsafe_b64encode(json.dumps({"list": number, "start": start}).encode()).decode()


def _read(token: str) -> tuple[int, int]:
    try:
        value = json.loads(base64.urlsafe_b64decode(token.encode()))
    except ValueError as error:
        raise bad_request(f"invalid continue token: continue key is not valid: {error}") from None
    number, start = integer(value, "list", -1), integer(value, "start", -1)
    if number < 0 or start < 0:
        raise bad_request("invalid continue token: continue key is not valid: it names no list")
    return number, start
