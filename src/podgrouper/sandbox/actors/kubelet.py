"""A kubelet that pretends: pods that have a node start a moment later and run as long as their command says.

It understands `sleep SECONDS`, `true`, `false`, `exit CODE` and a shell with a chain of them; everything
else, and everything that would be started again, runs until the pod is deleted.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from podgrouper.core.fields import being_deleted, dig, integer, items, text
from podgrouper.core.model import Json
from podgrouper.sandbox.actors.cluster import Cluster
from podgrouper.sandbox.actors.pods import bound, condition, conditions_with, ended, phase

START = timedelta(seconds=1)
"""From the binding to the running containers."""
_SHELLS = ("sh", "bash", "/bin/sh", "/bin/bash")
_STEP = re.compile(r"sleep (?P<seconds>\d+(?:\.\d+)?)|exit (?P<code>\d+)|(?P<word>true|false)")


@dataclass(frozen=True, slots=True)
class Run:
    """How long a program runs, and how it ends."""

    seconds: float
    code: int


def act(cluster: Cluster, pod: Json) -> datetime | None:
    if not bound(pod) or (ended(pod) and not being_deleted(pod)):
        return None
    if being_deleted(pod):
        cluster.delete(pod, grace=0)
        return None
    if phase(pod) == "Pending":
        return _start(cluster, pod)
    return _finish(cluster, pod)


def _start(cluster: Cluster, pod: Json) -> datetime | None:
    due = _moment(condition(pod, "PodScheduled").get("lastTransitionTime"), cluster.now) + START
    if cluster.now < due:
        return due
    yes = [{"type": name, "status": "True"} for name in ("Initialized", "Ready", "ContainersReady")]
    status = {
        "phase": "Running",
        "startTime": cluster.time,
        "conditions": conditions_with(pod, cluster.time, *yes),
        "containerStatuses": [
            _container(one, {"running": {"startedAt": cluster.time}}) for one in items(pod, "spec.containers")
        ],
    }
    cluster.report(pod, status)
    return _ends_at(pod, cluster.now)


def _finish(cluster: Cluster, pod: Json) -> datetime | None:
    started = _moment(text(pod, "status.startTime"), cluster.now)
    due = _ends_at(pod, started)
    if due is None or cluster.now < due:
        return due
    run = run_of(pod)
    late = _deadline(pod, started) == due
    code = 137 if late or run is None else run.code
    no = [
        {"type": name, "status": "False", "reason": "PodFailed" if code else "PodCompleted"}
        for name in ("Ready", "ContainersReady")
    ]
    end = {
        "terminated": {
            "exitCode": code,
            "reason": "Error" if code else "Completed",
            "finishedAt": cluster.time,
        }
    }
    status = {
        "phase": "Failed" if code else "Succeeded",
        "startTime": text(pod, "status.startTime"),
        "conditions": conditions_with(pod, cluster.time, *no),
        "containerStatuses": [_container(one, end) for one in items(pod, "spec.containers")],
        **({"reason": "DeadlineExceeded"} if late else {}),
    }
    cluster.report(pod, status)
    return None


def _ends_at(pod: Json, started: datetime) -> datetime | None:
    """None while nothing ends the pod by itself."""
    run = run_of(pod)
    ends = [] if run is None else [started + timedelta(seconds=run.seconds)]
    deadline = _deadline(pod, started)
    return min([*ends, *([deadline] if deadline else [])], default=None)


def _deadline(pod: Json, started: datetime) -> datetime | None:
    seconds = integer(pod, "spec.activeDeadlineSeconds", 0)
    return started + timedelta(seconds=seconds) if seconds else None


def run_of(pod: Json) -> Run | None:
    """The run of all containers together: as long as the longest, failed if any of them fails.

    None for a pod that does not end: one of them runs on, or would be started again.
    """
    policy = text(pod, "spec.restartPolicy", "Always")
    runs = [_run(one) for one in items(pod, "spec.containers")]
    found = [run for run in runs if run is not None]
    if policy == "Always" or not found or len(found) < len(runs):
        return None
    code = max(run.code for run in found)
    if policy == "OnFailure" and code:
        return None
    return Run(max(run.seconds for run in found), code)


def _run(container: Json) -> Run | None:
    words = [*_words(container, "command"), *_words(container, "args")]
    if words[:2] and words[0] in _SHELLS and words[1] == "-c":
        words = words[2:3]
    line = " ".join(words).strip()
    steps = [_STEP.fullmatch(step.strip()) for step in re.split(r";|&&", line)]
    seconds = 0.0
    for step in steps:
        if step is None:
            return None
        seconds += float(step["seconds"] or 0)
        code = 1 if step["word"] == "false" else int(step["code"] or 0)
        if code or step["code"]:
            return Run(seconds, code)
    return Run(seconds, 0)


def _words(container: Json, field: str) -> list[str]:
    found = dig(container, field, [])
    return [str(word) for word in found] if isinstance(found, list | tuple) else []


def _container(container: Json, state: Json) -> Json:
    running = "running" in state
    return {
        "name": text(container, "name"),
        "image": text(container, "image"),
        "imageID": "",
        "ready": running,
        "started": running,
        "restartCount": 0,
        "state": state,
    }


def _moment(written: object, otherwise: datetime) -> datetime:
    try:
        return datetime.fromisoformat(written) if isinstance(written, str) else otherwise
    except ValueError:
        return otherwise
