"""Knative services: the pods of one revision are a gang, or each is its own group, as configured.

Groups that are there already decide first: pods that were started alone stay alone until the next revision.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from podgrouper.core.fields import annotations, owner_refs, uid
from podgrouper.core.groups import Group, Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import POD, Ending, Kind, Member, ObjectWanted, Owner, Pod, Ref, Want
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.defaults import INFERENCE, default_group
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outcomes import attempted, joined, seated
from podgrouper.policies.kai.scene import Scene, reference_to
from podgrouper.policies.kai.texts.names import named_after, valid_name
from podgrouper.policies.kai.values import BadValue, whole_number

SERVICE = Kind("serving.knative.dev/v1", "Service")
REVISION = Kind("serving.knative.dev/v1", "Revision")


class KnativeGrouper(Grouper):
    """One group for each revision, which takes the place of the service in everything."""

    kinds = (SERVICE,)
    heeds = (keys.MIN_SCALE, "knativeGangSchedule")
    reads = Reads(
        labels=frozenset({keys.REVISION}),
        kinds=frozenset({REVISION, Kind("serving.knative.dev/v1", "Configuration")}),
    )

    def wants(self, scene: Scene) -> Sequence[Want]:
        names = (member.pod.labels.get(keys.REVISION, "") for member in scene.members)
        return [_wanted(scene, name) for name in dict.fromkeys(names) if name]

    def group(self, scene: Scene) -> Grouping:
        placed = seated(scene.members, _revision)
        found = (_of_revision(scene, name, members) for name, members in placed.by_part.items())
        return joined((Grouping(unplaced=placed.unplaced), *found))


def _of_revision(scene: Scene, name: str, members: Sequence[Member]) -> Grouping:
    return attempted(members, lambda: _grouped(_below(scene, name), members))


def _grouped(scene: Scene, members: Sequence[Member]) -> Grouping:
    if scene.settings.knative_gang_schedule and not _stand_alone(scene, members):
        return Grouping((_gang(scene, members),))
    return Grouping(tuple(_of_one(scene, member) for member in members))


def _below(scene: Scene, name: str) -> Scene:
    """The scene with the revision as its owner."""
    answer = scene.answers.get(_wanted(scene, name))
    if answer is None or isinstance(answer, Ending | tuple):
        raise BadValue(f"Revision {scene.namespace}/{name}, which the pod's label names, cannot be read")
    ref = Ref(REVISION, scene.namespace, name, uid(answer))
    return replace(scene, owner=Owner(ref, answer))


def _gang(scene: Scene, members: Sequence[Member]) -> Group:
    return replace(default_group(scene, members, priority=INFERENCE), floor=_least(scene.owner))


def _least(revision: Owner) -> int:
    """What the revision is never scaled below. Knative reads it, so what is no number is its business."""
    try:
        return whole_number(annotations(revision.object).get(keys.MIN_SCALE, ""), keys.MIN_SCALE)
    except BadValue:
        return 1


def _of_one(scene: Scene, member: Member) -> Group:
    pod = member.pod
    return replace(
        default_group(scene, (member,), priority=INFERENCE),
        name=valid_name(named_after(pod.name, pod.uid)),
        owners=(reference_to(pod.ref),),
    )


def _stand_alone(scene: Scene, members: Sequence[Member]) -> bool:
    """Whether the pods were grouped one by one before: by their links, where these lead to a group."""
    links = Counter(member.link.group for member in members if member.link and member.link.group)
    there = {name: count for name, count in links.items() if scene.live_group(name) is not None}
    if len(there) != 1 or max(there.values()) > 1:
        return len(there) > 1 and max(there.values()) == 1
    (name,) = there
    owners = owner_refs(scene.live_group(name))
    kind = owners[0].kind if owners else None
    if kind not in (POD, REVISION):
        raise BadValue(f"PodGroup {scene.namespace}/{name} is owned by neither a Revision nor a Pod")
    return kind == POD


def _revision(pod: Pod) -> str:
    name = pod.labels.get(keys.REVISION, "")
    if not name:
        raise BadValue(f"{pod.ref} lacks label {keys.REVISION}")
    return name


def _wanted(scene: Scene, name: str) -> ObjectWanted:
    return ObjectWanted(REVISION, scene.namespace, name)
