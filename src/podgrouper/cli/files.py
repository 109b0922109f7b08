"""Objects from files: YAML or JSON, one or many documents, lists, directories, standard input."""

import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from podgrouper.config.documents import Documents, read_documents
from podgrouper.core.difference import merged
from podgrouper.core.fields import dig, items, ref_of
from podgrouper.core.kinds import CLUSTER_SCOPED
from podgrouper.core.model import Json
from podgrouper.core.rules import Finding

SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The objects of all files in order, and what was wrong with any of them."""

    objects: tuple[Json, ...]
    findings: tuple[Finding, ...]


def load(sources: Iterable[str]) -> Loaded:
    """Everything that the sources hold. A directory gives its own YAML and JSON files, `-` standard input."""
    found = [entry for source in sources for text in _texts(source) for entry in _entries(text)]
    objects = [entry for entry in found if isinstance(entry, Placed)]
    mistakes = (entry for entry in found if isinstance(entry, Finding))
    return Loaded(tuple(placed.object for placed in objects), (*mistakes, *_doubles(objects)))


@dataclass(frozen=True, slots=True)
class Text:
    name: str
    content: str


@dataclass(frozen=True, slots=True)
class Placed:
    """An object, and where it stands."""

    place: str
    object: Json


def _texts(source: str) -> Iterator[Text | Finding]:
    if source == "-":
        yield Text("standard input", sys.stdin.read())
        return
    path = Path(source)
    if not path.is_dir():
        yield _text(path)
        return
    files = sorted(entry for entry in path.iterdir() if entry.suffix in SUFFIXES)
    if not files:
        yield Finding(source, f"there is no {', '.join(SUFFIXES)} file in this directory")
    yield from map(_text, files)


def _text(path: Path) -> Text | Finding:
    try:
        return Text(str(path), path.read_text(encoding="utf-8"))
    except OSError as error:
        return Finding(str(path), f"this cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        return Finding(str(path), f"this is not UTF-8 (byte {error.start})")


def _entries(text: Text | Finding) -> Iterator[Placed | Finding]:
    if isinstance(text, Finding):
        yield text
        return
    documents = _documents(text.content)
    for number, document in enumerate(documents.values, start=1):
        place = f"{text.name}, document {number}"
        if _is_list(document):
            listed = enumerate(items(document, "items"))
            yield from (_entry(f"{place}, items[{index}]", item) for index, item in listed)
        else:
            yield _entry(place, document)
    for found in documents.findings:
        yield Finding(f"{text.name}, {found.path}" if found.path else text.name, found.message)


def _documents(content: str) -> Documents:
    """JSON by the fast reader, which large dumps of clusters need; whatever else as YAML."""
    if content.lstrip()[:1] == "{":
        with suppress(msgspec.DecodeError, RecursionError):
            return Documents((msgspec.json.decode(content),))
    return read_documents(content)


def _is_list(document: object) -> bool:
    kind = dig(document, "kind")
    return isinstance(kind, str) and kind.endswith("List") and isinstance(dig(document, "items"), list)


def _entry(place: str, document: object) -> Placed | Finding:
    paths = ("apiVersion", "kind", "metadata.name")
    missing = [path for path in paths if not isinstance(dig(document, path), str)]
    if not isinstance(document, Mapping) or missing:
        return Finding(place, f"this is no Kubernetes object: it lacks {', '.join(missing)}")
    return Placed(place, _as_a_server_has_it(document))


def _doubles(objects: Iterable[Placed]) -> Iterator[Finding]:
    """One object may be asked for in several versions of its group: still it is one."""
    first: dict[tuple[str, str, str, str], str] = {}
    for placed in objects:
        ref = ref_of(placed.object)
        identity = (ref.kind.group, ref.kind.kind, ref.namespace, ref.name)
        if first.setdefault(identity, placed.place) != placed.place:
            yield Finding(placed.place, f"{ref} is there already: {first[identity]}")


def _as_a_server_has_it(obj: Json) -> Json:
    """With a namespace and a uid, as every stored object has. The same object always gets the same uid."""
    ref = ref_of(obj)
    namespace = ref.namespace or ("" if ref.kind in CLUSTER_SCOPED else "default")
    uid = ref.uid or str(uuid.uuid5(uuid.NAMESPACE_OID, f"{ref.kind}/{namespace}/{ref.name}"))
    given = {"uid": uid, **({"namespace": namespace} if namespace else {})}
    placed = merged(obj, {"metadata": given})
    assert isinstance(placed, Mapping)
    return placed
