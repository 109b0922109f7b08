"""The kinds of workloads that small worlds are made of: what owns what, and what its pods are called."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from podgrouper.core.fields import mapping
from tests.builders import Object, Reference, controls, owner, owns, pod
from tests.golden.running import GROUP_KINDS


@dataclass(frozen=True)
class Place:
    """Where a workload is, and what it is called."""

    name: str
    namespace: str
    scheduler: str
    members: int

    def owner(self, kind: str, *up: Object, **more: object) -> Object:
        """Controlled by `up`; its name tells its kind."""
        name = f"{self.name}-{kind.rpartition(' ')[2].lower()}"
        return owner(kind, name, *map(controls, up), namespace=self.namespace, **more)

    def pod(self, number: int, *up: Reference, **more: object) -> Object:
        return pod(
            f"{self.name}-{number}", *up, scheduler=self.scheduler, namespace=self.namespace, **_ASKS, **more
        )

    def pods(self, *up: Reference, labels: Callable[[int], Mapping[str, str]] = lambda _: {}) -> list[Object]:
        return [self.pod(number, *up, labels=labels(number)) for number in range(self.members)]


_ASKS: Mapping[str, object] = {
    "spec": {"containers": [{"name": "main", "image": "main", "resources": {"requests": {"cpu": "1"}}}]}
}


def _line(place: Place, *kinds: str) -> list[Object]:
    """Owners one above the other, the top first, and pods below the last."""
    owners: list[Object] = []
    for kind in kinds:
        owners.append(place.owner(kind, *owners[-1:]))
    return [*owners, *place.pods(*map(controls, owners[-1:]))]


def _two_owners(place: Place) -> list[Object]:
    queue = {"volcano.sh/queue-name": "night"}
    sets = place.owner("apps/v1 ReplicaSet")
    campaign = place.owner("example.com/v1 Campaign", annotations=queue)
    return [sets, campaign, *place.pods(controls(sets), owns(campaign))]


def _driver(place: Place) -> list[Object]:
    """Pods below a pod. They hold it as its group does: the references of a group stay as first written."""
    driver = place.pod(9)
    held = {"name": f"{place.name}-9", "uid": f"uid-{place.name}-9", "blockOwnerDeletion": True}
    reference = {"apiVersion": "v1", "kind": "Pod", "controller": True, **held}
    return [driver, *(place.pod(number, ownerReferences=[reference]) for number in range(place.members))]


def _at_zero(place: Place) -> list[Object]:
    """Nothing needs this group any more."""
    sets = place.owner("apps/v1 ReplicaSet", spec={"replicas": 0})
    name = f"podgroup-uid-{place.name}-replicaset"
    kind = str(GROUP_KINDS["volcano"])
    group = owner(kind, name, controls(sets), namespace=place.namespace, spec={"minMember": 1})
    return [sets, group]


def _pytorch(place: Place) -> list[Object]:
    roles = {"Master": {"replicas": 1}, "Worker": {"replicas": place.members}}
    job = place.owner("kubeflow.org/v1 PyTorchJob", spec={"pytorchReplicaSpecs": roles})
    return [job, *place.pods(controls(job), labels=_torch_labels)]


def _torch_labels(number: int) -> Mapping[str, str]:
    role = "worker" if number else "master"
    return {
        "training.kubeflow.org/replica-type": role,
        "training.kubeflow.org/replica-index": str(max(0, number - 1)),
    }


def _ray(place: Place) -> list[Object]:
    workers = {"groupName": "small", "replicas": place.members, "minReplicas": 1, "maxReplicas": 9}
    status = {"rayClusterName": f"{place.name}-raycluster"}
    job = place.owner("ray.io/v1 RayJob", spec={}, status=status)
    cluster = place.owner("ray.io/v1 RayCluster", job, spec={"workerGroupSpecs": [workers]})
    names = ("headgroup", "small")
    return [
        job,
        cluster,
        *place.pods(controls(cluster), labels=lambda n: {"ray.io/group": names[bool(n)]}),
    ]


def _job_set(place: Place) -> list[Object]:
    template = {"spec": {"parallelism": place.members, "completions": place.members}}
    jobs = [{"name": "workers", "replicas": 1, "template": template}]
    top = place.owner("jobset.x-k8s.io/v1alpha2 JobSet", spec={"replicatedJobs": jobs})
    job = place.owner("batch/v1 Job", top)
    marks = {"jobset.sigs.k8s.io/replicatedjob-name": "workers", "jobset.sigs.k8s.io/job-index": "0"}
    return [top, job, *place.pods(controls(job), labels=lambda _: marks)]


def _lws(place: Place) -> list[Object]:
    spec = {"replicas": 2, "leaderWorkerTemplate": {"size": 2}}
    top = place.owner("leaderworkerset.x-k8s.io/v1 LeaderWorkerSet", spec=spec)
    marks = "leaderworkerset.sigs.k8s.io/group-index", "leaderworkerset.sigs.k8s.io/worker-index"
    return [
        top,
        *place.pods(
            controls(top), labels=lambda n: dict(zip(marks, map(str, divmod(n % 4, 2)), strict=True))
        ),
    ]


def _mpi(place: Place) -> list[Object]:
    roles = {"Launcher": {"replicas": 1}, "Worker": {"replicas": place.members}}
    spec = {"mpiReplicaSpecs": roles, "launcherCreationPolicy": "WaitForWorkersReady"}
    job = place.owner("kubeflow.org/v2beta1 MPIJob", spec=spec)
    key = "training.kubeflow.org/job-role"
    return [job, *place.pods(controls(job), labels=lambda n: {key: ("worker", "launcher")[n == 1]})]


def _grove(place: Place) -> list[Object]:
    top = place.owner("grove.io/v1alpha1 PodCliqueSet")
    clique = place.owner("grove.io/v1alpha1 PodClique", top)
    pods = place.pods(controls(clique), labels=lambda _: {"grove.io/podgang": f"{place.name}-podgang"})
    named = [{"namespace": place.namespace, "name": mapping(made, "metadata")["name"]} for made in pods]
    parts = [{"name": "all", "minReplicas": place.members, "podReferences": named}]
    gang = place.owner("scheduler.grove.io/v1alpha1 PodGang", top, spec={"podgroups": parts})
    return [top, clique, gang, *pods]


def _knative(place: Place) -> list[Object]:
    service = place.owner("serving.knative.dev/v1 Service")
    settings = place.owner("serving.knative.dev/v1 Configuration", service)
    least = {"autoscaling.knative.dev/min-scale": str(place.members)}
    revision = place.owner("serving.knative.dev/v1 Revision", settings, annotations=least)
    key = {"serving.knative.dev/revision": f"{place.name}-revision"}
    return [service, settings, revision, *place.pods(controls(revision), labels=lambda _: key)]


Family = Callable[[Place], list[Object]]

_SHARED: Mapping[str, Family] = {
    "pods alone": lambda place: place.pods(),
    "a Deployment": lambda place: _line(place, "apps/v1 Deployment", "apps/v1 ReplicaSet"),
    "a StatefulSet": lambda place: _line(place, "apps/v1 StatefulSet"),
    "a CronJob": lambda place: _line(place, "batch/v1 CronJob", "batch/v1 Job"),
    "a Workflow": lambda place: _line(place, "argoproj.io/v1alpha1 Workflow"),
    "an unknown chain": lambda place: _line(place, "example.com/v1 Fleet", "example.com/v1 Ship"),
    "a driver": _driver,
}
FAMILIES: Mapping[str, Mapping[str, Family]] = {
    "volcano": {**_SHARED, "two owners": _two_owners, "a ReplicaSet at 0": _at_zero},
    "kai": {
        **_SHARED,
        "a PyTorchJob": _pytorch,
        "a RayJob": _ray,
        "a JobSet": _job_set,
        "a LeaderWorkerSet": _lws,
        "an MPIJob": _mpi,
        "a PodGang": _grove,
        "a Knative service": _knative,
    },
}
