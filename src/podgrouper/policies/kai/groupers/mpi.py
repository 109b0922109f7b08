"""MPIJobs: launcher and workers start together, unless the launcher is made when the workers are ready."""

from collections.abc import Sequence
from dataclasses import replace

from podgrouper.core.groups import Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Kind, PodsWanted, Want
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.defaults import default_group
from podgrouper.policies.kai.families.replica_counts import in_roles, members_of_gang
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.values import BadValue, number_at, text_at

MPI_JOBS = (Kind("kubeflow.org/v1", "MPIJob"), Kind("kubeflow.org/v2beta1", "MPIJob"))
REPLICAS = "spec.mpiReplicaSpecs"
POLICY = "spec.launcherCreationPolicy"
LAUNCHER = frozenset({"launcher"})
LAUNCHER_LAST = "WaitForWorkersReady"


class MPIGrouper(Grouper):
    """One group; a launcher that waits for the workers is not counted before it exists."""

    kinds = MPI_JOBS
    reads = Reads(
        labels=frozenset({keys.JOB_NAME, keys.JOB_ROLE, keys.REPLICA_TYPE}),
        paths=dict.fromkeys(MPI_JOBS, frozenset({REPLICAS, POLICY, "spec.runPolicy"})),
    )

    def wants(self, scene: Scene) -> Sequence[Want]:
        return (_launchers(scene),)

    def group(self, scene: Scene) -> Grouping:
        floor = members_of_gang(scene.owner, REPLICAS, ("Launcher", "Worker"))
        awaited = text_at(scene.owner, POLICY) == LAUNCHER_LAST and not _launcher_is_there(scene)
        if awaited:
            floor -= _launcher_replicas(scene)
        group = replace(default_group(scene, scene.members), floor=floor)
        return Grouping((in_roles(group, scene.owner, REPLICAS, LAUNCHER if awaited else frozenset()),))


def _launchers(scene: Scene) -> PodsWanted:
    labels = ((keys.JOB_NAME, scene.owner.ref.name), (keys.JOB_ROLE, "launcher"))
    return PodsWanted(scene.namespace, labels)


def _launcher_is_there(scene: Scene) -> bool:
    found = scene.answers.get(_launchers(scene))
    return isinstance(found, tuple) and any(not pod.deleting for pod in found)


def _launcher_replicas(scene: Scene) -> int:
    replicas = number_at(scene.owner, f"{REPLICAS}.Launcher.replicas")
    if not replicas:
        raise BadValue(f"{scene.owner.ref}, {REPLICAS}.Launcher.replicas is absent or 0: say how many")
    return replicas
