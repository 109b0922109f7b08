"""Every family of workloads that KAI groups by rules of its own, as its operator makes it.

A family says which objects there are for a size, and what the groups ask for then.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.cluster.api import Object
from tests.cluster.kai.things import HERE, Thing, deployment, job, pod, pods, stateful_set, template, thing

KUBEFLOW = "training.kubeflow.org"
Floors = Sequence[Mapping[str, int]]
Expected = Callable[[int], Floors]
Made = Callable[[int], Iterable[Thing]]


@dataclass(frozen=True)
class Family:
    things: Made
    """For a size: the workload first, owners before what they own, a pod last."""
    floors: Expected


def one_for_all(_: int) -> Floors:
    return [{"": 1}]


def one_each(size: int) -> Floors:
    return [{"": 1}] * size


def all_together(size: int) -> Floors:
    return [{"": size}]


def one_more(size: int) -> Floors:
    """Somebody leads them."""
    return [{"": 1 + size}]


def bare(size: int) -> Iterable[Thing]:
    return [pod(f"p-{number}") for number in range(size)]


def spark(size: int) -> Iterable[Thing]:
    marks = {"spark-app-name": "pi", "spark-app-selector": "spark-1"}
    driver = pod("driver", labels=marks)
    return [driver, *pods(size, driver, "exec", marks)]


def below(kind: str, **spec: Any) -> Made:
    """Pods right below the workload."""

    def things(size: int) -> Iterable[Thing]:
        top = thing(kind, "w", spec=spec)
        return [top, *pods(size, top)]

    return things


def chained(*kinds: str) -> Made:
    """Pods below the last of these, each of which owns the next one."""

    def things(size: int) -> Iterable[Thing]:
        chain: list[Thing] = []
        for kind in kinds:
            chain.append(thing(kind, "w", chain[-1] if chain else None))
        return [*chain, *pods(size, chain[-1])]

    return things


def deployed(kind: str) -> Made:
    def things(size: int) -> Iterable[Thing]:
        top = thing(kind, "w")
        made = deployment("w", top, size)
        return [top, *made, *pods(size, made[-1])]

    return things


def notebook(size: int) -> Iterable[Thing]:
    top = thing("kubeflow.org/v1beta1 Notebook", "w", spec={"template": template()})
    statefulset = stateful_set("w", top, size)
    return [top, statefulset, *pods(size, statefulset)]


def replicas(count: int) -> Object:
    return {"replicas": count, "restartPolicy": "OnFailure", "template": template()}


def trained(kind: str, path: str, first: str = "", *, parts: bool = False) -> Made:
    """A training job of one pod that leads and so many workers, all of them right below it."""

    def things(size: int) -> Iterable[Thing]:
        leads = {first.capitalize(): replicas(1)} if first else {}
        top = thing(kind, "w", spec={path: {**leads, "Worker": replicas(size)}})
        roles = ([first] if first else []) + ["worker"] * size
        return [
            top,
            *(
                pod(f"w-{number}", top, _role(role, number), role if parts else "")
                for number, role in enumerate(roles)
            ),
        ]

    return things


def _role(role: str, number: int) -> Mapping[str, str]:
    return {
        f"{KUBEFLOW}/job-name": "w",
        f"{KUBEFLOW}/job-role": role,
        f"{KUBEFLOW}/replica-type": role,
        f"{KUBEFLOW}/replica-index": str(number),
    }


def mpi(size: int) -> Iterable[Thing]:
    """As MPI's own operator makes it: the launcher is a Job's pod."""
    specs = {"Launcher": replicas(1), "Worker": replicas(size)}
    top = thing("kubeflow.org/v2beta1 MPIJob", "w", spec={"mpiReplicaSpecs": specs})
    launcher = job("w-launcher", top)
    marks = {f"{KUBEFLOW}/job-name": "w"}
    workers = pods(size, top, "w-worker", marks | {f"{KUBEFLOW}/job-role": "worker"})
    return [
        top,
        launcher,
        pod("w-launcher-x", launcher, marks | {f"{KUBEFLOW}/job-role": "launcher"}),
        *workers,
    ]


def ray(kind: str = "", status: str = "", version: str = "v1") -> Made:
    """A RayCluster, by itself or below an owner of that kind, which names it at that place of its status."""

    def things(size: int) -> Iterable[Thing]:
        groups = [{"groupName": "small", "replicas": size, "minReplicas": size, "template": template()}]
        spec = {"headGroupSpec": {"template": template()}, "workerGroupSpecs": groups}
        named = {"rayClusterName": "w-raycluster"}
        above = thing(f"ray.io/{version} {kind}", "w", status={status: named} if status else named)
        owners = [above] if kind else []
        cluster = thing(f"ray.io/{version} RayCluster", "w-raycluster", *owners, spec=spec)
        head = pod("w-head", cluster, _ray_group("headgroup"), "headgroup")
        return [*owners, cluster, head, *pods(size, cluster, "w-small", _ray_group("small"), "small")]

    return things


def _ray_group(group: str) -> Mapping[str, str]:
    return {"ray.io/cluster": "w-raycluster", "ray.io/group": group, "ray.io/is-ray-node": "yes"}


def ray_floors(size: int) -> Floors:
    return [{"": 1 + size, "headgroup": 1, "small": size}]


def job_set(owner: Thing | None = None) -> Made:
    def things(size: int) -> Iterable[Thing]:
        spec = {"parallelism": 1, "template": template()}
        jobs = [{"name": "node", "replicas": size, "template": {"spec": spec}}]
        top = thing("jobset.x-k8s.io/v1alpha2 JobSet", "w", owner, spec={"replicatedJobs": jobs})
        made = [job(f"w-node-{index}", top) for index in range(size)]
        members = [
            pod(f"{one.name}-x", one, _job_index(index), f"node-replica-{index}")
            for index, one in enumerate(made)
        ]
        return [*([owner] if owner else []), top, *made, *members]

    return things


def _job_index(index: int) -> Mapping[str, str]:
    key = "jobset.sigs.k8s.io"
    return {f"{key}/replicatedjob-name": "node", f"{key}/job-index": str(index)}


def job_set_floors(size: int) -> Floors:
    return [{"": 1, "node": size} | {f"node-replica-{index}": 1 for index in range(size)}]


def leader_worker_set(size: int) -> Iterable[Thing]:
    """So many replicas of a leader and one worker: a leader owns the StatefulSet of its workers."""
    spec = {"size": 2, "leaderTemplate": template(), "workerTemplate": template()}
    top = thing(
        "leaderworkerset.x-k8s.io/v1 LeaderWorkerSet",
        "w",
        spec={"replicas": size, "leaderWorkerTemplate": spec},
    )
    leaders = stateful_set("w", top, size)
    made = [top, leaders]
    for index in range(size):
        leader = pod(f"w-{index}", leaders, _worker(index, 0), "leader")
        workers = stateful_set(leader.name, leader, 1)
        made += [leader, workers, pod(f"w-{index}-1", workers, _worker(index, 1), "workers")]
    return made


def _worker(group: int, index: int) -> Mapping[str, str]:
    key = "leaderworkerset.sigs.k8s.io"
    return {f"{key}/name": "w", f"{key}/group-index": str(group), f"{key}/worker-index": str(index)}


def grove(kind: str, owner: Thing | None = None) -> Made:
    def things(size: int) -> Iterable[Thing]:
        top = thing(kind, "w", owner)
        clique = thing("grove.io/v1alpha1 PodClique", "w-0-decode", top, spec={"replicas": size})
        members = list(pods(size, clique, labels={"grove.io/podgang": "w-0"}, part="w-0-decode"))
        listed = [{"namespace": HERE, "name": member.name} for member in members]
        gang = [{"name": "w-0-decode", "minReplicas": size, "podReferences": listed}]
        pod_gang = thing("scheduler.grove.io/v1alpha1 PodGang", "w-0", top, spec={"podgroups": gang})
        return [*([owner] if owner else []), top, clique, pod_gang, *members]

    return things


def grove_floors(size: int) -> Floors:
    return [{"": size, "w-0-decode": size}]


def knative(size: int) -> Iterable[Thing]:
    serving = "serving.knative.dev/v1"
    service = thing(f"{serving} Service", "w")
    configuration = thing(f"{serving} Configuration", "w", service)
    least = {"autoscaling.knative.dev/min-scale": "2"}
    revision = thing(f"{serving} Revision", "w-00001", configuration, annotations=least)
    made = deployment("w-00001-deployment", revision, size)
    labels = {"serving.knative.dev/revision": revision.name}
    return [service, configuration, revision, *made, *pods(size, made[-1], labels=labels)]


def runai_job(size: int) -> Iterable[Thing]:
    """A search with so many indexes: the pods of one differ in the last word of their names."""
    top = thing("run.ai/v1 RunaiJob", "w", spec={"parallelism": 1})
    return [top, *(pod(f"w-{index}-x", top) for index in range(size))]


def aml_job(size: int) -> Iterable[Thing]:
    options = {"options": {"envs": {"AZUREML_NODE_COUNT": size}}}
    top = thing("amlarc.azureml.com/v1alpha1 AmlJob", "w", spec={"job": options})
    return [top, *pods(size, top)]
