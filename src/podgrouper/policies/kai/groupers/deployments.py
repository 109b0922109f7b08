"""Deployments: every pod is a group of its own, since replicas of a service need not start together."""

from dataclasses import replace

from podgrouper.core.groups import Group, Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Kind, Member
from podgrouper.policies.kai.defaults import INFERENCE, default_group
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.scene import Scene, reference_to
from podgrouper.policies.kai.texts.names import named_after, valid_name


class DeploymentGrouper(Grouper):
    """Every pod is a group of its own, named after it; everything else comes from the Deployment."""

    kinds = (Kind("apps/v1", "Deployment"),)
    reads = Reads(kinds=frozenset({Kind("apps/v1", "ReplicaSet")}))

    def group(self, scene: Scene) -> Grouping:
        return Grouping(tuple(_of_one(scene, member) for member in scene.members))


def _of_one(scene: Scene, member: Member) -> Group:
    pod = member.pod
    group = default_group(scene, (member,), priority=INFERENCE)
    return replace(group, name=valid_name(named_after(pod.name, pod.uid)), owners=(reference_to(pod.ref),))
