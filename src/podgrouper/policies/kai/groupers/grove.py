"""Grove: what starts together stands in a PodGang, which Grove makes for each replica of a PodCliqueSet.

The PodGang takes the place of the set: it names and owns the group. What it does not say, the set says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from podgrouper.core.fields import uid
from podgrouper.core.groups import Grouping, Placement
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Kind, Member, ObjectWanted, Owner, Pod, Ref, Want
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.defaults import default_group, with_priority
from podgrouper.policies.kai.families.pod_gang import parts_of, root_topology
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outcomes import attempted, joined, seated
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.sources import Source, owner_labels
from podgrouper.policies.kai.values import BadValue, text_at

POD_GANG = Kind("scheduler.grove.io/v1alpha1", "PodGang")
PRIORITY = "spec.priorityClassName"


class GroveGrouper(Grouper):
    """One group for each PodGang, with the PodGang's own tree of parts."""

    kinds = (Kind("grove.io/v1alpha1", "PodCliqueSet"), Kind("grove.io/v1alpha1", "PodGangSet"))
    heeds = (keys.GROVE_TOPOLOGY,)
    reads = Reads(
        labels=frozenset({keys.POD_GANG}),
        paths={POD_GANG: frozenset({"spec"})},
        kinds=frozenset(
            {POD_GANG, *(Kind("grove.io/v1alpha1", kind) for kind in ("PodClique", "PodCliqueScalingGroup"))}
        ),
    )

    def wants(self, scene: Scene) -> Sequence[Want]:
        names = (member.pod.labels.get(keys.POD_GANG, "") for member in scene.members)
        return [_wanted(scene, name) for name in dict.fromkeys(names) if name]

    def group(self, scene: Scene) -> Grouping:
        placed = seated(scene.members, _gang_of)
        found = (
            attempted(members, partial(_of_gang, scene, name, members))
            for name, members in placed.by_part.items()
        )
        return joined((Grouping(unplaced=placed.unplaced), *found))


def _of_gang(scene: Scene, name: str, members: Sequence[Member]) -> Grouping:
    answer = scene.answers.get(_wanted(scene, name))
    if not isinstance(answer, Mapping):
        raise BadValue(f"PodGang {scene.namespace}/{name}, which the pod's label names, cannot be read")
    gang = Owner(Ref(POD_GANG, scene.namespace, name, uid(answer)), answer)
    below = replace(scene, owner=gang, skipped=scene.voices)
    parts = parts_of(below)
    of_pod = {pod: part.name for part, pods in parts.leaves for pod in pods}
    own_word = Source(text_at(gang, PRIORITY), f"{PRIORITY} of {gang.ref}")
    priorities = (*owner_labels(below.voices, keys.PRIORITY_CLASS), own_word)
    group = replace(
        with_priority(below, default_group(below, members), priorities),
        floor=sum(part.floor or 0 for part, _ in parts.leaves),
        topology=root_topology(below),
        parts=(*parts.parents, *(part for part, _ in parts.leaves)),
        placements=tuple(Placement(m.pod, of_pod.get(m.pod.name, "")) for m in members),
    )
    return Grouping((group,))


def _gang_of(pod: Pod) -> str:
    name = pod.labels.get(keys.POD_GANG, "")
    if not name:
        raise BadValue(f"{pod.ref} lacks label {keys.POD_GANG}")
    return name


def _wanted(scene: Scene, name: str) -> ObjectWanted:
    return ObjectWanted(POD_GANG, scene.namespace, name)
