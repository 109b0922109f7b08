"""What a grouper sees of a workload: its owner with what it inherits, its members, its settings.

The owner that pods are grouped by may sit below one that only wraps it (an Argo Workflow above a Job).
Labels and annotations of the wrapper count for it too, where it has none of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from podgrouper.core.fields import annotations, items, labels
from podgrouper.core.model import Answer, GroupWanted, Json, Member, Owner, OwnerRef, Ref, Want, Workload
from podgrouper.policies.kai.settings import KaiSettings


@dataclass(frozen=True, slots=True)
class Scene:
    """One workload, ready to be grouped."""

    namespace: str
    owner: Owner
    """What the pods belong to: names the group, owns it, and speaks first."""
    skipped: tuple[Owner, ...]
    """The wrappers above the owner, nearest first."""
    members: tuple[Member, ...]
    """By creation, then name: live pods, and finished ones that are linked to a group of this workload."""
    settings: KaiSettings
    priority_classes: frozenset[str] | None = frozenset()
    answers: Mapping[Want, Answer] = field(default_factory=dict)

    @property
    def voices(self) -> tuple[Owner, ...]:
        """The owner and, for what it does not say itself, its wrappers."""
        return (self.owner, *self.skipped)

    @property
    def labels(self) -> Mapping[str, str]:
        return inherited(labels(owner.object) for owner in self.voices)

    @property
    def annotations(self) -> Mapping[str, str]:
        return inherited(annotations(owner.object) for owner in self.voices)

    def chain_to_owner(self, member: Member) -> tuple[Owner, ...]:
        """The owners of a member, nearest first, up to the one that its workload is grouped by."""
        if self.owner.ref.uid == member.pod.uid:
            return (self.owner,)
        between: list[Owner] = []
        for link in member.chain.owners:
            if link.ref.uid == self.owner.ref.uid:
                break
            between.append(link)
        return (*between, self.owner)

    def has_priority_class(self, name: str) -> bool:
        """Where they may not be read everybody is taken at their word: the scheduler knows better."""
        return self.priority_classes is None or name in self.priority_classes

    def live_group(self, name: str) -> Json | None:
        """The PodGroup of that name, if it was asked for and exists."""
        answer = self.answers.get(GroupWanted(self.namespace, name))
        return answer if isinstance(answer, Mapping) else None

    def is_flat(self, name: str) -> bool:
        """A PodGroup of that name exists and has no parts: made by a KAI that knew none."""
        group = self.live_group(name) if self.settings.search_legacy_groups else None
        return group is not None and not items(group, "spec.subGroups")


def scene_of(workload: Workload, members: tuple[Member, ...], settings: KaiSettings) -> Scene:
    """The workload as groupers see it; `members` are those of its pods that count."""
    return Scene(
        namespace=workload.members[0].pod.namespace,
        owner=Owner(workload.boundary, workload.root),
        skipped=_above(workload),
        members=members,
        settings=settings,
        priority_classes=workload.priority_classes,
        answers=workload.answers,
    )


def _above(workload: Workload) -> tuple[Owner, ...]:
    """The owners above the boundary: the same whichever member is asked, for they are the boundary's own."""
    uid = workload.boundary.uid
    member = workload.members[0]
    owners = member.chain.owners
    place = next((place for place, owner in enumerate(owners) if owner.ref.uid == uid), None)
    if place is not None:
        return owners[place + 1 :]
    return owners if member.pod.uid == uid else ()


def inherited(maps: Iterable[Mapping[str, str]]) -> Mapping[str, str]:
    """All entries; of one key the first map's."""
    merged: dict[str, str] = {}
    for entries in maps:
        for key, value in entries.items():
            merged.setdefault(key, value)
    return merged


def reference_to(ref: Ref) -> OwnerRef:
    """How a group names its owner: without flags, so that nobody needs rights on the owner's finalizers."""
    return OwnerRef(ref.kind, ref.name, ref.uid)
