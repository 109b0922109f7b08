"""Objects from files: YAML or JSON, one or many documents, lists, directories, standard input."""

import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from podgrouper.config.documents import read_documents
from podgrouper.core.difference import merged
from podgrouper.core.fields import dig, items, ref_of
from podgrouper.core.kinds import CLUSTER_SCOPED
from podgrouper.core.model import Json, Ref
from podgrouper.core.rules import Finding

SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The objects of all files in order, and what was wrong with any of them."""

    objects: tuple[Json, ...]
    findings: tuple[Finding, ...]


def load(sources: Iterable[str]) -> Loaded:
    """Everything that the sources hold. A directory gives its own YAML and JSON files, `-` standard input."""
    objects: list[Json] = []
    findings: list[Finding] = []
    first: dict[tuple[str, str, str, str], str] = {}
    for source in sources:
        for name, text in _texts(source, findings):
            for place, found in _documents(name, text, findings):
                obj = _as_a_server_has_it(found)
                twice = first.setdefault(_identity(ref_of(obj)), place)
                if twice != place:
                    findings.append(Finding(place, f"{ref_of(obj)} is there already: {twice}"))
                objects.append(obj)
    return Loaded(tuple(objects), tuple(findings))


def _texts(source: str, findings: list[Finding]) -> Iterator[tuple[str, str]]:
    if source == "-":
        yield "standard input", sys.stdin.read()
        return
    path = Path(source)
    if not path.is_dir():
        yield from _text(path, findings)
        return
    files = sorted(entry for entry in path.iterdir() if entry.suffix in SUFFIXES)
    if not files:
        findings.append(Finding(source, f"there is no {', '.join(SUFFIXES)} file in this directory"))
    for file in files:
        yield from _text(file, findings)


def _text(path: Path, findings: list[Finding]) -> Iterator[tuple[str, str]]:
    try:
        yield str(path), path.read_text(encoding="utf-8")
    except OSError as error:
        findings.append(Finding(str(path), f"this cannot be read: {error.strerror}"))
    except UnicodeDecodeError as error:
        findings.append(Finding(str(path), f"this is not UTF-8 (byte {error.start})"))


def _documents(name: str, text: str, findings: list[Finding]) -> Iterator[tuple[str, Json]]:
    for number, document in enumerate(_values(name, text, findings), start=1):
        place = f"{name}, document {number}"
        if _is_list(document):
            for index, item in enumerate(items(document, "items")):
                yield from _object(f"{place}, items[{index}]", item, findings)
        else:
            yield from _object(place, document, findings)


def _values(name: str, text: str, findings: list[Finding]) -> tuple[object, ...]:
    """JSON by the fast reader, which large dumps of clusters need; whatever else as YAML."""
    if text.lstrip()[:1] == "{":
        try:
            return (msgspec.json.decode(text),)
        except (msgspec.DecodeError, ValueError, RecursionError):
            pass
    read = read_documents(text)
    findings.extend(Finding(_at(name, found.path), found.message) for found in read.findings)
    return read.values


def _at(name: str, place: str) -> str:
    return f"{name}, {place}" if place else name


def _is_list(document: object) -> bool:
    kind = dig(document, "kind")
    return isinstance(kind, str) and kind.endswith("List") and isinstance(dig(document, "items"), list)


def _object(place: str, document: object, findings: list[Finding]) -> Iterator[tuple[str, Json]]:
    missing = [
        path for path in ("apiVersion", "kind", "metadata.name") if not isinstance(dig(document, path), str)
    ]
    if not isinstance(document, Mapping) or missing:
        findings.append(Finding(place, f"this is no Kubernetes object: it lacks {', '.join(missing)}"))
        return
    yield place, document


def _as_a_server_has_it(obj: Json) -> Json:
    """With a namespace and a uid, as every stored object has. The same object always gets the same uid."""
    ref = ref_of(obj)
    namespace = ref.namespace or ("" if ref.kind in CLUSTER_SCOPED else "default")
    uid = ref.uid or str(uuid.uuid5(uuid.NAMESPACE_OID, f"{ref.kind}/{namespace}/{ref.name}"))
    given = {"uid": uid, **({"namespace": namespace} if namespace else {})}
    placed = merged(obj, {"metadata": given})
    assert isinstance(placed, Mapping)
    return placed


def _identity(ref: Ref) -> tuple[str, str, str, str]:
    """One object may be asked for in several versions of its group."""
    return (ref.kind.group, ref.kind.kind, ref.namespace, ref.name)
