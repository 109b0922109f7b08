"""Kubeflow's training jobs that differ by their row only: the gang is all replicas, or as many as suffice."""

from dataclasses import dataclass, replace

from podgrouper.core.groups import Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Kind
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.defaults import default_group
from podgrouper.policies.kai.families.replica_counts import in_roles, members_of_gang
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.scene import Scene


@dataclass(frozen=True, slots=True)
class ReplicaGrouper(Grouper):
    """One group; its floor is the sum over a map of replica types."""

    kinds: tuple[Kind, ...]
    replicas: str
    """Where the map is."""
    required: tuple[str, ...] = ()
    """Types that the map must have."""

    @property
    def reads(self) -> Reads:
        return Reads(
            labels=frozenset({keys.REPLICA_TYPE, keys.JOB_ROLE}),
            paths=dict.fromkeys(self.kinds, frozenset({self.replicas, "spec.runPolicy"})),
        )

    @property
    def rule(self) -> str:
        return f"One group; it starts with `minAvailable` pods, or else with all of `{self.replicas}`."

    def group(self, scene: Scene) -> Grouping:
        floor = members_of_gang(scene.owner, self.replicas, self.required)
        group = replace(default_group(scene, scene.members), floor=floor)
        return Grouping((in_roles(group, scene.owner, self.replicas),))


REPLICATED = (
    ReplicaGrouper((Kind("kubeflow.org/v1", "TFJob"),), "spec.tfReplicaSpecs"),
    ReplicaGrouper((Kind("kubeflow.org/v1", "XGBoostJob"),), "spec.xgbReplicaSpecs", ("Master", "Worker")),
    ReplicaGrouper((Kind("kubeflow.org/v1", "JAXJob"),), "spec.jaxReplicaSpecs", ("Worker",)),
)
