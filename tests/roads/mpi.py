"""An MPIJob and its operator: it starts the launcher and all workers together, and again when all have gone.

MPI cannot take a worker in later, so a lost member is not replaced while the others live.
"""

from collections.abc import Mapping

from podgrouper.core.fields import annotations, mapping
from podgrouper.core.model import POD, Json, Kind
from podgrouper.sandbox.actors import kubelet
from podgrouper.sandbox.actors.cluster import Cluster
from podgrouper.sandbox.actors.pods import active, bound, phase
from podgrouper.sandbox.actors.stage import Cast, Overseer
from tests.builders import NAMESPACE, Object, owner

MPI_JOB = Kind("kubeflow.org/v2beta1", "MPIJob")
MEMBERS = ("launcher", "worker-0", "worker-1")


def job(labels: Mapping[str, str], words: Mapping[str, str]) -> Object:
    """With these labels and annotations."""
    size = {"scheduling.volcano.sh/group-min-member": str(len(MEMBERS))}
    spec = {"mpiReplicaSpecs": {"Launcher": {"replicas": 1}, "Worker": {"replicas": 2}}}
    return owner(str(MPI_JOB), "train", labels=dict(labels), annotations={**size, **words}, spec=spec)


def cast(scheduler: str, seconds: int, *overseers: Overseer) -> Cast:
    """The operator of jobs whose members run so long, a kubelet, and who says where pods run."""

    def operator(cluster: Cluster, mpi_job: Json) -> None:
        pods = cluster.controlled(mpi_job, POD)
        if any(phase(one) == "Succeeded" for one in pods) or any(map(active, pods)):
            return
        for one in pods:
            cluster.delete(one)
        if not pods:
            for name in MEMBERS:
                cluster.create(_pod(name, scheduler, seconds), mpi_job)

    acts = (kubelet.act,) if overseers else (_binds, kubelet.act)
    return Cast({MPI_JOB: (operator,), POD: acts}, overseers=overseers)


def _binds(cluster: Cluster, pod: Json) -> None:
    """The plainest scheduler: whatever names a group gets the node that there is."""
    linked = {"scheduling.k8s.io/group-name", "pod-group-name"} & annotations(pod).keys()
    if linked and active(pod) and not bound(pod):
        cluster.store.bind(NAMESPACE, str(mapping(pod, "metadata")["name"]), "node")


def _pod(name: str, scheduler: str, seconds: int) -> Mapping[str, object]:
    container = {"name": "main", "image": "mpi", "command": ["sleep", str(seconds)]}
    spec = {"schedulerName": scheduler, "restartPolicy": "Never", "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"train-{name}"}, "spec": spec}
