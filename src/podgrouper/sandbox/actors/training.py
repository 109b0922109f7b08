"""PyTorchJobs as Kubeflow's training operator runs them: a pod for each replica of each role.

Restarts are the kubelet's; elastic jobs keep the number of replicas that they ask for.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from podgrouper.core.fields import being_deleted, dig, integer, mapping, text
from podgrouper.core.model import POD, Json, Kind
from podgrouper.sandbox.actors.cluster import Cluster
from podgrouper.sandbox.actors.pods import active, changed, condition, conditions_with, ended, phase, pod_from

PYTORCH_JOB = Kind("kubeflow.org/v1", "PyTorchJob")
PREFIX = "training.kubeflow.org/"
ENDS = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class Replica:
    """One pod that the job wants."""

    role: str
    index: int
    spec: Json


def act(cluster: Cluster, job: Json) -> None:
    over = any(condition(job, name).get("status") == "True" for name in ENDS)
    if being_deleted(job):
        return
    if over:
        _clean_up(cluster, job)
        return
    pods = _pods(cluster, job)
    for replica in _wanted(job):
        if _pod_name(job, replica) not in pods:
            cluster.create(_pod(job, replica), job)
    cluster.report(job, _status(job, _pods(cluster, job), cluster.time))


def _wanted(job: Json) -> Iterator[Replica]:
    for role in sorted(mapping(job, "spec.pytorchReplicaSpecs"), key=_order):
        spec = mapping(mapping(job, "spec.pytorchReplicaSpecs"), role)
        yield from (Replica(role, index, spec) for index in range(integer(spec, "replicas", 1)))


def _order(role: str) -> tuple[bool, str]:
    return (role != "Master", role)


def _pods(cluster: Cluster, job: Json) -> Mapping[str, Json]:
    return {text(pod, "metadata.name"): pod for pod in cluster.controlled(job, POD)}


def _pod_name(job: Json, replica: Replica) -> str:
    return f"{text(job, 'metadata.name')}-{replica.role.lower()}-{replica.index}"


def _pod(job: Json, replica: Replica) -> Json:
    """The operator's labels: schedulers and groupers tell master and workers by them."""
    name = text(job, "metadata.name")
    marks = {
        f"{PREFIX}job-name": name,
        f"{PREFIX}operator-name": "pytorchjob-controller",
        f"{PREFIX}replica-type": replica.role.lower(),
        f"{PREFIX}replica-index": str(replica.index),
    }
    if replica.role == "Master":
        marks[f"{PREFIX}job-role"] = "master"
    restart = text(replica.spec, "restartPolicy", "OnFailure")
    template = changed(
        mapping(replica.spec, "template"),
        {"spec": {"restartPolicy": "Never" if restart == "ExitCode" else restart}},
    )
    return pod_from(template, name=_pod_name(job, replica), labels=marks)


def _status(job: Json, pods: Mapping[str, Json], now: str) -> Json:
    counts: dict[str, dict[str, int]] = {}
    for replica in _wanted(job):
        pod = pods.get(_pod_name(job, replica))
        found = counts.setdefault(replica.role, {})
        if pod is None:
            continue
        word = {"Succeeded": "succeeded", "Failed": "failed"}.get(phase(pod), "active")
        found[word] = found.get(word, 0) + int(ended(pod) or active(pod))
    return {
        **mapping(job, "status"),
        "startTime": text(job, "status.startTime") or now,
        "replicaStatuses": counts,
        "conditions": conditions_with(job, now, *_conditions(job, pods)),
    }


def _conditions(job: Json, pods: Mapping[str, Json]) -> Iterator[Json]:
    name = text(job, "metadata.name")
    yield _condition("Created", "PyTorchJobCreated", f"PyTorchJob {name} is created.")
    phases = [(one.role, phase(pods.get(_pod_name(job, one), {}))) for one in _wanted(job)]
    deciding = [how for role, how in phases if role == "Master"] or [how for _, how in phases]
    if any(how == "Failed" for _, how in phases):
        yield _condition(
            "Failed", "PyTorchJobFailed", f"PyTorchJob {name} is failed because a replica failed."
        )
    elif deciding and all(how == "Succeeded" for how in deciding):
        yield _condition("Succeeded", "PyTorchJobSucceeded", f"PyTorchJob {name} is successfully completed.")
    elif deciding and all(how in ("Running", "Succeeded") for how in deciding):
        yield _condition("Running", "PyTorchJobRunning", f"PyTorchJob {name} is running.")


def _condition(name: str, reason: str, message: str) -> Json:
    return {"type": name, "status": "True", "reason": reason, "message": message}


def _clean_up(cluster: Cluster, job: Json) -> None:
    """`cleanPodPolicy`: None keeps the pods, Running takes those that still run, All takes all."""
    policy = dig(job, "spec.runPolicy.cleanPodPolicy", "None")
    for pod in cluster.controlled(job, POD):
        if policy == "All" or (policy == "Running" and not ended(pod)):
            cluster.delete(pod)
