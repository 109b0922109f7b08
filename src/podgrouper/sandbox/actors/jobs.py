"""Jobs: pods until enough of them succeed, or too many fail.

Every pod carries the tracking finalizer until it is counted, as in a real cluster, so nothing is counted
twice or missed. Failure policies, limits per index and success policies are not known here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from podgrouper.core.fields import annotations, being_deleted, dig, integer, items, mapping, text
from podgrouper.core.model import POD, Json
from podgrouper.memory.builtins import JOB
from podgrouper.sandbox.actors import indexes
from podgrouper.sandbox.actors.cluster import Cluster
from podgrouper.sandbox.actors.pods import (
    active,
    condition,
    conditions_with,
    expendable_first,
    phase,
    pod_from,
    ready,
)

TRACKING = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"
FIRST_BACKOFF_SECONDS = 10
LONGEST_BACKOFF_SECONDS = 600
ENDS = ("Complete", "Failed")


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the pods of a Job so far, those that are gone included."""

    succeeded: int
    failed: int
    completed: frozenset[int]
    """Of an indexed Job."""


def act(cluster: Cluster, job: Json) -> datetime | None:
    if _over(job):
        return None
    tally = _counted(cluster, job)
    if being_deleted(job):
        return None
    why = _failure(cluster, job, tally)
    pods = [pod for pod in cluster.controlled(job, POD) if active(pod)]
    if why:
        _end(cluster, job, tally, "Failed", why)
        return None
    if tally.succeeded >= _completions(job, tally, pods):
        _end(cluster, job, tally, "Complete", "CompletionsReached")
        return None
    if dig(job, "spec.suspend") is True:
        _delete(cluster, pods)
        _report(cluster, job, tally, _suspended("True"))
        return None
    again = _scale(cluster, job, tally, pods)
    resumed = [_suspended("False")] if condition(job, "Suspended") else []
    _report(cluster, job, tally, *resumed)
    return min([time for time in (again, _deadline(job)) if time is not None], default=None)


def release(cluster: Cluster, pod: Json) -> None:
    """A pod of a Job that is gone or ended is not waited for: nobody counts it any more."""
    if TRACKING not in _finalizers(pod):
        return
    job = cluster.controller_of(pod, JOB)
    if job is None or (_over(job) and not active(pod)):
        _untrack(cluster, pod)


def _counted(cluster: Cluster, job: Json) -> Tally:
    """Counts pods that have ended or are going, then lets them go: first the status, then the finalizers."""
    tally = Tally(
        integer(job, "status.succeeded", 0),
        integer(job, "status.failed", 0),
        indexes.read(text(job, "status.completedIndexes")),
    )
    new = [pod for pod in cluster.controlled(job, POD) if TRACKING in _finalizers(pod) and not active(pod)]
    if not new:
        return tally
    good = [pod for pod in new if phase(pod) == "Succeeded"]
    done = tally.completed | {_index(pod) for pod in good if _indexed(job)}
    succeeded = len(done) if _indexed(job) else tally.succeeded + len(good)
    tally = Tally(succeeded, tally.failed + len(new) - len(good), done)
    _report(cluster, job, tally)
    for pod in new:
        _untrack(cluster, pod)
    return tally


def _failure(cluster: Cluster, job: Json, tally: Tally) -> str:
    """Why the Job has failed; empty while it has not."""
    deadline = _deadline(job)
    if deadline is not None and cluster.now >= deadline:
        return "DeadlineExceeded"
    return "BackoffLimitExceeded" if tally.failed > integer(job, "spec.backoffLimit", 6) else ""


def _completions(job: Json, tally: Tally, pods: Sequence[Json]) -> int:
    """Successes that make it complete. Without a number: one, once no pod is left running."""
    completions = dig(job, "spec.completions")
    if isinstance(completions, int):
        return completions
    return 1 if not pods else tally.succeeded + 1


def _scale(cluster: Cluster, job: Json, tally: Tally, pods: list[Json]) -> datetime | None:
    wanted = _wanted(job, tally, len(pods))
    _delete(cluster, expendable_first(pods)[: max(0, len(pods) - wanted)])
    missing = wanted - len(pods)
    if missing <= 0:
        return None
    due = _after_failure(cluster, job)
    if due is not None and cluster.now < due:
        return due
    if _indexed(job):
        taken = tally.completed | {_index(pod) for pod in pods}
        free = [one for one in range(integer(job, "spec.completions", 0)) if one not in taken]
        for index in free[:missing]:
            cluster.create(_indexed_pod(job, index), job)
    else:
        for _ in range(missing):
            cluster.create(_tracked(pod_from(mapping(job, "spec.template"), prefix=f"{_name(job)}-")), job)
    return None


