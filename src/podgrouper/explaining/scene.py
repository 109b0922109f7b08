"""Everything that bears on one group, gathered from a world: what was decided, what is there, who is in."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from podgrouper.core.fields import ref_of, text
from podgrouper.core.groups import Decision, Group, Rendered
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import POD, Chain, Json, Kind, OwnerRef, Pod, Ref, Skip
from podgrouper.core.observed import pods_by_group
from podgrouper.core.owners import chain_of
from podgrouper.core.road import boundary_of, profile_of, walk
from podgrouper.core.status import Gang, tallies_of
from podgrouper.core.workloads import Unseen
from podgrouper.memory.world import World

EVENT = Kind("v1", "Event")


@dataclass(frozen=True, slots=True)
class Scene:
    """One pod in the light, and the group that it is in or should be in."""

    world: World
    profiles: tuple[Profile, ...]
    pod: Pod
    chain: Chain
    profile: Profile | None = None
    skip: Skip | None = None
    """Why the pod belongs to no group by our rules."""
    decision: Decision | None = None
    rendered: Rendered | None = None
    """The group by our rules."""
    name: str = ""
    """The group that the pod names, else the one by our rules."""
    live: Json | None = None
    """The PodGroup of that name."""
    members: tuple[Pod, ...] = ()
    """The pods that name it; where it does not exist yet, those that would."""

    @property
    def group(self) -> Group | None:
        return self.rendered.group if self.rendered else None

    @property
    def shown(self) -> Json | None:
        """The PodGroup as it is, else as it would be."""
        return self.live or (self.rendered.object if self.rendered else None)

    @property
    def gang(self) -> Gang | None:
        """What the group asks for and what its members do; a member that is not linked yet counts already."""
        if self.profile is None or self.shown is None:
            return None
        lifecycle = self.profile.dialect.lifecycle
        seats = [(pod, self.part_of(pod)) for pod in self.members]
        return Gang(lifecycle.floors(self.shown), tallies_of(seats), lifecycle.read(self.shown).phase)

    def part_of(self, pod: Pod) -> str:
        """The part that the pod says it is in, else the one that our rules give it."""
        link = self.profile.dialect.link_of(pod) if self.profile else None
        if link and link.group:
            return link.part
        placements = self.group.placements if self.group else ()
        return next((one.part or one.role for one in placements if one.pod.uid == pod.uid), "")

    @property
    def group_ref(self) -> Ref | None:
        """The PodGroup as it is spoken of."""
        if self.profile is None or not self.name:
            return None
        return Ref(self.profile.dialect.kind, self.pod.namespace, self.name)

    @property
    def link_key(self) -> str:
        """The annotation by which the pod names its group."""
        keys = sorted(self.profile.dialect.reads.annotations) if self.profile else ()
        return next((key for key in keys if self.pod.annotations.get(key) == self.name), "")

    def whole_pod(self, pod: Pod) -> Json:
        return self.world.whole(POD, pod.namespace, pod.name) or {}

    def whole_owner(self, at: OwnerRef) -> Json | None:
        found = self.world.whole(at.kind, self.pod.namespace, at.name)
        return found if found and ref_of(found).uid == at.uid else None

    def events_about(self, about: Ref) -> Iterator[Json]:
        """Newest last. By name, because events outlive the objects that they are about."""
        found = (
            event
            for event in self.world.of_kind(EVENT)
            if text(event, "involvedObject.kind") == about.kind.kind
            and text(event, "involvedObject.name") == about.name
            and text(event, "metadata.namespace") == about.namespace
        )
        yield from sorted(found, key=_time_of)


def scene_of(pod: Pod, world: World, profiles: tuple[Profile, ...]) -> Scene:
    """The scene around one pod."""
    chain = chain_of(pod, world.object)
    profile = profile_of(pod, profiles)
    if profile is None:
        return Scene(world, profiles, pod, chain)
    boundary = boundary_of(pod, chain, profile, world)
    if isinstance(boundary, Skip):
        return _around(Scene(world, profiles, pod, chain, profile, boundary))
    assert not isinstance(boundary, Unseen), "a world in files is seen as a whole"
    decision = walk(boundary, _pods_below(boundary, world, profile), profile, world)
    assert not isinstance(decision, Unseen), "a world in files is seen as a whole"
    unplaced = {entry.pod.uid: entry.skip for entry in decision.grouping.unplaced}
    rendered = next((one for one in decision.rendered if _holds(one.group, pod)), None)
    found = Scene(world, profiles, pod, chain, profile, unplaced.get(pod.uid), decision, rendered)
    return _around(found)


def _around(scene: Scene) -> Scene:
    """With the PodGroup and the members, where there is anything to name one."""
    assert scene.profile is not None
    dialect = scene.profile.dialect
    link = dialect.link_of(scene.pod)
    group = scene.group
    name = (link.group if link else "") or (group.name if group else "")
    if not name:
        return scene
    linked = pods_by_group(scene.world.pods(), dialect).get((scene.pod.namespace, name), ())
    planned = tuple(placement.pod for placement in group.placements) if group and group.name == name else ()
    there = {pod.uid for pod in linked}
    return replace(
        scene,
        name=name,
        live=scene.world.whole(dialect.kind, scene.pod.namespace, name),
        members=(*linked, *(pod for pod in planned if pod.uid not in there)),
    )


def _pods_below(boundary: Ref, world: World, profile: Profile) -> Iterator[Pod]:
    """The pods of that boundary, found as the controller finds them."""
    for pod in world.pods():
        if profile_of(pod, (profile,)):
            found = boundary_of(pod, chain_of(pod, world.object), profile, world)
            if isinstance(found, Ref) and found.uid == boundary.uid:
                yield pod


def pods_meant(about: Ref, world: World, profiles: Iterable[Profile]) -> tuple[Pod, ...]:
    """The pods that a question about this object is about, by age."""
    pods = sorted(world.pods(), key=lambda pod: (pod.created, pod.namespace, pod.name))
    here = [pod for pod in pods if about.namespace in ("", pod.namespace)]
    if about.kind == POD:
        return tuple(pod for pod in here if pod.name == about.name)
    for profile in profiles:
        if profile.dialect.kind == about.kind:
            linked = [
                pod for pod in here if (link := profile.dialect.link_of(pod)) and link.group == about.name
            ]
            return tuple(linked or (pod for pod in here if _would_be_in(pod, about.name, world, profile)))
    return tuple(pod for pod in here if _below(pod, about, world))


def _would_be_in(pod: Pod, name: str, world: World, profile: Profile) -> bool:
    return bool(profile_of(pod, (profile,))) and scene_of(pod, world, (profile,)).name == name


def _below(pod: Pod, about: Ref, world: World) -> bool:
    """Owners that cannot be read count by what the reference says."""
    chain = chain_of(pod, world.object)
    refs = [owner.ref for owner in chain.owners]
    broken = chain.broken_at
    if broken:
        refs.append(Ref(broken.kind, pod.namespace, broken.name, broken.uid))
    direct = [Ref(owner.kind, pod.namespace, owner.name, owner.uid) for owner in pod.owners]
    return any(ref.kind == about.kind and ref.name == about.name for ref in (*refs, *direct))


def _holds(group: Group, pod: Pod) -> bool:
    return any(placement.pod.uid == pod.uid for placement in group.placements)


def _time_of(event: Json) -> str:
    return (
        text(event, "lastTimestamp") or text(event, "eventTime") or text(event, "metadata.creationTimestamp")
    )
