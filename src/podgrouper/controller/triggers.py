"""Stages 1 and 2 of the road: news of the cluster goes into the store and out come the keys it concerns.

Synchronous and without opinions of its own: whatever happens, the affected keys are looked at again, and
state is derived from what is there then, never from which event came.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from podgrouper.controller.gangs import Gangs
from podgrouper.controller.identities import Spot
from podgrouper.controller.queue import Queue
from podgrouper.controller.roster import Dependencies, Family, Item, Roster, family_of
from podgrouper.controller.store import PRIORITY_CLASS, Look, Store
from podgrouper.controller.tables import Table
from podgrouper.core.fields import being_deleted, ref_of, text
from podgrouper.core.groups import LinkPatch
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import POD, Chain, Json, Kind, Pod, Ref, Skip
from podgrouper.core.owners import chain_of
from podgrouper.core.road import boundary_of, boundary_of_group, key_of, profile_of
from podgrouper.core.workloads import Unseen

SOON_SECONDS = 0.5
"""So long a key may wait whose pods only start: that a thousand of them do is looked at a few times."""
Skipped = Callable[[Pod, Skip | None], None]
"""Told for every pod that was looked at: why it belongs nowhere, or None when it belongs somewhere."""


class Triggers:
    """Where watches and the answers of our own requests are handed in."""

    def __init__(
        self, store: Store, queue: Queue[Item], profiles: tuple[Profile, ...], skipped: Skipped
    ) -> None:
        self.store = store
        self.roster = Roster()
        self.dependencies = Dependencies()
        self.gangs = Gangs(profiles)
        self.profiles = profiles
        self.queue = queue
        self._skipped = skipped

    def rewire(self, profiles: tuple[Profile, ...]) -> Iterator[None]:
        """Rules changed: they are in force at once, and everything is looked at again.

        What is left to do for existing groups is done step by step, by whoever iterates.
        """
        self.profiles = profiles
        self.queue_all((*self.roster.families(), *self.roster.keys()))
        groups = [(kind, spot) for kind in self.store.group_kinds for spot in self.store.table(kind).spots()]
        return self._looked_after(groups)

    def queue_all(self, items: Iterable[Item]) -> None:
        for item in items:
            self.queue.add(item)

    def profile(self, name: str) -> Profile:
        return next(profile for profile in self.profiles if profile.name == name)

    def pod_put(self, obj: Json) -> None:
        """A pod as the watch shows it."""
        self._pod_changed(self.store.put_pod(obj))

    def pod_answered(self, obj: Json) -> None:
        """A pod as the answer of our own write shows it."""
        ref = ref_of(obj)
        spot, table = (ref.namespace, ref.name), self.store.table(POD)
        was_read = table.here(*spot) is not None
        self._pod_changed(self.store.put_pod_answer(obj))
        if was_read and table.put_answer(obj):
            self.fire(POD, spot)

    def pod_linked(self, obj: Json, link: LinkPatch) -> None:
        """As `pod_answered`, for a link that was just written: no news to whoever decided it.

        Unless the pod runs: a running member counts from its link on.
        """
        spot = (text(obj, "metadata.namespace"), text(obj, "metadata.name"))
        if self.store.table(POD).here(*spot) is not None:
            self.pod_answered(obj)
            return
        change = self.store.put_pod_answer(obj)
        if change and change[0] and _only_linked(change[0], change[1], link):
            self._told(*change)
        else:
            self._pod_changed(change)

    def pod_removed(self, namespace: str, name: str, *, uid: str = "", version: str = "") -> None:
        row = self.store.remove_pod(namespace, name, uid=uid, version=version)
        if row:
            self._gone(row)

    def object_put(self, table: Table, obj: Json) -> None:
        ref = ref_of(obj)
        if table.put(obj):
            self._object_changed(table, (ref.namespace, ref.name))
        self.queue_all(self.gangs.at(table.kind, ref.namespace, ref.name))

    def object_answered(self, table: Table, obj: Json, expected_by: Item | None = None) -> None:
        """`expected_by`: who wrote it, where it came out as decided. That is news to all others."""
        ref = ref_of(obj)
        if table.put_answer(obj):
            self._object_changed(table, (ref.namespace, ref.name), expected_by)
        self.queue_all(self.gangs.at(table.kind, ref.namespace, ref.name))

    def object_removed(self, table: Table, obj: Json) -> None:
        ref = ref_of(obj)
        if table.remove(obj):
            self._object_gone(table, (ref.namespace, ref.name))

    def object_dropped(self, table: Table, spot: Spot) -> None:
        """A listing or a GET proved that the object is gone."""
        table.drop(spot)
        self._object_gone(table, spot)

    def fire(self, kind: Kind, spot: Spot, but: Item | None = None) -> None:
        """Whatever looked at this object is looked at again."""
        self.queue_all(item for item in self.dependencies.at(kind, spot) if item != but)

    def fire_kind(self, table: Table) -> None:
        """How much is known about a kind changed."""
        self.queue_all(self.dependencies.on(table.kind))

    def place(self, profile_name: str, pod: Pod) -> Unseen | None:
        """Finds the boundary of a pod from what is known; or what has to be read for it."""
        family = family_of(profile_name, pod)
        unseen = self._placed(family, pod, *self._way(family, pod))
        key = self.roster.key_of(pod)
        if key and not unseen:
            self.queue.add(key)
        return unseen

    def place_family(self, family: Family) -> Iterator[Unseen | None]:
        """As `place`, one pod after the other, up to the first one for which something has to be read.

        Their chain is followed once for all of them: if it changes meanwhile, the family is woken again.
        """
        way: tuple[Look, Chain] | None = None
        for name in self.roster.of_family(family):
            pod = self.store.pod(family.namespace, name)
            if pod is None:
                continue
            way = way or self._way(family, pod)
            unseen = self._placed(family, pod, *way)
            yield unseen
            if unseen:
                return

    def _way(self, family: Family, pod: Pod) -> tuple[Look, Chain]:
        look = self.store.look()
        chain = chain_of(pod, look.object)
        self.dependencies.note(family, look)
        return look, chain

    def _placed(self, family: Family, pod: Pod, look: Look, chain: Chain) -> Unseen | None:
        """Wakes a key that gains or loses the pod."""
        profile = self.profile(family.profile)
        seen = len(look.places)
        boundary = boundary_of(pod, chain, profile, look)
        if len(look.places) > seen:
            self.dependencies.note(family, look)
        if isinstance(boundary, Unseen):
            self.roster.wait(pod)
            return boundary
        key = key_of(boundary, profile, pod.namespace) if isinstance(boundary, Ref) else None
        self.queue_all(self.roster.settle(pod, key, boundary if isinstance(boundary, Ref) else None))
        self._skipped(pod, boundary if isinstance(boundary, Skip) else None)
        return None

    def _pod_changed(self, change: tuple[Pod | None, Pod] | None) -> None:
        if change is None:
            return
        before, row = change
        if before and before.uid != row.uid:
            self._gone(before)
            before = None
        profile = profile_of(row, self.profiles)
        if profile and (before is None or before._replace(version=row.version) != row):
            self._pod_is_other(profile, before, row)

    def _pod_is_other(self, profile: Profile, before: Pod | None, row: Pod) -> None:
        self._doubt_its_group(profile, before, row)
        family = family_of(profile.name, row)
        if before and before.owners != row.owners:
            self._part(family_of(profile.name, before), before)
        self.roster.join(family, row)
        if before is None or _metadata(before) != _metadata(row):
            self.store.table(POD).forget((row.namespace, row.name))
        key = self.roster.key_of(row)
        if before and key and _keeps_its_place(before, row):
            self.queue.add_later(key, SOON_SECONDS)
        else:
            self._find_place(family, row, is_new=before is None)
        self._told(before, row)

    def _told(self, before: Pod | None, row: Pod) -> None:
        """Whoever looked at the pod, or for pods like it, looks again."""
        self.queue_all(self.gangs.moved(before, row))
        self.fire(POD, (row.namespace, row.name))
        for pod in (before, row):
            if pod:
                self.queue_all(self.dependencies.asking_for(pod))

    def _find_place(self, family: Family, row: Pod, *, is_new: bool) -> None:
        """A family that waits for its turn will place a new pod with all its others."""
        if is_new and self.queue.awaits(family):
            self.roster.wait(row)
        elif self.place(family.profile, row):
            self.queue.add(family)

    def _doubt_its_group(self, profile: Profile, before: Pod | None, row: Pod) -> None:
        """A group that was missing may have come right before the pod that names it now."""
        link = profile.dialect.link_of(row)
        if link and link.group and not (before and profile.dialect.link_of(before) == link):
            self.store.table(profile.dialect.kind).doubt((row.namespace, link.group))

    def _gone(self, row: Pod) -> None:
        profile = profile_of(row, self.profiles)
        if profile is None:
            return
        self.queue_all(self.gangs.moved(row, None))
        self._part(family_of(profile.name, row), row)
        self.queue_all(self.roster.settle(row, None, None))
        self.queue_all(self.dependencies.asking_for(row))
        self._skipped(row, None)
        self.store.table(POD).drop((row.namespace, row.name), row.uid)
        self.fire(POD, (row.namespace, row.name))

    def _part(self, family: Family, row: Pod) -> None:
        if self.roster.part(family, row):
            self.dependencies.forget(family)

    def _object_changed(self, table: Table, spot: Spot, but: Item | None = None) -> None:
        self.fire(table.kind, spot, but)
        if table.kind == PRIORITY_CLASS:
            self.fire(PRIORITY_CLASS, ("", ""))
            self.queue_all(self.gangs.all())
        if table.kind in self.store.group_kinds:
            self._look_after(table.kind, spot)

    def _object_gone(self, table: Table, spot: Spot) -> None:
        self._object_changed(table, spot)
        if table.kind in self.store.group_kinds:
            key = self.roster.let_go(spot)
            if key:
                self.queue.add(key)
            self.queue_all(self.gangs.at(table.kind, *spot))

    def _looked_after(self, groups: Iterable[tuple[Kind, Spot]]) -> Iterator[None]:
        for group_kind, spot in groups:
            self._look_after(group_kind, spot)
            yield

    def _look_after(self, group_kind: Kind, spot: Spot) -> None:
        """A group whose boundary stands for itself (a ReplicaSet at 0) has a key even without pods."""
        for profile in self.profiles:
            if profile.dialect.kind != group_kind or not profile.reads.self_standing:
                continue
            group = self.store.table(profile.dialect.kind).here(*spot)
            boundary = boundary_of_group(group, profile) if group and not being_deleted(group) else None
            if boundary:
                key = key_of(boundary, profile, boundary.namespace)
                before = self.roster.hold(key, boundary, spot)
                self.queue_all(one for one in (before, key) if one)


def _keeps_its_place(before: Pod, row: Pod) -> bool:
    """Nothing changed but where the pod runs and how it fares, and it lives as it did."""
    return before.live == row.live and _but_for_its_course(before) == _but_for_its_course(row)


def _but_for_its_course(pod: Pod) -> Pod:
    return pod._replace(version="", node="", phase="", blocked="", resources="")


def _only_linked(before: Pod, row: Pod, link: LinkPatch) -> bool:
    """The link stands and nothing else changed. A pod that runs counts from its link on: that is news."""
    return (
        row.phase != "Running"
        and _but_for_its_link(before) == _but_for_its_link(row)
        and _with(before.annotations, link.annotations, row.annotations)
        and _with(before.labels, link.labels, row.labels)
    )


def _but_for_its_link(pod: Pod) -> Pod:
    return pod._replace(version="", labels={}, annotations={}, has_labels=True, has_annotations=True)


def _with(before: Mapping[str, str], link: Mapping[str, str], now: Mapping[str, str]) -> bool:
    return before == now if not link else {**before, **link} == dict(now)


def _metadata(pod: Pod) -> tuple[object, ...]:
    """What of a pod that was read as a whole may be out of date when it changes."""
    return (pod.labels, pod.annotations, pod.owners, pod.deleting)
