"""From bytes to objects, fast for what is as expected and tolerant for the rest.

The fast way builds only what a shape declares. What it refuses is decoded plainly: nothing that the API
server sends is lost because somebody's labels are no labels.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import msgspec

from podgrouper.core.fields import dig, text

Shape: TypeAlias = type[object]
"""`dict` for everything, or a TypedDict of the keys to build, `metadata.resourceVersion` among them."""

DEPTH_LIMIT = 100
"""What is nested deeper is read as null. Custom resources may nest thousands deep, Python may not."""
TOKENS_LIMIT = 60_000
"""Brackets and texts of one object that are looked at to cut it. Some thirty milliseconds."""
LONGEST_NUMBER = 4000

_WHOLE = frozenset({"BOOKMARK", "ERROR"})
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
"""Where a lone surrogate may come from: decoding bytes leaves none."""
_REFUSALS = (ValueError, RecursionError)
"""Of msgspec and of json: malformed text, other types than declared, broken UTF-8, too deep."""


T = TypeVar("T")
Obj: TypeAlias = dict[str, object]


class TooLarge(ValueError):
    """It may be JSON, and to find out would hold up everybody else."""


class Shaped(msgspec.Struct, Generic[T], gc=False):
    """A line of a watch. No object: it was no JSON object."""

    type: str = ""
    object: T | None = None


Line: TypeAlias = Shaped[Obj]


@dataclass(frozen=True, slots=True)
class Lines:
    """The readable lines, up to the first one that is no JSON."""

    lines: Sequence[Line]
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list."""

    items: Sequence[Obj]
    version: str
    continue_token: str


class _Metadata(
    msgspec.Struct, frozen=True, rename={"version": "resourceVersion", "continue_token": "continue"}
):
    version: str = ""
    continue_token: str = ""


class _ShapedPage(msgspec.Struct, Generic[T]):
    metadata: _Metadata = _Metadata()
    items: list[T] | None = None


class Decoder:
    """Decodes what a watch and its lists say, for one shape of object."""

    def __init__(self, shape: Shape = dict) -> None:
        self._line: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Shaped[shape])  # type: ignore[valid-type]  # a type at runtime
        self._single: msgspec.json.Decoder[Obj] = msgspec.json.Decoder(shape)
        self._page: msgspec.json.Decoder[_ShapedPage[Obj]] = msgspec.json.Decoder(_ShapedPage[shape])  # type: ignore[valid-type]  # as above

    def lines(self, data: bytes) -> Lines:
        """All lines of `data`, which ends with a newline. Never raises.

        Bookmarks and errors come out whole, whatever the shape leaves out: they carry what only we read.
        """
        try:
            found = self._line.decode_lines(data)
        except _REFUSALS:
            return self._one_by_one(data)
        if any(line.type in _WHOLE for line in found):
            return self._one_by_one(data)
        return Lines(found)

    def _one_by_one(self, data: bytes) -> Lines:
        found: list[Line] = []
        for raw in data.split(b"\n"):
            if not raw.strip():
                continue
            line = self._one(raw)
            if line is None:
                return Lines(found, broken=True)
            found.append(line)
        return Lines(found)

    def _one(self, raw: bytes) -> Line | None:
        """One line; None when it is no JSON."""
        try:
            line = self._line.decode(raw)
        except _REFUSALS:
            pass
        else:
            if line.type not in _WHOLE:
                return line
        try:
            plain = tolerant(raw, TOKENS_LIMIT)
        except TooLarge:
            return Shaped()
        except ValueError:
            return None
        found = dig(plain, "object")
        return Shaped(text(plain, "type"), found if isinstance(found, dict) else None)

    def one(self, body: bytes) -> Obj:
        """A single object: the answer of a write. Raises ValueError for anything else."""
        try:
            return self._single.decode(body)
        except _REFUSALS:
            return object_of(body)

    def page(self, body: bytes) -> Page:
        """Raises ValueError for what is no list."""
        try:
            found = self._page.decode(body)
        except _REFUSALS:
            return _plain_page(tolerant(body))
        return Page(found.items or (), found.metadata.version, found.metadata.continue_token)


class Assembly:
    """Whole lines out of chunks that are cut anywhere. Only `\n` ends one: texts may hold U+0085."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []
        self.size = 0
        """Bytes of a line whose end is still to come."""

    def clear(self) -> None:
        self._begun.clear()
        self.size = 0

    def complete(self, chunk: bytes) -> bytes:
        """The lines that this chunk completes; empty when it completes none."""
        head, newline, tail = chunk.rpartition(b"\n")
        lines = b"".join((*self._begun, head, newline)) if newline else b""
        if newline:
            self.clear()
        if tail:
            self._begun.append(tail)
            self.size += len(tail)
        return lines


def tolerant(data: bytes, tokens: int | None = None) -> object:
    """Any JSON, cut where it is too deep and mended where it is no Unicode. Raises ValueError for no JSON.

    Cutting takes long: with `tokens`, what is deep and has more than so many is no JSON either.
    """
    words = data.decode("utf-8", "replace")
    try:
        value = json.loads(words, parse_int=_whole_number)
    except RecursionError:
        value = json.loads(_shallow(words.encode(), tokens), parse_int=_whole_number)
    return _mended(value, DEPTH_LIMIT) if _HALF_PAIR.search(words) else value


def _whole_number(digits: str) -> int | float:
    """Python refuses to read thousands of digits; Kubernetes knows 64 bits."""
    return int(digits) if len(digits) <= LONGEST_NUMBER else float(digits)


def object_of(body: bytes) -> Obj:
    """A JSON object. Raises ValueError for anything else."""
    try:
        value = msgspec.json.decode(body)
    except _REFUSALS:
        value = tolerant(body, TOKENS_LIMIT)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004  # the text is wrong, not the caller's type
    return value


def _plain_page(page: object) -> Page:
    if not isinstance(page, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004  # the text is wrong, not the caller's type
    listed = page.get("items")
    objects = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    return Page(objects, text(page, "metadata.resourceVersion"), text(page, "metadata.continue"))


def _shallow(data: bytes, tokens: int | None) -> bytes:
    """The same JSON with null in place of whatever is nested too deep."""
    kept = bytearray()
    depth = after = 0
    for count, token in enumerate(_TOKEN.finditer(data)):
        if count == tokens:
            raise TooLarge("nested too deep, and too large to be cut")
        mark = token[0][:1]
        if mark in b"[{":
            depth += 1
            if depth == DEPTH_LIMIT + 1:
                kept += data[after : token.start()] + b"null"
        elif mark in b"]}":
            if depth == DEPTH_LIMIT + 1:
                after = token.end()
            depth -= 1
    return bytes(kept + data[after:])


def _mended(value: object, depth: int) -> object:
    """Without lone surrogates, which nobody could write down again."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if not isinstance(value, dict | list):
        return value
    if not depth:
        return None
    if isinstance(value, list):
        return [_mended(item, depth - 1) for item in value]
    return {str(_mended(key, 1)): _mended(item, depth - 1) for key, item in value.items()}
