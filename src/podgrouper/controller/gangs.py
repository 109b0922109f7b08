"""Which pods name which group, for groups that are looked after beyond being made.

Kept as pods come and go, whatever workload they are of: one event costs the same in a gang of ten and of
ten thousand.
"""

from collections.abc import Iterable, Mapping

from podgrouper.controller.bags import Bags
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import Kind, Pod, Ref


class Gangs:
    """Names of pods by the group that they name. A group is a `Ref` without uid: whatever has that name."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        profiles = tuple(profiles)
        self._kept = frozenset(profile.dialect.kind for profile in profiles if profile.upkeep.any)
        self._by_scheduler: Mapping[str, Profile] = {
            scheduler: profile
            for profile in profiles
            if profile.dialect.kind in self._kept
            for scheduler in profile.schedulers
        }
        self._members: Bags[Ref, str] = Bags()

    def at(self, kind: Kind, namespace: str, name: str) -> tuple[Ref, ...]:
        """The group of that name, if somebody looks after such groups."""
        return (Ref(kind, namespace, name),) if kind in self._kept else ()

    def members(self, group: Ref) -> Iterable[str]:
        return self._members.of(group)

    def all(self) -> tuple[Ref, ...]:
        """Those that pods name."""
        return tuple(self._members)

    def moved(self, before: Pod | None, now: Pod | None) -> tuple[Ref, ...]:
        """A pod changed, came (`before` is None) or went. Gives the groups for which that is news."""
        left = self._group_of(before) if before else None
        joined = self._group_of(now) if now else None
        if left and before and left != joined:
            self._members.discard(left, before.name)
        if joined and now:
            self._members.add(joined, now.name)
        return tuple(dict.fromkeys(group for group in (left, joined) if group))

    def _group_of(self, pod: Pod) -> Ref | None:
        profile = self._by_scheduler.get(pod.scheduler)
        link = profile.dialect.link_of(pod) if profile else None
        return (
            Ref(profile.dialect.kind, pod.namespace, link.group) if profile and link and link.group else None
        )
