"""A PodGang's tree of parts: its groups of pods as leaves, its groups of groups above them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from podgrouper.core.fields import annotations
from podgrouper.core.groups import Part, Topology
from podgrouper.core.model import Json, Owner
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.defaults import topology_of
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.sources import as_it_is, first_usable, owner_annotations
from podgrouper.policies.kai.values import BadValue, number_in, object_at, value_in

GROUPS, CONFIGS = "spec.podgroups", "spec.topologyConstraintGroupConfigs"
CONSTRAINT = "topologyConstraint.packConstraint"


@dataclass(frozen=True, slots=True)
class Parts:
    """The tree, parents first, and the names of the pods that each leaf lists."""

    parents: tuple[Part, ...]
    leaves: tuple[tuple[Part, frozenset[str]], ...]


def parts_of(scene: Scene) -> Parts:
    """The parts of the PodGang that is the scene's owner."""
    name = topology_name(scene)
    parents: list[Part] = []
    parent_of: dict[str, str] = {}
    for entry, what in _entries(scene.owner, CONFIGS):
        names = [_text(value, f"{what}.podGroupNames") for value in _list(entry, "podGroupNames", what)]
        if names:
            topology = _constraint(entry, what, name)
            parent = Part(_name(entry, what), floor_of_parts=len(names), topology=topology)
            parents.append(parent)
            parent_of |= dict.fromkeys(names, parent.name)
    leaves = [_leaf(entry, what, scene, name) for entry, what in _entries(scene.owner, GROUPS)]
    return Parts(
        tuple(parents),
        tuple((replace(part, parent=parent_of.get(part.name, "")), pods) for part, pods in leaves),
    )


def topology_name(scene: Scene) -> str:
    """Which topology the constraints speak of: Grove's word before KAI's."""
    named = annotations(scene.owner.object).get(keys.GROVE_TOPOLOGY, "")
    return named or first_usable(owner_annotations(scene.voices, keys.TOPOLOGY), as_it_is).value


def root_topology(scene: Scene) -> Topology | None:
    """The PodGang's constraint; what it leaves open is filled from KAI's annotations."""
    spec = object_at(scene.owner, "spec") or {}
    asked = _constraint(spec, f"{scene.owner.ref}, spec", topology_name(scene))
    usual = topology_of(scene.voices)
    if asked is None or usual is None:
        return asked or usual
    return replace(
        asked,
        required_level=asked.required_level or usual.required_level,
        preferred_level=asked.preferred_level or usual.preferred_level,
    )


def _leaf(entry: Json, what: str, scene: Scene, topology: str) -> tuple[Part, frozenset[str]]:
    floor = number_in(entry, "minReplicas", what)
    if floor is None or floor <= 0:
        raise BadValue(f"{what}.minReplicas is {floor}: write a number above 0")
    pods = frozenset(
        _pod(reference, f"{what}.podReferences[{place}]", scene.namespace)
        for place, reference in enumerate(_list(entry, "podReferences", what))
    )
    return Part(_name(entry, what), floor=floor, topology=_constraint(entry, what, topology)), pods


def _pod(reference: object, what: str, namespace: str) -> str:
    if not isinstance(reference, Mapping):
        raise BadValue(f"{what} is no object: write namespace and name of a pod")
    name, place = (_text(reference.get(key), f"{what}.{key}") for key in ("name", "namespace"))
    if place != namespace:
        raise BadValue(f"{what} is in namespace {place!r}: a gang lives in one, {namespace!r}")
    return name


def _constraint(entry: Json, what: str, name: str) -> Topology | None:
    levels = [value_in(entry, f"{CONSTRAINT}.{key}", what) for key in ("required", "preferred")]
    required, preferred = ("" if level is None else _text(level, f"{what}.{CONSTRAINT}") for level in levels)
    if not required and not preferred:
        return None
    if not name:
        raise BadValue(f"{what} has a constraint but no topology: add annotation {keys.GROVE_TOPOLOGY}")
    return Topology(name=name, required_level=required, preferred_level=preferred)


def _entries(gang: Owner, path: str) -> Iterator[tuple[Json, str]]:
    for place, entry in enumerate(_list(gang.object, path, str(gang.ref))):
        what = f"{gang.ref}, {path}[{place}]"
        if not isinstance(entry, Mapping):
            raise BadValue(f"{what} is no object")
        yield entry, what


def _list(obj: Json, path: str, what: str) -> tuple[object, ...]:
    value = value_in(obj, path, what)
    if not isinstance(value, list | tuple | None):
        raise BadValue(f"{what}, {path} is no list")
    return tuple(value or ())


def _name(entry: Json, what: str) -> str:
    return _text(entry.get("name"), f"{what}.name")


def _text(value: object, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise BadValue(f"{what} is {str(value)[:60]!r}: write a text")
    return value
