"""Kubeflow's training jobs that differ by their row only: the gang is all replicas, or as many as suffice."""

from dataclasses import dataclass, replace

from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Grouping, Kind
from podgrouper.policies.kai.defaults import default_group
from podgrouper.policies.kai.families.replica_counts import members_of_gang
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
        return Reads(paths=dict.fromkeys(self.kinds, frozenset({self.replicas, "spec.runPolicy"})))

    @property
    def rule(self) -> str:
        return f"One group; it starts with `minAvailable` pods, or else with all of `{self.replicas}`."

    def group(self, scene: Scene) -> Grouping:
        floor = members_of_gang(scene.owner, self.replicas, self.required)
        return Grouping((replace(default_group(scene, scene.members), floor=floor),))


REPLICATED = (
    ReplicaGrouper((Kind("kubeflow.org/v1", "TFJob"),), "spec.tfReplicaSpecs"),
    ReplicaGrouper((Kind("kubeflow.org/v1", "XGBoostJob"),), "spec.xgbReplicaSpecs", ("Master", "Worker")),
    ReplicaGrouper((Kind("kubeflow.org/v1", "JAXJob"),), "spec.jaxReplicaSpecs", ("Worker",)),
)
