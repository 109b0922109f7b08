"""How many pods a Kubeflow training job has: the sum over its replica types, unless its policy says."""

from collections.abc import Mapping

from podgrouper.core.model import Json, Owner
from podgrouper.policies.kai.values import BadValue, number_at, object_at

MIN_AVAILABLE = "spec.runPolicy.schedulingPolicy.minAvailable"


def members_of_gang(owner: Owner, path: str, required: tuple[str, ...] = ()) -> int:
    """What `minAvailable` says, else all replicas."""
    asked = number_at(owner, MIN_AVAILABLE)
    return replicas_in_all(owner, path, required) if asked is None else asked


def replicas_in_all(owner: Owner, path: str, required: tuple[str, ...] = ()) -> int:
    """The sum over all replica types, each of which must say how many."""
    types = replica_types(owner, path)
    for name in required:
        if name not in types:
            raise BadValue(f"{owner.ref}, {path} has no {name}: add it")
    total = 0
    for name in types:
        count = number_at(owner, f"{path}.{name}.replicas")
        if not count:
            raise BadValue(f"{owner.ref}, {path}.{name}.replicas is absent or 0: say how many")
        total += count
    if total <= 0:
        raise BadValue(f"{owner.ref}, {path} asks for {total} replicas in all: say how many")
    return total


def replica_types(owner: Owner, path: str) -> Mapping[str, Json]:
    """Replica type -> what the owner says about it."""
    types = object_at(owner, path)
    if types is None:
        raise BadValue(f"{owner.ref} has no {path}: add its replica types")
    return {name: entry if isinstance(entry, Mapping) else {} for name, entry in types.items()}