def _wanted(job: Json, tally: Tally, running: int) -> int:
    """Pods at once. Without completions a first success means that nothing new is begun."""
    parallelism = integer(job, "spec.parallelism", 1)
    completions = dig(job, "spec.completions")
    if not isinstance(completions, int):
        return min(running, parallelism) if tally.succeeded else parallelism
    return min(parallelism, completions - tally.succeeded)


def _after_failure(cluster: Cluster, job: Json) -> datetime | None:
    """Ten seconds after a failure, twice as long after each further one without a success between."""
    ends = sorted(
        (_finished(pod, cluster.now), phase(pod)) for pod in cluster.controlled(job, POD) if not active(pod)
    )
    failures = 0
    for _, how in reversed(ends):
        if how == "Succeeded":
            break
        failures += 1
    if not failures:
        return None
    seconds = min(FIRST_BACKOFF_SECONDS * 2 ** (failures - 1), LONGEST_BACKOFF_SECONDS)
    return ends[-1][0] + timedelta(seconds=seconds)


def _finished(pod: Json, otherwise: datetime) -> datetime:
    written = [text(one, "state.terminated.finishedAt") for one in items(pod, "status.containerStatuses")]
    written.append(str(condition(pod, "Ready").get("lastTransitionTime", "")))
    return max((datetime.fromisoformat(one) for one in written if one), default=otherwise)


def _indexed_pod(job: Json, index: int) -> Json:
    prefix = f"{_name(job)}-{index}"
    mark = {INDEX: str(index)}
    template = mapping(job, "spec.template")
    pod = pod_from(template, prefix=f"{prefix}-", labels=mark, annotations=mark)
    spec = mapping(pod, "spec")
    containers = [
        {**one, "env": [*items(one, "env"), {"name": "JOB_COMPLETION_INDEX", "value": str(index)}]}
        for one in items(spec, "containers")
    ]
    return _tracked({**pod, "spec": {"hostname": prefix, **spec, "containers": containers}})


def _tracked(pod: Json) -> Json:
    return {**pod, "metadata": {**mapping(pod, "metadata"), "finalizers": [TRACKING]}}


def _untrack(cluster: Cluster, pod: Json) -> None:
    kept = [one for one in _finalizers(pod) if one != TRACKING]
    cluster.change(pod, {"metadata": {"finalizers": kept}})


def _end(cluster: Cluster, job: Json, tally: Tally, name: str, reason: str) -> None:
    first = "SuccessCriteriaMet" if name == "Complete" else "FailureTarget"
    _delete(cluster, [pod for pod in cluster.controlled(job, POD) if active(pod)])
    latest = cluster.store.find(JOB, text(job, "metadata.namespace"), _name(job))
    tally = _counted(cluster, latest) if latest else tally
    ends = [{"type": one, "status": "True", "reason": reason} for one in (first, name)]
    _report(cluster, job, tally, *ends)


def _report(cluster: Cluster, job: Json, tally: Tally, *conditions: Json) -> None:
    pods = [pod for pod in cluster.controlled(job, POD) if active(pod)]
    going = [pod for pod in cluster.controlled(job, POD) if being_deleted(pod)]
    over = any(one["type"] == "Complete" for one in conditions)
    counts = {"active": len(pods), "succeeded": tally.succeeded, "failed": tally.failed}
    told = conditions_with(job, cluster.time, *conditions)
    status = {
        "startTime": text(job, "status.startTime") or cluster.time,
        **{name: count for name, count in counts.items() if count},
        "ready": sum(map(ready, pods)),
        "terminating": len(going),
        "uncountedTerminatedPods": {},
        **({"completedIndexes": indexes.written(tally.completed)} if tally.completed else {}),
        **({"conditions": told} if told else {}),
        **({"completionTime": cluster.time} if over else {}),
    }
    cluster.report(job, status)


def _over(job: Json) -> bool:
    return any(condition(job, name).get("status") == "True" for name in ENDS)


def _suspended(status: str) -> Json:
    reason = "JobSuspended" if status == "True" else "JobResumed"
    return {"type": "Suspended", "status": status, "reason": reason}


def _deadline(job: Json) -> datetime | None:
    seconds, start = integer(job, "spec.activeDeadlineSeconds", 0), text(job, "status.startTime")
    return datetime.fromisoformat(start) + timedelta(seconds=seconds) if seconds and start else None


def _delete(cluster: Cluster, pods: Sequence[Json]) -> None:
    for pod in pods:
        cluster.delete(pod)


def _indexed(job: Json) -> bool:
    return text(job, "spec.completionMode") == "Indexed"


def _index(pod: Json) -> int:
    written = annotations(pod).get(INDEX, "")
    return int(written) if written.isdecimal() else -1


def _finalizers(pod: Json) -> list[object]:
    found = dig(pod, "metadata.finalizers", [])
    return list(found) if isinstance(found, list | tuple) else []


def _name(job: Json) -> str:
    return text(job, "metadata.name")
