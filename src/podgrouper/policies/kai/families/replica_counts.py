"""How many pods a Kubeflow training job has: the sum over its replica types, unless its policy says.

KAI takes most of these jobs in one piece. Schedulers that count by role are told the replica types too.
"""

from collections.abc import Mapping
from dataclasses import replace

from podgrouper.core.fields import integer, mapping
from podgrouper.core.groups import Group, Part
from podgrouper.core.model import Json, Owner, Pod
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.values import BadValue, number_at, object_at

MIN_AVAILABLE = "spec.runPolicy.schedulingPolicy.minAvailable"
FIRST = ("launcher", "master", "chief", "ps")
"""Types without which the others can do nothing: of a floor that is less than all replicas they get theirs
before anybody."""
LAST = ("worker", "evaluator")


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


def templates_of(owner: Owner, path: str) -> Mapping[str, Json]:
    """Replica type, as the pods' label has it, to what its pods are made from."""
    types = mapping(owner.object, path)
    return {name.lower(): mapping(types[name], "template") for name in types}


def in_roles(group: Group, owner: Owner, path: str, absent: frozenset[str] = frozenset()) -> Group:
    """The group with a role for each replica type, and the floor given out to them.

    Those that lead get theirs first. `absent` are types whose pods are made only later. A count that makes
    no sense is none here: whether it matters is for whoever computes the floor.
    """
    types, templates = mapping(owner.object, path), templates_of(owner, path)
    counts = {name.lower(): integer(types[name], "replicas", 0) for name in types}
    left = group.floor or 0
    roles: list[Part] = []
    for name in sorted(counts, key=_precedence):
        floor = 0 if name in absent else max(0, min(counts[name], left))
        roles.append(Part(name, floor=floor, template=templates[name]))
        left -= floor
    placed = (replace(placement, role=role_of(placement.pod)) for placement in group.placements)
    return replace(group, roles=tuple(roles), placements=tuple(placed))


def role_of(pod: Pod) -> str:
    """The replica type that the operator wrote on the pod; MPI's own operator has another word for it."""
    return (pod.labels.get(keys.REPLICA_TYPE) or pod.labels.get(keys.JOB_ROLE, "")).lower()


def _precedence(name: str) -> tuple[int, str]:
    if name in FIRST:
        return FIRST.index(name), name
    return (len(FIRST) + 1 + LAST.index(name) if name in LAST else len(FIRST)), name
