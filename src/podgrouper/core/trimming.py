"""What is kept of an owner: its metadata, and of spec and status only the paths that a policy declared.

Files and the watch go through the same function, so a policy that reads an undeclared path finds nothing
in its own tests already, not first on a cluster.
"""

from collections.abc import Iterable, Mapping

from podgrouper.core.model import Json

WHOLE_PATH = ""
NOISE = frozenset({"managedFields", "selfLink", "volumes", "affinity", "tolerations", "initialDelaySeconds"})
"""Nothing of this says how pods belong together, and it is most of an object's bytes."""
CONTAINER_LISTS = frozenset({"containers", "initContainers", "ephemeralContainers"})
OF_A_CONTAINER = ("name", "resources", "restartPolicy")
SCALARS = (str, int, float, type(None))
OBJECTS = (dict, Mapping)
"""The usual types come first: a megabyte of an object can be half a million values."""
METADATA = frozenset(
    {
        "annotations",
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generateName",
        "generation",
        "labels",
        "name",
        "namespace",
        "ownerReferences",
        "resourceVersion",
        "uid",
    }
)
"""All that objects have but noise."""
DEPTH_LIMIT = 100
"""What is nested deeper is null. Custom resources may nest hundreds deep, and nobody reads that far down."""


def trimmed(obj: Json, paths: Iterable[str]) -> Json:
    """The object without what nobody reads: `apiVersion`, `kind`, metadata and the values at `paths`."""
    wanted = frozenset(paths)
    if WHOLE_PATH in wanted:
        return {key: _quiet(key, value) for key, value in obj.items() if key not in NOISE}
    kept: dict[str, object] = {key: obj[key] for key in ("apiVersion", "kind") if key in obj}
    metadata = obj.get("metadata")
    if isinstance(metadata, Mapping):
        kept["metadata"] = {key: value for key, value in metadata.items() if key in METADATA}
    for path in sorted(wanted):
        _copy(obj, kept, path.split("."))
    return kept


def _quiet(key: str, value: object, depth: int = DEPTH_LIMIT) -> object:
    if isinstance(value, SCALARS):
        return value
    if not depth:
        return None
    if isinstance(value, list | tuple):
        if key in CONTAINER_LISTS:
            return [_of_a_container(item) if isinstance(item, Mapping) else item for item in value]
        return [item if isinstance(item, SCALARS) else _quiet("", item, depth - 1) for item in value]
    if isinstance(value, OBJECTS):
        return {name: _quiet(name, item, depth - 1) for name, item in value.items() if name not in NOISE}
    return value


def _of_a_container(container: Json) -> Json:
    return {key: container[key] for key in OF_A_CONTAINER if key in container}


def _copy(source: Json, target: dict[str, object], path: list[str]) -> None:
    """Copies the value at the path, if the way there exists."""
    key, rest = path[0], path[1:]
    if key not in source:
        return
    value = source[key]
    if not rest:
        target[key] = _quiet(key, value)
        return
    below = target.setdefault(key, {})
    if isinstance(value, Mapping) and isinstance(below, dict):
        _copy(value, below, rest)
