"""RunaiJobs and AmlJobs: kinds of single products, with one peculiarity each."""

from collections.abc import Sequence
from dataclasses import replace

from podgrouper.core.groups import Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import GroupWanted, Kind, Member, Want
from podgrouper.policies.kai.defaults import default_group
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.texts.names import named_after, valid_name
from podgrouper.policies.kai.values import BadValue, number_at

RUNAI_JOB = Kind("run.ai/v1", "RunaiJob")
AML_JOB = Kind("amlarc.azureml.com/v1alpha1", "AmlJob")
NODE_COUNT = "spec.job.options.envs.AZUREML_NODE_COUNT"


class RunaiJobGrouper(Grouper):
    """One group for each index of a search: the pods whose names differ in their last word only."""

    kinds = (RUNAI_JOB,)
    heeds = ("searchLegacyGroups",)
    reads = Reads(paths={RUNAI_JOB: frozenset({"spec.parallelism"})})

    def wants(self, scene: Scene) -> Sequence[Want]:
        if not scene.settings.search_legacy_groups:
            return ()
        return [GroupWanted(scene.namespace, _old_name(scene, member)) for member in scene.members]

    def group(self, scene: Scene) -> Grouping:
        by_name: dict[str, list[Member]] = {}
        for member in scene.members:
            by_name.setdefault(_name(scene, member), []).append(member)
        return Grouping(
            tuple(
                replace(default_group(scene, members), name=valid_name(name))
                for name, members in by_name.items()
            )
        )


class AmlJobGrouper(Grouper):
    """One group; it starts with as many pods as the job has nodes."""

    kinds = (AML_JOB,)
    reads = Reads(paths={AML_JOB: frozenset({NODE_COUNT})})

    def group(self, scene: Scene) -> Grouping:
        nodes = number_at(scene.owner, NODE_COUNT)
        if nodes is None:
            raise BadValue(f"{scene.owner.ref} has no {NODE_COUNT}: say how many nodes")
        return Grouping((replace(default_group(scene, scene.members), floor=nodes),))


def _name(scene: Scene, member: Member) -> str:
    old = _old_name(scene, member)
    if scene.live_group(old):
        return old
    stem, dash, _ = member.pod.name.rpartition("-")
    return named_after(stem if dash else member.pod.name, scene.owner.ref.uid)


def _old_name(scene: Scene, member: Member) -> str:
    many = (number_at(scene.owner, "spec.parallelism") or 0) > 1
    return named_after(member.pod.name if many else scene.owner.ref.name, scene.owner.ref.uid)
