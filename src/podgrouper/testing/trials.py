"""Small worlds in which a grouper shows what it does: everything that the tests of the pack look at."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from podgrouper.core.changes import plan_changes
from podgrouper.core.fields import kind_of, mapping, text
from podgrouper.core.groups import Decision
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import POD, Json, Kind, Ref
from podgrouper.core.owners import chain_of
from podgrouper.core.plans import Report
from podgrouper.core.road import Claims, boundary_of, walk
from podgrouper.core.workloads import Unseen
from podgrouper.dialects.kai import KaiDialect
from podgrouper.memory.world import World
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.policy import KaiPolicy
from podgrouper.testing.junk import spoiled

PASSES = 4
"""Worlds settle in two."""


@dataclass(frozen=True)
class Trial:
    """A grouper that nobody else's declarations help, and the objects of a cluster."""

    grouper: Grouper
    objects: tuple[Json, ...]

    def decisions(self, world: World | None = None) -> tuple[Decision, ...]:
        """What becomes of every workload of the grouper's kinds."""
        world, profile = world or self.world(self.objects), self._profile
        found: dict[Ref, list[str]] = {}
        pods = {pod.uid: pod for pod in world.pods()}
        for pod in pods.values():
            boundary = boundary_of(pod, chain_of(pod, world.object), profile, world)
            if isinstance(boundary, Ref) and self._groups(boundary.kind):
                found.setdefault(boundary, []).append(pod.uid)
        walks = (walk(ref, [pods[uid] for uid in uids], profile, world) for ref, uids in found.items())
        return tuple(decision for decision in walks if not isinstance(decision, Unseen))

    def world(self, objects: Iterable[Json]) -> World:
        world = World(objects, {})
        world.see((self._profile,))
        return world

    def settled(self, world: World) -> bool:
        """Carries out what was decided until nothing is left to do; False when there always is."""
        claims = Claims()
        for _ in range(PASSES):
            decisions = self.decisions(world)
            for decision in decisions:
                claims.stake(decision)
            plans = [plan_changes(one, self._profile.dialect, world.group, claims) for one in decisions]
            writes = [change for plan in plans for change in plan.changes if not isinstance(change, Report)]
            if not writes:
                return True
            for change in writes:
                world.apply(change)
        return False

    def orders(self) -> Iterator[tuple[Json, ...]]:
        """The pods one after the other, round from each of them, forwards and backwards."""
        pods = tuple(obj for obj in self.objects if kind_of(obj) == POD)
        for row in (pods, pods[::-1]):
            yield from (row[first:] + row[:first] for first in range(len(row)))

    def after(self, pods: Sequence[Json]) -> Mapping[str, object]:
        """The groups, and who is in them, when the pods came in this order, one by one.

        A grouper begins anew here: one that remembers what came first is found out.
        """
        return replace(self, grouper=deepcopy(self.grouper))._after(pods)

    def _after(self, pods: Sequence[Json]) -> Mapping[str, object]:
        others = [obj for obj in self.objects if kind_of(obj) != POD]
        came: list[Json] = []
        for pod in pods:
            world = self.world([*others, *came, pod])
            self.settled(world)
            others = [obj for obj in world.all() if kind_of(obj) != POD]
            came = world.of_kind(POD)
        return _outcome(world)

    def spoiled(self) -> Iterator[tuple[str, "Trial"]]:
        """What was spoiled, in words, and the trial with it: one value at a time."""
        reads = self.grouper.reads
        for what, objects in spoiled(self.objects, reads):
            yield what, Trial(self.grouper, objects)

    def _groups(self, kind: Kind) -> bool:
        return not {kind, Kind(f"{kind.group}/*", kind.kind)}.isdisjoint(self.grouper.kinds)

    @property
    def _profile(self) -> Profile:
        schedulers = frozenset(text(obj, "spec.schedulerName") for obj in self.objects if kind_of(obj) == POD)
        return Profile("kai", schedulers, KaiPolicy(None, (self.grouper,)), KaiDialect(), frozenset())


def _outcome(world: World) -> Mapping[str, object]:
    """Without what the API server gives out."""
    group_kind = KaiDialect.kind
    groups = {text(group, "metadata.name"): mapping(group, "spec") for group in world.of_kind(group_kind)}
    links = {
        text(pod, "metadata.name"): (mapping(pod, "metadata.annotations"), mapping(pod, "metadata.labels"))
        for pod in world.of_kind(POD)
    }
    return {"groups": groups, "links": links}
