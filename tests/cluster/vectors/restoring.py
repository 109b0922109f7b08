"""A world in a real API server, put back as a backup is: into its storage.

Nobody may create an object with a uid, an age or a deletion of its own choice, and vectors are about just
those. So the objects are written to etcd in the form in which the API server itself keeps custom objects.
It reads them, fills in defaults, and validates every pod that gets a link and every PodGroup that is written.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.request import Request, urlopen

from podgrouper.core.model import Kind
from podgrouper.memory.resources import BUILT_IN
from tests.cluster.api import Served, kind_of
from tests.cluster.control_plane import ControlPlane
from tests.cluster.waiting import eventually

_ODD_FOLDERS = {"nodes": "minions", "replicationcontrollers": "controllers", "services": "services/specs"}
"""Where etcd keeps them, for old times' sake, under another name than the API gives them."""
_GROUPS = frozenset(resource.kind.group for resource in BUILT_IN)
_AT_ONCE = 100
"""etcd takes 128 operations in one transaction."""


def restore(plane: ControlPlane, objects: Iterable[Mapping[str, Any]]) -> None:
    """Everything is served when this returns: the server's cache hears of it some moments later."""
    objects = list(objects)
    puts = [{"requestPut": {"key": _text(_key(plane, obj)), "value": _text(_kept(obj))}} for obj in objects]
    for some in _some(puts):
        _ask(plane, {"success": some})
    for kind in {kind_of(obj) for obj in objects}:
        wanted = {obj["metadata"]["uid"] for obj in objects if kind_of(obj) == kind}
        eventually(partial(_missing, plane, kind, wanted), lambda missing: not missing)


def _missing(plane: ControlPlane, kind: Kind, wanted: set[str]) -> set[str]:
    return wanted - {obj["metadata"]["uid"] for obj in plane.api.all_of(kind)}


def clear(plane: ControlPlane, kinds: Iterable[Kind]) -> None:
    """Takes away whatever there is of these kinds."""
    folders = {_folder(plane.api.served(kind), kind) for kind in kinds}
    deletions = [
        {"requestDeleteRange": {"key": _text(f"{folder}/"), "rangeEnd": _text(f"{folder}0")}}
        for folder in folders
    ]
    for some in _some(deletions):
        _ask(plane, {"success": some})


def _some(operations: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    return (operations[at : at + _AT_ONCE] for at in range(0, len(operations), _AT_ONCE))


def _ask(plane: ControlPlane, transaction: Mapping[str, Any]) -> None:
    request = Request(f"{plane.etcd_url}/v3/kv/txn", json.dumps(transaction).encode(), method="POST")
    with urlopen(request, timeout=30) as answer:
        assert json.load(answer)["succeeded"]


def _key(plane: ControlPlane, obj: Mapping[str, Any]) -> str:
    kind, metadata = kind_of(obj), obj["metadata"]
    served = plane.api.served(kind)
    inside = f"/{metadata['namespace']}" if served.namespaced else ""
    return f"{_folder(served, kind)}{inside}/{metadata['name']}"


def _folder(served: Served, kind: Kind) -> str:
    if is_custom(kind):
        return f"/registry/{kind.group}/{served.plural}"
    return f"/registry/{_ODD_FOLDERS.get(served.plural, served.plural)}"


def is_custom(kind: Kind) -> bool:
    """Of a CRD."""
    return kind.group not in _GROUPS


def _kept(obj: Mapping[str, Any]) -> str:
    metadata = {key: value for key, value in obj["metadata"].items() if key != "resourceVersion"}
    return json.dumps({**obj, "metadata": metadata})


def _text(text: str) -> str:
    return b64encode(text.encode()).decode()
