"""Kubeconfig files as kubectl reads them, up to the entries that a context names.

Several files are one: the first that says something wins (client-go's `clientcmd`). Relative paths count
from the file that holds them. Wrong shapes become findings, and reading goes on.
"""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from podgrouper.core.fields import EMPTY
from podgrouper.core.model import Json
from podgrouper.core.rules import Finding
from podgrouper.kube.access.cluster import Pem

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Entry:
    """A named entry, and where it stands."""

    file: Path
    where: str
    body: Json


class Reading:
    """Reads entries and gathers whatever is wrong with them in `findings`, in the order of reading."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.findings: list[Finding] = []
        self._documents = [(path, self._document(path)) for path in paths]

    def current_context(self) -> str:
        for path, document in self._documents:
            found = self.text(Entry(path, "", document), "current-context")
            if found:
                return found
        return ""

    def entry(self, kind: str, name: str) -> Entry | None:
        """The first entry of that name: `entry("user", "admin")` looks through all `users`."""
        for path, document in self._documents:
            listed = self._list(path, document, f"{kind}s")
            for item in listed:
                if isinstance(item, dict) and item.get("name") == name:
                    where = f"{kind}s[{name}].{kind}"
                    return Entry(path, where, self._object(Entry(path, f"{kind}s[{name}]", item), kind))
        return None

    def names(self, kind: str) -> tuple[str, ...]:
        listed = (
            item for path, document in self._documents for item in self._list(path, document, f"{kind}s")
        )
        return tuple(str(item["name"]) for item in listed if isinstance(item, dict) and item.get("name"))

    def part(self, entry: Entry, field: str) -> Entry:
        """An object inside an entry; empty when it is not there."""
        return Entry(entry.file, f"{entry.where}.{field}", self._object(entry, field))

    def text(self, entry: Entry, field: str) -> str:
        value = entry.body.get(field)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.wrong(entry, field, f"must be text; put {_shown(value)} in quotes")
            return ""
        return value

    def flag(self, entry: Entry, field: str) -> bool:
        value = entry.body.get(field)
        if value is None or isinstance(value, bool):
            return bool(value)
        self.wrong(entry, field, "must be true or false")
        return False

    def texts(self, entry: Entry, field: str) -> tuple[str, ...]:
        value = entry.body.get(field)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.wrong(entry, field, "must be a list of texts; put numbers in quotes")
            return ()
        return tuple(value)

    def objects(self, entry: Entry, field: str) -> tuple[Entry, ...]:
        value = entry.body.get(field)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.wrong(entry, field, "must be a list of objects")
            return ()
        return tuple(Entry(entry.file, f"{entry.where}.{field}[{i}]", item) for i, item in enumerate(value))

    def path(self, entry: Entry, field: str) -> Path | None:
        """A file, from where its kubeconfig is."""
        value = self.text(entry, field)
        return entry.file.parent / value if value else None

    def pem(self, entry: Entry, field: str) -> Pem:
        """`<field>-data` in base64, else the file that `<field>` names."""
        encoded = self.text(entry, f"{field}-data")
        if encoded:
            return self._decoded(entry, f"{field}-data", encoded)
        path = self.path(entry, field)
        if path is None:
            return b""
        if not _readable(path):
            self.wrong(entry, field, f"{path} cannot be read: correct the path or its permissions")
        return path

    def wrong(self, entry: Entry, field: str, message: str) -> None:
        where = f"{entry.where}.{field}" if entry.where else field
        self.findings.append(Finding(f"{entry.file}: {where}", message))

    def _decoded(self, entry: Entry, field: str, encoded: str) -> bytes:
        try:
            decoded = base64.b64decode("".join(encoded.split()), validate=True)
        except binascii.Error:
            decoded = b""
        if b"-----BEGIN" not in decoded:
            self.wrong(entry, field, "must be a PEM text in base64: was it cut when it was copied?")
        return decoded

    def _object(self, entry: Entry, field: str) -> Json:
        value = entry.body.get(field)
        if value is None:
            return EMPTY
        if not isinstance(value, dict):
            self.wrong(entry, field, "must be an object")
            return EMPTY
        return value

    def _list(self, path: Path, document: Json, field: str) -> list[object]:
        value = document.get(field)
        if value is None or isinstance(value, list):
            return value or []
        finding = Finding(f"{path}: {field}", "must be a list")
        if finding not in self.findings:
            self.findings.append(finding)
        return []

    def _document(self, path: Path) -> Json:
        try:
            document = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506  # a safe loader
        except OSError as error:
            self.findings.append(Finding(str(path), f"cannot be read ({error.strerror}): name another file"))
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            words = " ".join(str(error).split())
            self.findings.append(Finding(str(path), f"is no YAML: {words}"))
        else:
            if isinstance(document, dict):
                return document
            if document is not None:
                self.findings.append(Finding(str(path), "is no kubeconfig: expected an object at the top"))
        return EMPTY


def _readable(path: Path) -> bool:
    try:
        with path.open("rb"):
            return True
    except OSError:
        return False


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, int | float) else f"the {type(value).__name__}"
