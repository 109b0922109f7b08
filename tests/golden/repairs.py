"""What puts right each vector that states a failure: which field of which kind gets which value."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from itertools import chain

from podgrouper.core.fields import kind_of, owner_refs, ref_of, strings, uid
from podgrouper.core.model import POD, Json
from tests.golden.vectors import Vector

Step = str | int
Repair = Callable[[Vector], Iterator[Json]]
"""The objects of a vector's world that have to change, as they should be."""

MIN_MEMBERS = "kai.scheduler/batch-min-member"
SEGMENT = "kai.scheduler/segment-size"
GANG, LWS = ("spec", "podgroups", 0), ("spec", "leaderWorkerTemplate")
ROLES = {"Master": {"replicas": 1}, "Worker": {"replicas": 1}}


def sets(kind: str, *path: Step, to: object) -> Repair:
    """Every object of a kind gets a value at a path; null takes away what stands there."""
    return lambda vector: (_with(obj, path, to) for obj in vector.world if kind_of(obj).kind == kind)


def annotates(kind: str, key: str, value: str) -> Repair:
    return sets(kind, "metadata", "annotations", key, to=value)


def labels(**values: str) -> Repair:
    """The labels of the pods that fail; a key stands for the one of `LABELS` that ends so."""
    given = {next(key for key in LABELS if key.endswith(name)): value for name, value in values.items()}
    return lambda vector: (
        _with(pod, ("metadata", "labels"), {**strings(pod, "metadata.labels"), **given})
        for pod in failing(vector)
    )


def failing(vector: Vector) -> Iterator[Json]:
    """The pods that get no group."""
    names = [(entry["namespace"], entry["name"]) for entry in vector.expect["warnings"]]
    pods = (obj for obj in vector.world if kind_of(obj) == POD)
    return (pod for pod in pods if (ref_of(pod).namespace, ref_of(pod).name) in names)


def stands_alone(kind: str) -> Repair:
    """Its owners are taken out, as whoever orphans it does."""
    return sets(kind, "metadata", "ownerReferences", to=None)


def lets_go_of_the_lost(vector: Vector) -> Iterator[Json]:
    """References to what is not there any more are taken out."""
    there = {uid(obj) for obj in vector.world}
    lost = (obj for obj in vector.world if any(owner.uid not in there for owner in owner_refs(obj)))
    return (_with(obj, ("metadata", "ownerReferences"), None) for obj in lost)


def names_its_cluster(*path: str) -> Repair:
    """The status of a Ray owner names the cluster that its pods belong to."""

    def repair(vector: Vector) -> Iterator[Json]:
        (name,) = (ref_of(obj).name for obj in vector.world if kind_of(obj).kind == "RayCluster")
        owners = (obj for obj in vector.world if kind_of(obj).kind in ("RayJob", "RayService"))
        return (_with(owner, ("status", *path), name) for owner in owners)

    return repair


def makes_its_gang(vector: Vector) -> Iterator[Json]:
    """The PodGang that the pods name comes after them."""
    pod = next(failing(vector))
    name = strings(pod, "metadata.labels")["grove.io/podgang"]
    yield {
        "apiVersion": "scheduler.grove.io/v1alpha1",
        "kind": "PodGang",
        "metadata": {"namespace": ref_of(pod).namespace, "name": name, "uid": "late"},
        "spec": {"podgroups": []},
    }


def both(one: Repair, other: Repair) -> Repair:
    return lambda vector: chain(one(vector), other(vector))


LABELS = (
    "training.kubeflow.org/replica-index",
    "jobset.sigs.k8s.io/replicatedjob-name",
    "jobset.sigs.k8s.io/job-index",
    "leaderworkerset.sigs.k8s.io/worker-index",
    "grove.io/podgang",
)

