"""What a grouping has to be besides well typed, or no scheduler could do anything with it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from podgrouper.core.fields import uid
from podgrouper.core.groups import Group, Grouping, Placement, Retired, Unplaced
from podgrouper.core.model import Pod
from podgrouper.policies.kai.outside.typed import grouping_of, packed, unpacked
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.texts.names import is_subdomain
from podgrouper.policies.kai.values import INT32_MAX

TOLD = 3
"""A gang of ten thousand may have ten thousand things wrong with it, all of them the same."""


class Nonsense(ValueError):
    """A grouping that cannot be meant. The message says what is wrong with it, the first few things."""


def sensible(grouping: Grouping, scene: Scene) -> Grouping:
    """The same grouping, of the pods of this scene. Raises `Mistyped` or `Nonsense`."""
    typed = unpacked(packed(grouping_of(grouping)), Grouping)
    pods = {member.pod.uid: member.pod for member in scene.members}
    problems = tuple(_problems(typed, scene, pods))
    if problems:
        more = len(problems) - TOLD
        raise Nonsense("; ".join((*problems[:TOLD], *([f"and {more} more"] if more > 0 else []))))
    return replace(
        typed,
        groups=tuple(replace(group, placements=_ours(group.placements, pods)) for group in typed.groups),
        unplaced=tuple(Unplaced(pods[entry.pod.uid], entry.skip) for entry in typed.unplaced),
    )


def _ours(placements: Iterable[Placement], pods: Mapping[str, Pod]) -> tuple[Placement, ...]:
    return tuple(replace(placement, pod=pods[placement.pod.uid]) for placement in placements)


def _problems(grouping: Grouping, scene: Scene, pods: Mapping[str, Pod]) -> Iterator[str]:
    yield from _of_pods(grouping, pods)
    for name, count in Counter(group.name for group in grouping.groups).items():
        if count > 1:
            yield f"{count} groups are called {name!r}"
    known = _uids(scene)
    for group in grouping.groups:
        yield from (f"group {group.name[:60]!r}: {problem}" for problem in _of_group(group, scene, known))
    for remark in grouping.remarks:
        if remark.about.uid not in known:
            yield f"its remark is about {remark.about}, which is none of this workload"
    for gone in grouping.retired:
        if not _may_go(gone, scene):
            yield f"group {gone.name!r} is not one of this workload's to retire"


def _of_pods(grouping: Grouping, pods: Mapping[str, Pod]) -> Iterator[str]:
    """Each pod has one place or one reason."""
    placed = [placement.pod for group in grouping.groups for placement in group.placements]
    told = Counter(pod.uid for pod in (*placed, *(entry.pod for entry in grouping.unplaced)))
    names = {pod.uid: pod.name for pod in (*placed, *(entry.pod for entry in grouping.unplaced))}
    yield from (f"pod {names[one]!r} is none of this workload" for one in told if one not in pods)
    yield from (f"pod {names[one]!r} has {count} places" for one, count in told.items() if count > 1)
    missing = [pod.name for pod in pods.values() if pod.live and pod.uid not in told]
    if missing:
        yield f"{len(missing)} living pods have neither a group nor a reason, {missing[0]!r} among them"


def _of_group(group: Group, scene: Scene, known: frozenset[str]) -> Iterator[str]:
    if not is_subdomain(group.name):
        yield "its name is no DNS subdomain"
    if group.namespace != scene.namespace:
        yield f"it is in namespace {group.namespace!r}, its pods are in {scene.namespace!r}"
    if not all(owner.uid in known for owner in group.owners):
        yield "it is owned by something that is none of this workload"
    floors = [group.floor, group.floor_of_parts]
    floors += [floor for part in group.parts for floor in (part.floor, part.floor_of_parts)]
    for floor in floors:
        if floor is not None and not 0 <= floor <= INT32_MAX:
            yield f"a floor of {floor} is beyond 0 to {INT32_MAX}"
    yield from _of_parts(group)


def _of_parts(group: Group) -> Iterator[str]:
    """Where there are parts, every living pod is in one that holds pods."""
    leaves = {part.name for part in group.parts} - {part.parent for part in group.parts}
    for placement in group.placements:
        if placement.part and placement.part not in leaves:
            yield f"pod {placement.pod.name!r} is in subgroup {placement.part!r}, which takes no pods"
        elif group.parts and not placement.part and placement.pod.live:
            yield f"pod {placement.pod.name!r} is in no subgroup"


def _uids(scene: Scene) -> frozenset[str]:
    """Of the pods, of what owns them, and of what the plugin asked for besides."""
    owners = {owner.ref.uid for member in scene.members for owner in member.chain.owners}
    asked = {uid(answer) for answer in scene.answers.values() if isinstance(answer, Mapping)} - {""}
    return frozenset({scene.owner.ref.uid, *owners, *asked, *(member.pod.uid for member in scene.members)})


def _may_go(gone: Retired, scene: Scene) -> bool:
    return (gone.namespace, gone.owner) == (scene.namespace, scene.owner.ref.uid)
