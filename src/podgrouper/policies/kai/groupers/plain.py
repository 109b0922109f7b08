"""Kinds whose pods form one group that starts with any one of them: they differ by their row only."""

from dataclasses import dataclass

from podgrouper.core.groups import Grouping
from podgrouper.core.model import Kind
from podgrouper.policies.kai.defaults import BUILD, INFERENCE, TRAIN, default_group
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.scene import Scene


@dataclass(frozen=True, slots=True)
class PlainGrouper(Grouper):
    """One group for all pods of the owner."""

    kinds: tuple[Kind, ...] = ()
    priority: str = TRAIN
    chained: bool = True
    """The owners below have a say in priority, preemptibility and delays."""

    @property
    def rule(self) -> str:
        return f"One group, which starts with any one of its pods; the priority class is `{self.priority}`."

    def group(self, scene: Scene) -> Grouping:
        group = default_group(scene, scene.members, priority=self.priority, chained=self.chained)
        return Grouping((group,))


UNKNOWN = PlainGrouper()
"""For every kind that no grouper names."""

PLAIN = (
    PlainGrouper(
        (
            Kind("apps/v1", "ReplicaSet"),
            Kind("apps/v1", "StatefulSet"),
            Kind("kubeflow.org/v1alpha1", "ScheduledWorkflow"),
            Kind("kubevirt.io/v1", "VirtualMachineInstance"),
            Kind("machinelearning.seldon.io/v1", "SeldonDeployment"),
            Kind("machinelearning.seldon.io/v1alpha2", "SeldonDeployment"),
            Kind("tekton.dev/v1", "PipelineRun"),
            Kind("tekton.dev/v1", "TaskRun"),
            Kind("workspace.devfile.io/v1alpha2", "DevWorkspace"),
        )
    ),
    PlainGrouper((Kind("kubeflow.org/v1beta1", "Notebook"),), BUILD, chained=False),
    PlainGrouper((Kind("egx.nvidia.io/v1", "SPOTRequest"),), INFERENCE, chained=False),
)
