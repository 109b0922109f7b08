"""The life of workloads that Kubernetes' own controllers make pods for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pytest

from podgrouper.core.model import POD, Kind
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.kai.operator import floors_in
from tests.cluster.program import Programs
from tests.cluster.scenes import KAI, Scene
from tests.cluster.waiting import eventually

SMALL, LARGE = 2, 3
TOGETHER = {"kai.scheduler/batch-min-member": "2"}
CRON_JOB, JOB = Kind("batch/v1", "CronJob"), Kind("batch/v1", "Job")
DEPLOYMENT, REPLICA_SET, STATEFUL_SET = (
    Kind("apps/v1", kind) for kind in ("Deployment", "ReplicaSet", "StatefulSet")
)


@dataclass(frozen=True)
class BuiltIn:
    top: Kind
    manifest: Object
    floors: Mapping[int, Sequence[Mapping[str, int]]]
    """By the number of pods."""
    scaled: Kind
    path: str = "replicas"
    begin: Callable[[Scene], object] = lambda _: None
    """What has to be done by hand besides."""


def replicated(kind: Kind, **more: object) -> Object:
    made = objects.replica_set("", "w", KAI.scheduler, SMALL)
    return {**made, "kind": kind.kind, "spec": {**made["spec"], **more}}


def job() -> Object:
    made = objects.job("", "w", KAI.scheduler, SMALL)
    made["metadata"]["annotations"] = TOGETHER
    made["spec"]["completions"] = 10
    return made


def cron_job() -> Object:
    """Suspended: a test starts a run by hand."""
    run = job()
    spec = {"metadata": {"annotations": TOGETHER}, "spec": run["spec"]}
    return {
        "apiVersion": CRON_JOB.api_version,
        "kind": CRON_JOB.kind,
        "metadata": {"name": "w"},
        "spec": {"schedule": "* * * * *", "suspend": True, "jobTemplate": spec},
    }


def run_by_hand(scene: Scene) -> None:
    scene.plane.kubectl("create", "job", "w", "--from=cronjob/w", "-n", scene.namespace)


def always(*floors: Mapping[str, int]) -> Mapping[int, Sequence[Mapping[str, int]]]:
    return {SMALL: floors, LARGE: floors}


ONE = {"": 1}
ROWS = {
    "Deployment": BuiltIn(
        DEPLOYMENT, replicated(DEPLOYMENT), {SMALL: [ONE] * SMALL, LARGE: [ONE] * LARGE}, DEPLOYMENT
    ),
    "ReplicaSet": BuiltIn(REPLICA_SET, replicated(REPLICA_SET), always(ONE), REPLICA_SET),
    "StatefulSet": BuiltIn(
        STATEFUL_SET,
        replicated(STATEFUL_SET, serviceName="w", podManagementPolicy="Parallel"),
        always(ONE),
        STATEFUL_SET,
    ),
    "Job": BuiltIn(JOB, job(), always({"": 2}), JOB, "parallelism"),
    "CronJob": BuiltIn(CRON_JOB, cron_job(), always({"": 2}), JOB, "parallelism", run_by_hand),
}


@pytest.mark.parametrize("row", [pytest.param(row, id=name) for name, row in ROWS.items()])
def test_a_workload_comes_and_grows_loses_a_member_and_goes(
    busy_scene: Scene, programs: Programs, row: BuiltIn
):
    api, namespace = busy_scene.plane.api, busy_scene.namespace
    busy_scene.start(programs)

    api.create({**row.manifest, "metadata": {**row.manifest["metadata"], "namespace": namespace}})
    row.begin(busy_scene)
    settles(busy_scene, row, SMALL)

    api.patch(row.scaled, namespace, "w", {"spec": {row.path: LARGE}})
    settles(busy_scene, row, LARGE)

    lost = next(iter(busy_scene.links()))
    uid = api.get(POD, namespace, lost)["metadata"]["uid"]
    api.delete(POD, namespace, lost)
    eventually(lambda: uid not in [pod["metadata"]["uid"] for pod in busy_scene.pods()])
    settles(busy_scene, row, LARGE)

    api.delete(row.top, namespace, "w")
    eventually(lambda: [*busy_scene.pods(), *busy_scene.groups()], lambda left: not left, within=60)


def settles(scene: Scene, row: BuiltIn, size: int) -> None:
    """Waits until so many pods live and are linked, and the groups ask for what they should."""
    eventually(scene.links, lambda links: len(links) == size, within=60)
    scene.all_linked()
    eventually(lambda: floors_in(scene), lambda found: found == list(row.floors[size]), within=30)
