"""The default grouper: what every group says unless a grouper of its kind knows better.

A grouper takes this group and replaces what it decides itself, as one that outsiders write would:

    def group(self, scene: Scene) -> Grouping:
        floor = number_at(scene.owner, "spec.minAvailable")
        group = default_group(scene, scene.members)
        return Grouping((replace(group, floor=floor or group.floor),))
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from podgrouper.core.groups import Group, Placement, Topology
from podgrouper.core.model import Member, Owner, Pod
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.choices import choices, labels_of_defaults
from podgrouper.policies.kai.scene import Scene, reference_to
from podgrouper.policies.kai.sources import Source, as_it_is, first_usable, owner_annotations
from podgrouper.policies.kai.texts.names import named_after, valid_name
from podgrouper.policies.kai.texts.owner_text import owner_text

TRAIN, BUILD, INFERENCE = "train", "build", "inference"
"""Priority classes that kinds of workloads get by default. They need not exist."""


def default_group(
    scene: Scene, members: Sequence[Member], *, priority: str = TRAIN, chained: bool = False
) -> Group:
    """One group of these members, named after the owner, that starts with any one of them.

    `priority` is the class that this kind of workload has by default. `chained`: the owners between pod
    and owner have a say in priority, preemptibility and delays too; so it is for kinds without rules.

    What is read from pods is read from the one that speaks for all: the oldest that lives, of equally old
    ones the first by name. So the group does not depend on which pod was looked at last.
    """
    speaker = speaker_of(members)
    heard = scene.chain_to_owner(speaker) if chained else (scene.owner,)
    chosen = choices(scene, speaker.pod, heard, priority)
    owner = scene.owner.ref
    return Group(
        namespace=scene.namespace,
        name=valid_name(named_after(owner.name, owner.uid)),
        owners=(reference_to(owner),),
        placements=tuple(Placement(member.pod) for member in members),
        floor=1,
        queue=chosen["queue"].value,
        priority_class=chosen["priority_class"].value,
        topology=topology_of(scene.voices),
        preemptibility=chosen["preemptibility"].value,
        preemption_delay=chosen["preemption_delay"].value,
        staleness_grace=chosen["staleness_grace"].value,
        labels=_labels(scene, speaker.pod, chosen),
        annotations=_annotations(scene, speaker.pod),
        origins={name: source.origin for name, source in chosen.items() if source.origin},
    )


def with_priority(scene: Scene, group: Group, before: Iterable[Source]) -> Group:
    """The group with the first class of these that exists, for kinds that have a word of their own for it."""
    found = first_usable(before, lambda value: value if scene.has_priority_class(value) else "")
    if not found.value:
        return group
    return replace(
        group, priority_class=found.value, origins={**group.origins, "priority_class": found.origin}
    )


def speaker_of(members: Sequence[Member]) -> Member:
    """The pod that speaks for a group. Members come by creation, then name."""
    return next((member for member in members if member.pod.live), members[0])


def topology_of(owners: Sequence[Owner]) -> Topology | None:
    """What the owners' annotations say; None without a topology's name, since levels alone mean nothing."""
    name, required, preferred = (
        first_usable(owner_annotations(owners, key), as_it_is).value
        for key in (keys.TOPOLOGY, keys.TOPOLOGY_REQUIRED, keys.TOPOLOGY_PREFERRED)
    )
    return Topology(name=name, required_level=required, preferred_level=preferred) if name else None


def template_topology(said: Mapping[str, str]) -> Topology | None:
    """What the annotations of a pod template say about its own pods; it takes a name and a level."""
    name = said.get(keys.TOPOLOGY, "")
    required, preferred = said.get(keys.TOPOLOGY_REQUIRED, ""), said.get(keys.TOPOLOGY_PREFERRED, "")
    if not name or not (required or preferred):
        return None
    return Topology(name=name, required_level=required, preferred_level=preferred)


def _labels(scene: Scene, pod: Pod, chosen: Mapping[str, Source]) -> Mapping[str, str]:
    """The owner's, and of the pod's the user and the node pool, where the owner's are absent or empty."""
    labels = dict(scene.labels)
    for key in (keys.USER, scene.settings.node_pool_label_key):
        if key and not labels.get(key) and key in pod.labels:
            labels[key] = pod.labels[key]
    return {**labels_of_defaults(scene, chosen), **labels}


def _annotations(scene: Scene, pod: Pod) -> Mapping[str, str]:
    """The owner's above all; so an owner that already says what it belongs to is believed."""
    ours = {keys.TOP_OWNER: owner_text(scene.owner.ref)}
    if keys.USER in pod.annotations:
        ours[keys.USER] = pod.annotations[keys.USER]
    return {**ours, **scene.annotations}
