"""What must start together, for a scheduler that counts pods and tasks and knows no trees.

A task is a leaf of the tree of parts, or a role of a group without one. Volcano looks at the floors of tasks
only while their sum is within `minMember`, so the group as a whole never asks for less than its tasks.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from podgrouper.core.groups import Group, Part, Placement
from podgrouper.core.model import Pod
from podgrouper.core.quantity import ZERO, Quantity
from podgrouper.core.resources import asked_in, gang_resources

TASK = "volcano.sh/task-spec"
"""On a pod, as annotation or as label: the task that it belongs to."""
ROOT = ""
SHOWN = 5

Amounts = Mapping[str, Quantity]


@dataclass(frozen=True, slots=True)
class Need:
    """What a group, or a branch of it, takes to start."""

    members: int = 0
    tasks: Mapping[str, int] = field(default_factory=dict)
    """Task -> how many of its pods; only of those without which it never starts."""
    resources: Amounts = field(default_factory=dict)
    lost: tuple[str, ...] = ()


def need_of(group: Group) -> Need:
    """What the whole group takes to start; of a group in one piece its floor, in pods like its oldest."""
    seen = _Seen.of(group)
    if group.roles:
        return _together(_of_leaf(role, seen) for role in group.roles)
    if group.parts:
        return _of_branch(ROOT, group.floor_of_parts, seen)
    whole = Part(ROOT, floor=1 if group.floor is None else group.floor)
    return Need(whole.floor or 0, {}, _resources(whole, tuple(seen.everybody)))


def task_of(placement: Placement) -> str:
    """The task that a pod is to belong to."""
    return placement.role or placement.part


def standing_task(pod: Pod) -> str:
    """The task that a pod names now, as the scheduler reads it: its annotation before its label."""
    return pod.annotations.get(TASK, "") or pod.labels.get(TASK, "")


@dataclass(frozen=True, slots=True)
class _Seen:
    """A group by its parts, looked through once: it may have thousands of pods and of parts."""

    below: Mapping[str, Sequence[Part]]
    pods: Mapping[str, Sequence[Pod]]
    """Task -> its live pods, oldest first."""

    @classmethod
    def of(cls, group: Group) -> "_Seen":
        below: dict[str, list[Part]] = {}
        pods: dict[str, list[Pod]] = {}
        for part in group.parts:
            below.setdefault(part.parent, []).append(part)
        for placement in group.placements:
            if placement.pod.live:
                pods.setdefault(task_of(placement), []).append(placement.pod)
        return cls(below, pods)

    @property
    def everybody(self) -> Iterator[Pod]:
        return chain.from_iterable(self.pods.values())


def _of_branch(parent: str, wanted: int | None, seen: _Seen) -> Need:
    """All parts below that ask for anything; where fewer suffice, the smallest, and none of them by name."""
    needs = [(part.name, need) for part in seen.below[parent] if (need := _of_part(part, seen)).members]
    if wanted is None or wanted >= len(needs):
        return _together(need for _, need in needs)
    some = _together(sorted((need for _, need in needs), key=lambda need: need.members)[:wanted])
    choice = f"that any {wanted} of its parts {shown(name for name, _ in needs)} suffice"
    return Need(some.members, {}, some.resources, (*some.lost, choice))


def _of_part(part: Part, seen: _Seen) -> Need:
    return (
        _of_branch(part.name, part.floor_of_parts, seen) if part.name in seen.below else _of_leaf(part, seen)
    )


def _of_leaf(part: Part, seen: _Seen) -> Need:
    pods = seen.pods.get(part.name, ())
    if not part.floor:
        return Need()
    resources = _resources(part, pods)
    other = next((task for pod in pods if (task := standing_task(pod)) not in ("", part.name)), "")
    if other:
        kept = f"the floor of {part.name} ({part.floor}): its pods belong to the task {other!r} already"
        return Need(part.floor, {}, resources, (kept,))
    return Need(part.floor, {part.name: part.floor}, resources)


def _resources(part: Part, pods: Sequence[Pod]) -> Amounts:
    """The floor, in pods like the oldest that lives; before there is one, as its template has it.

    A pod is believed before its template: it went through admission, which adds sidecars and defaults.
    """
    if not pods and not part.template:
        return {}
    return gang_resources(pods[0].resources if pods else asked_in(part.template), part.floor or 0)


def _together(needs: Iterable[Need]) -> Need:
    """The sum, in one go: a JobSet may have thousands of leaves."""
    members, tasks, lost = 0, dict[str, int](), list[str]()
    resources: dict[str, Quantity] = {}
    for need in needs:
        members += need.members
        tasks.update(need.tasks)
        lost.extend(need.lost)
        for name, amount in need.resources.items():
            resources[name] = resources.get(name, ZERO) + amount
    return Need(members, tasks, resources, tuple(lost))


def shown(names: Iterable[str]) -> str:
    """Names in a sentence: the first few, and how many there are besides."""
    told = list(names)
    more = f" and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
    return ", ".join(told[:SHOWN]) + more
