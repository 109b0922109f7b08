"""An operator for all families: makes the world as it is told to, and reads what became of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podgrouper.core.model import POD, Kind
from tests.cluster.api import Object
from tests.cluster.kai.things import Thing, pod
from tests.cluster.scenes import Scene
from tests.cluster.waiting import eventually

SUBGROUP = "kai.scheduler/subgroup-name"
SECONDS = 30.0


class Operator:
    """Things come with their owners first, and go from below."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._made: dict[tuple[Kind, str], tuple[Thing, Object]] = {}

    def bring_about(self, things: Iterable[Thing]) -> None:
        """Makes what is missing, changes what says something else now, deletes what is not among them."""
        wanted = {thing.key: thing for thing in things}
        for key in [key for key in reversed(self._made) if key not in wanted]:
            self._delete(key)
        for thing in wanted.values():
            self._make(thing)

    def make_anew(self, thing: Thing) -> None:
        """As a pod that was lost is: under its old name, with a life of its own, and not at once."""
        self._delete(thing.key)
        self._loss_is_noticed()
        self._make(thing)

    def delete_the_workload(self) -> None:
        """Its top alone: the rest is for the garbage collector."""
        for key, (thing, _) in self._made.items():
            if thing.owner is None:
                self._delete_object(key)
        self._made.clear()

    def settles(self, floors: Sequence[Mapping[str, int]]) -> None:
        """Waits until every pod is linked to where it belongs, and the groups ask for so much."""
        expected = sorted(floors, key=str)
        eventually(lambda: floors_in(self._scene), lambda found: found == expected, within=SECONDS)
        eventually(self._astray, lambda found: found == {}, within=SECONDS)

    def generations(self) -> Mapping[str, int]:
        """Group -> how often what it asks for was written. All pods run before it looks."""
        eventually(self._phases, lambda phases: phases <= {"Running"}, within=SECONDS)
        return {name: group["metadata"]["generation"] for name, group in self._scene.groups().items()}

    def asks_as_before(self, before: Mapping[str, int]) -> bool:
        """No group that is still there was told anything else in between, not even for a moment."""
        now = self.generations()
        return all(now.get(name, generation) == generation for name, generation in before.items())

    def nothing_is_left(self) -> None:
        eventually(lambda: [*self._scene.pods(), *self._scene.groups()], lambda left: not left, within=60)

    def _loss_is_noticed(self) -> None:
        """Pods come in one stream and are handled in their order: a later one that is linked shows it."""
        later = pod("later")
        self._make(later)
        eventually(self._scene.links, lambda links: later.name in links, within=SECONDS)
        self._delete(later.key)

    def _phases(self) -> set[str]:
        return {one["status"]["phase"] for one in self._scene.pods()}

    def _astray(self) -> Mapping[str, str]:
        """Pods that name no group that exists, or a wrong part of it, with the part that they name."""
        groups, links = self._scene.groups(), self._scene.links()
        found = {one["metadata"]["name"]: one["metadata"].get("labels", {}) for one in self._scene.pods()}
        named = {name: labels.get(SUBGROUP, "") for name, labels in found.items()}
        return {
            name: part
            for name, part in named.items()
            if links.get(name) not in groups or part != self._made[POD, name][0].part
        }

    def _make(self, thing: Thing) -> None:
        before, live = self._made.get(thing.key, (None, None))
        if before is None or live is None:
            owner = self._made[thing.owner.key][1] if thing.owner else None
            made = self._scene.plane.api.create(thing.manifest(self._scene.namespace, owner))
            self._made[thing.key] = thing, made
        elif before.more != thing.more:
            patched = self._patch(thing)
            self._made[thing.key] = thing, patched

    def _patch(self, thing: Thing) -> Any:
        api, namespace = self._scene.plane.api, self._scene.namespace
        return api.patch(thing.kind, namespace, thing.name, thing.inside(namespace))

    def _delete(self, key: tuple[Kind, str]) -> None:
        self._delete_object(key)
        del self._made[key]

    def _delete_object(self, key: tuple[Kind, str]) -> None:
        self._scene.plane.api.delete(key[0], self._scene.namespace, key[1])


def floors_in(scene: Scene) -> list[Mapping[str, int]]:
    """Of all groups, in one order."""
    return sorted((floors_of(group) for group in scene.groups().values()), key=str)


def floors_of(group: Object) -> Mapping[str, int]:
    """What a group asks for: of the whole under an empty name, and of every subgroup."""
    asked = {"": group["spec"], **{part["name"]: part for part in group["spec"].get("subGroups", [])}}
    return {name: spec.get("minMember", spec.get("minSubGroup")) for name, spec in asked.items()}
