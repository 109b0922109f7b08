"""What the decoder builds of an object: what rows and texts are made of. Whatever else a line of a watch
holds is skipped in C, never built."""

from typing import TypedDict

from podgrouper.core.interfaces import Reads
from podgrouper.core.trimming import METADATA, WHOLE_PATH

Text = str | None
OBJECT = dict[str, object] | None


def pod_shape(reads: Reads) -> type:
    """A TypedDict for the decoder. Every field may be absent or null."""
    metadata = _shape(
        "Metadata",
        {
            "name": Text,
            "namespace": Text,
            "uid": Text,
            "resourceVersion": Text,
            "creationTimestamp": Text,
            "deletionTimestamp": Text,
            "labels": _texts("Labels", reads.labels),
            "annotations": _texts("Annotations", reads.annotations),
            "ownerReferences": _list_of(_OWNER),
        },
    )
    spec: dict[str, object] = {"schedulerName": Text, "priorityClassName": Text, "nodeName": Text}
    status: dict[str, object] = {"phase": Text}
    if reads.resources or reads.scheduling:
        condition: dict[str, object] = {"type": Text, "status": Text, "reason": Text}
        status["conditions"] = _list_of(_shape("Condition", condition))
    if reads.resources:
        container = _shape("Container", {"name": Text, "restartPolicy": Text, "resources": OBJECT})
        spec |= {
            "containers": _list_of(container),
            "initContainers": _list_of(container),
            "overhead": OBJECT,
            "resources": OBJECT,
        }
        granted = _shape("Granted", {"name": Text, "resources": OBJECT, "allocatedResources": OBJECT})
        status |= {
            "containerStatuses": _list_of(granted),
            "initContainerStatuses": _list_of(granted),
        }
    return _shape(
        "PodShape",
        {
            "metadata": metadata | None,
            "spec": _shape("Spec", spec) | None,
            "status": _shape("Status", status) | None,
        },
    )


def object_shape(paths: frozenset[str]) -> type:
    """What is kept of an object of which these paths are read (`core.trimming`), and its metadata."""
    if WHOLE_PATH in paths:
        return dict
    fields = {key: _below(key, beneath) for key, beneath in _tree(paths).items()}
    named = {"apiVersion": object, "kind": object, "metadata": _METADATA | None}
    return _shape("ObjectShape", {**fields, **named})


class _Tree(dict[str, "_Tree"]):
    """Keys below keys. What has none is read as a whole."""


def _tree(paths: frozenset[str]) -> _Tree:
    tree = _Tree()
    for path in sorted(paths, key=len, reverse=True):
        keys, node = path.split("."), tree
        for key in keys[:-1]:
            node = node.setdefault(key, _Tree())
        node[keys[-1]] = _Tree()
    return tree


def _below(key: str, tree: _Tree) -> object:
    if not tree:
        return object
    return _shape(key.title(), {name: _below(name, beneath) for name, beneath in tree.items()}) | None


def _texts(name: str, keys: frozenset[str]) -> object:
    return _shape(name, dict.fromkeys(sorted(keys), Text)) | None


def _shape(name: str, fields: dict[str, object]) -> type:
    shape: type = TypedDict(name, fields, total=False)  # type: ignore[misc]  # fields known at runtime
    return shape


def _list_of(shape: type) -> object:
    return list[shape] | None  # type: ignore[valid-type]  # a type known at runtime


_METADATA = _shape("ObjectMeta", dict.fromkeys(sorted(METADATA), object))
_OWNER = _shape(
    "OwnerReference",
    {
        "apiVersion": Text,
        "kind": Text,
        "name": Text,
        "uid": Text,
        "controller": bool | None,
        "blockOwnerDeletion": bool | None,
    },
)
