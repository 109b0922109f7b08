"""Kubeflow's training jobs: the gang is all replicas, unless its policy says how many suffice."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Grouping, Json, Kind, Owner
from podgrouper.policies.kai.defaults import default_group
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.values import BadValue, number_at, object_at

MIN_AVAILABLE = "spec.runPolicy.schedulingPolicy.minAvailable"


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

    def group(self, scene: Scene) -> Grouping:
        floor = members_of_gang(scene.owner, self.replicas, self.required)
        return Grouping((replace(default_group(scene, scene.members), floor=floor),))


def members_of_gang(owner: Owner, path: str, required: tuple[str, ...] = ()) -> int:
    """What `minAvailable` says, else all replicas."""
    asked = number_at(owner, MIN_AVAILABLE)
    return replicas_in_all(owner, path, required) if asked is None else asked


def replicas_in_all(owner: Owner, path: str, required: tuple[str, ...] = ()) -> int:
    """The sum over all replica types, each of which must say how many."""
    types = replica_types(owner, path)
    for name in required:
        if name not in types:
            raise BadValue(f"{owner.ref}, {path} has no {name}: add it")
    total = 0
    for name in types:
        count = number_at(owner, f"{path}.{name}.replicas")
        if not count:
            raise BadValue(f"{owner.ref}, {path}.{name}.replicas is absent or 0: say how many")
        total += count
    if total <= 0:
        raise BadValue(f"{owner.ref}, {path} asks for {total} replicas in all: say how many")
    return total


def replica_types(owner: Owner, path: str) -> Mapping[str, Json]:
    """Replica type -> what the owner says about it."""
    types = object_at(owner, path)
    if types is None:
        raise BadValue(f"{owner.ref} has no {path}: add its replica types")
    return {name: entry if isinstance(entry, Mapping) else {} for name, entry in types.items()}


REPLICATED = (
    ReplicaGrouper((Kind("kubeflow.org/v1", "TFJob"),), "spec.tfReplicaSpecs"),
    ReplicaGrouper((Kind("kubeflow.org/v1", "XGBoostJob"),), "spec.xgbReplicaSpecs", ("Master", "Worker")),
    ReplicaGrouper((Kind("kubeflow.org/v1", "JAXJob"),), "spec.jaxReplicaSpecs", ("Worker",)),
)