TEMPLATE_OF_WORKERS = sets(
    *("PyTorchJob", "spec", "pytorchReplicaSpecs", "Worker", "template", "metadata", "annotations", SEGMENT),
    to="2",
)
REPAIRS: Mapping[str, Repair] = {
    "owners/missing-*": lets_go_of_the_lost,
    "owners/uid-mismatch-*": lets_go_of_the_lost,
    "owners/k2-two": stands_alone("NodeA"),
    "owners/k2-three": stands_alone("NodeA"),
    "owners/k2-neighbour-unharmed": stands_alone("LoopA"),
    "owners/k2-deep-*": stands_alone("Level16"),
    "job/*": annotates("Job", MIN_MEMBERS, "2"),
    "cronjob/k*": annotates("Job", MIN_MEMBERS, "2"),
    "cronjob/pod-owned-directly": stands_alone("Pod"),
    "tfjob/string-replicas": sets("TFJob", "spec", "tfReplicaSpecs", "Worker", "replicas", to=2),
    "tfjob/*": sets("TFJob", "spec", "tfReplicaSpecs", "PS", "replicas", to=1),
    "xgboostjob/*": sets("XGBoostJob", "spec", "xgbReplicaSpecs", to=ROLES),
    "jaxjob/*": sets("JAXJob", "spec", "jaxReplicaSpecs", "Worker", "replicas", to=1),
    "mpijob/policy-not-a-string": sets("MPIJob", "spec", "launcherCreationPolicy", to="AtStartup"),
    "mpijob/*worker": sets("MPIJob", "spec", "mpiReplicaSpecs", "Worker", to={"replicas": 1}),
    "mpijob/*": sets("MPIJob", "spec", "mpiReplicaSpecs", "Launcher", to={"replicas": 1}),
    "pytorchjob/segments-template-*": TEMPLATE_OF_WORKERS,
    "pytorchjob/*segments-pod-*": both(annotates("Pod", SEGMENT, "2"), TEMPLATE_OF_WORKERS),
    "pytorchjob/segments-index-missing": labels(**{"replica-index": "1"}),
    "pytorchjob/segments-too-many": sets(
        "PyTorchJob", "spec", "pytorchReplicaSpecs", "Worker", "replicas", to=2
    ),
    "pytorchjob/*": sets("PyTorchJob", "spec", "pytorchReplicaSpecs", to=ROLES),
    "ray/cluster-*": sets("RayCluster", "spec", "workerGroupSpecs", to=[]),
    "ray/topology-*": sets("RayCluster", "spec", "headGroupSpec", "template", "metadata", to={}),
    "ray/rayservice-*": names_its_cluster("activeServiceStatus", "rayClusterName"),
    "ray/rayjob-*": names_its_cluster("rayClusterName"),
    "jobset/min-member-*": annotates("JobSet", MIN_MEMBERS, "1"),
    "jobset/leaf-*": sets("JobSet", "spec", "replicatedJobs", 0, "template", "metadata", to={}),
    "jobset/not-an-object": sets(
        "JobSet",
        "spec",
        "replicatedJobs",
        to=[{"name": name, "replicas": 2} for name in ("leader", "worker")],
    ),
    "jobset/bad-replicas": sets("JobSet", "spec", "replicatedJobs", 0, "replicas", to=1),
    "jobset/*replicated-jobs": sets(
        "JobSet",
        "spec",
        "replicatedJobs",
        to=[{"name": name, "replicas": 2} for name in ("leader", "worker")],
    ),
    "jobset/pod-*": labels(**{"replicatedjob-name": "worker", "job-index": "1"}),
    "leaderworkerset/startup-*": sets("LeaderWorkerSet", "spec", "startupPolicy", to="LeaderCreated"),
    "leaderworkerset/size-*": sets("LeaderWorkerSet", *LWS, "size", to=3),
    "leaderworkerset/worker-index-text": labels(**{"worker-index": "2"}),
    "leaderworkerset/k5-index-*": sets("LeaderWorkerSet", *LWS, "size", to=9),
    "leaderworkerset/seg-annotation-*": annotates("LeaderWorkerSet", SEGMENT, ""),
    "leaderworkerset/seg-*": sets("LeaderWorkerSet", *LWS, "subGroupPolicy", to=None),
    "grove/no-label": labels(podgang="prefill-decode-0"),
    "grove/gang-missing": makes_its_gang,
    "grove/topology-*": annotates("PodGang", "grove.io/topology-name", "racks"),
    "grove/priority-*": sets("PodGang", "spec", "priorityClassName", to=None),
    "grove/bad-no-name": sets("PodGang", *GANG, "name", to="leaf"),
    "grove/bad-name-type": sets("PodGang", *GANG, "name", to="leaf"),
    "grove/bad-min-*": sets("PodGang", *GANG, "minReplicas", to=1),
    "grove/bad-ref*": sets("PodGang", *GANG, "podReferences", to=[]),
    "grove/bad-podgroup*": sets("PodGang", "spec", "podgroups", to=[]),
    "grove/bad-config*": sets("PodGang", "spec", "topologyConstraintGroupConfigs", to=None),
    "mixed/every-outcome": both(annotates("Job", MIN_MEMBERS, "2"), lets_go_of_the_lost),
    "knative/legacy-no-owner": sets(
        *("PodGroup", "metadata", "ownerReferences"),
        to=[{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}],
    ),
}


def repaired(vector: Vector) -> Iterable[Json]:
    """The first repair whose name fits."""
    _, _, name = vector.id.partition("/")
    return next(repair for pattern, repair in REPAIRS.items() if fnmatch(name, pattern))(vector)


def _with(value: object, path: Sequence[Step], to: object) -> Json:
    """The object with a value at a path, and with whatever is missing on the way there."""
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        assert isinstance(value, list)
        return [_with(item, rest, to) if place == step else item for place, item in enumerate(value)]
    there = dict(value) if isinstance(value, Mapping) else {}
    if rest:
        return {**there, step: _with(there.get(step), rest, to)}
    return {key: item for key, item in there.items() if key != step} | ({} if to is None else {step: to})
