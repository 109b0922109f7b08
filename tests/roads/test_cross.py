"""One project's policy in the other's dialect: KAI's knowledge of workloads on Volcano, and the other way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from podgrouper.config.model import Config, ProfileConfig
from podgrouper.core.fields import annotations, dig, labels, mapping, ref_of, text
from podgrouper.core.model import POD, Json, Kind
from podgrouper.core.reasons import Reason
from podgrouper.planning import plan
from tests.builders import Object, controls, owner, pod
from tests.golden.vectors import FOLDER, vectors
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

ON_VOLCANO = Config(profiles=(ProfileConfig("cross", "kai", "volcano", ("volcano",)),))
ON_KAI = Config(profiles=(ProfileConfig("cross", "volcano", "kai", ("kai-scheduler",)),))
VOLCANO_GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
KAI_GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
LINK, TASK = "scheduling.k8s.io/group-name", "volcano.sh/task-spec"
KUBEFLOW, RAY = "training.kubeflow.org", "ray.io/group"
REPLICATED, JOB_INDEX = "jobset.sigs.k8s.io/replicatedjob-name", "jobset.sigs.k8s.io/job-index"
LWS = "leaderworkerset.sigs.k8s.io"
RACK = {"kai.scheduler/topology": "racks", "kai.scheduler/topology-required-placement": "rack"}


def template(cpu: int, **marks: str) -> Json:
    return {"metadata": {"annotations": marks}, "spec": asking(cpu)}


def asking(cpu: int) -> Object:
    return {"containers": [{"name": "main", "resources": {"requests": {"cpu": str(cpu)}}}]}


def replicas(count: int, cpu: int, **marks: str) -> Json:
    return {"replicas": count, "template": template(cpu, **marks)}


@dataclass(frozen=True)
class Gang:
    """A workload whose pods ask for so many CPUs each, and what Volcano is to read."""

    owner: Object
    pods: Sequence[tuple[int, str, Mapping[str, str]]]
    """CPUs, the task that it is to have, labels."""
    tasks: Mapping[str, int]
    cpu: int
    told: Sequence[str] = ()
    marks: Mapping[str, str] = field(default_factory=dict)
    """Annotations of the pods."""

    def objects(self) -> list[Object]:
        return [
            self.owner,
            *(
                pod(
                    f"p{number}",
                    controls(self.owner),
                    spec=asking(cpu),
                    labels=dict(marks),
                    annotations=dict(self.marks),
                )
                for number, (cpu, _, marks) in enumerate(self.pods)
            ),
        ]


PYTORCH = {"pytorchReplicaSpecs": {"Master": replicas(1, 1), "Worker": replicas(4, 8)}}
MASTER = (1, "master", {f"{KUBEFLOW}/replica-type": "master"})


def worker(index: int, task: str = "worker") -> tuple[int, str, Mapping[str, str]]:
    return (8, task, {f"{KUBEFLOW}/replica-type": "worker", f"{KUBEFLOW}/replica-index": str(index)})


GANGS = {
    "PyTorchJob": Gang(
        owner("kubeflow.org/v1 PyTorchJob", "t", spec=PYTORCH),
        [MASTER, *map(worker, range(4))],
        {"master": 1, "worker": 4},
        cpu=33,
    ),
    "PyTorchJob whose workers are not there yet": Gang(
        owner("kubeflow.org/v1 PyTorchJob", "t", spec=PYTORCH), [MASTER], {"master": 1, "worker": 4}, cpu=33
    ),
    "elastic PyTorchJob in segments": Gang(
        owner(
            "kubeflow.org/v1 PyTorchJob",
            "t",
            spec=PYTORCH | {"elasticPolicy": {"minReplicas": 3}},
            annotations={"kai.scheduler/topology": "racks"},
        ),
        [MASTER, *(worker(index, f"worker-{index // 2}") for index in range(4))],
        {"master": 1, "worker-0": 2},
        cpu=17,
        told=["nesting of its parts below worker", "topology 'racks'", "of its parts worker-0, worker-1"],
        marks={
            "kai.scheduler/segment-size": "2",
            "kai.scheduler/segment-topology-required-placement": "rack",
        },
    ),
    "MPIJob": Gang(
        owner(
            "kubeflow.org/v2beta1 MPIJob",
            "t",
            spec={"mpiReplicaSpecs": {"Launcher": replicas(1, 1), "Worker": replicas(2, 8)}},
        ),
        [
            (1, "launcher", {f"{KUBEFLOW}/job-role": "launcher"}),
            *[(8, "worker", {f"{KUBEFLOW}/job-role": "worker"})] * 2,
        ],
        {"launcher": 1, "worker": 2},
        cpu=17,
    ),
    "RayCluster": Gang(
        owner(
            "ray.io/v1 RayCluster",
            "t",
            spec={
                "headGroupSpec": {"template": template(2)},
                "workerGroupSpecs": [
                    {"groupName": "small", **replicas(2, 4)},
                    {"groupName": "big", **replicas(1, 16, **RACK)},
                ],
            },
        ),
        [
            (2, "headgroup", {RAY: "headgroup"}),
            *[(4, "small", {RAY: "small"})] * 2,
            (16, "big", {RAY: "big"}),
        ],
        {"headgroup": 1, "small": 2, "big": 1},
        cpu=26,
        told=["the topology of its parts big"],
    ),
    "JobSet": Gang(
        owner(
            "jobset.x-k8s.io/v1alpha2 JobSet",
            "t",
            spec={
                "replicatedJobs": [
                    {"name": "driver", "template": {"spec": {"template": template(1)}}},
                    {
                        "name": "workers",
                        "replicas": 2,
                        "template": {"spec": {"parallelism": 2, "template": template(4)}},
                    },
                ]
            },
        ),
        [
            (1, "driver-replica-0", {REPLICATED: "driver", JOB_INDEX: "0"}),
            (
                4,
                "workers-replica-1",
                {REPLICATED: "workers", JOB_INDEX: "1"},
            ),
        ],
        {"driver-replica-0": 1, "workers-replica-0": 2, "workers-replica-1": 2},
        cpu=17,
        told=["the nesting of its parts below driver, workers"],
    ),
    "LeaderWorkerSet": Gang(
        owner(
            "leaderworkerset.x-k8s.io/v1 LeaderWorkerSet",
            "t",
            spec={
                "replicas": 1,
                "leaderWorkerTemplate": {
                    "size": 4,
                    "leaderTemplate": template(2),
                    "workerTemplate": template(8),
                },
            },
        ),
        [(8, "workers", {f"{LWS}/worker-index": "1", f"{LWS}/group-index": "0"})],
        {"leader": 1, "workers": 3},
        cpu=26,
    ),
}


@pytest.mark.parametrize("gang", [pytest.param(gang, id=name) for name, gang in GANGS.items()])
def test_what_kai_knows_of_a_workload_becomes_a_gang_on_volcano(gang: Gang):
    sandbox = Sandbox(gang.objects())

    settled(sandbox, ON_VOLCANO)

    (group,) = sandbox.store.list(VOLCANO_GROUP)
    assert dig(group, "spec.minTaskMember") == gang.tasks
    assert dig(group, "spec.minMember") == sum(gang.tasks.values())
    assert text(group, "spec.minResources.cpu") == str(gang.cpu)
    assert text(group, "spec.queue") == "default"
    assert {annotations(found).get(LINK) for found in sandbox.store.list(POD)} == {ref_of(group).name}
    assert told_as(sandbox.warned(), gang.told)


@pytest.mark.parametrize("gang", [pytest.param(gang, id=name) for name, gang in GANGS.items()])
def test_group_and_task_of_a_pod_are_one_write_and_a_restart_writes_nothing(gang: Gang):
    sandbox = Sandbox(gang.objects())

    settled(sandbox, ON_VOLCANO)
    once = len(sandbox.writes())
    settled(sandbox, ON_VOLCANO)

    assert once == 1 + len(gang.pods)
    assert len(sandbox.writes()) == once
    assert tasks(sandbox) == [task for _, task, _ in gang.pods]


@pytest.mark.parametrize("gang", [pytest.param(gang, id=name) for name, gang in GANGS.items()])
def test_the_plan_tells_what_is_lost(gang: Gang):
    made = plan(gang.objects(), ON_VOLCANO)

    told = [report for report in made.warnings if report.reason is Reason.NOT_EXPRESSIBLE]
    assert len(told) == min(1, len(gang.told))
    assert all(words in told[0].message for words in gang.told)


def test_a_task_that_a_pod_names_already_stays_and_its_floor_is_told():
    gang = replace(GANGS["PyTorchJob"], marks={TASK: "mine"})
    sandbox = Sandbox(gang.objects())

    settled(sandbox, ON_VOLCANO)

    (group,) = sandbox.store.list(VOLCANO_GROUP)
    assert (dig(group, "spec.minMember"), dig(group, "spec.minTaskMember")) == (5, None)
    assert tasks(sandbox) == ["mine"] * 5
    assert told_as(sandbox.warned(), ["the floor of worker (4): its pods belong to the task 'mine'"])


def test_members_that_succeeded_lower_no_floor_since_volcano_counts_them():
    gang = GANGS["PyTorchJob"]
    sandbox = Sandbox(gang.objects())
    settled(sandbox, ON_VOLCANO)
    first, *_ = sandbox.store.list(POD)
    sandbox.store.load({**first, "status": {"phase": "Succeeded"}})

    settled(sandbox, ON_VOLCANO)

    (group,) = sandbox.store.list(VOLCANO_GROUP)
    assert dig(group, "spec.minTaskMember") == gang.tasks


def test_a_bare_pod_is_a_group_that_does_not_show_the_link():
    sandbox = Sandbox([pod("alone", annotations={"note": "x"})])

    settled(sandbox, ON_VOLCANO)

    (group,) = sandbox.store.list(VOLCANO_GROUP)
    assert annotations(group)["note"] == "x"
    assert LINK not in annotations(group)
    assert [request.method for request in sandbox.writes()] == ["POST", "PATCH"]


@pytest.mark.parametrize("vector", [pytest.param(one, id=one.id) for one in vectors([FOLDER / "kai.jsonl"])])
def test_every_world_of_kai_makes_groups_that_volcano_can_read(vector):
    profile = replace(vector.settings().profiles[0], dialect="volcano")

    made = plan(vector.world, Config(profiles=(profile,)), unreadable=vector.unreadable())

    reasons = {entry.skip.reason for entry in made.skipped}
    assert not reasons & {Reason.GROUPER_FAILED, Reason.GROUP_INVALID}
    assert [asked for group in made.pod_groups if (asked := beyond_the_whole(group))] == []


def beyond_the_whole(group: Json) -> int:
    """How many more pods the tasks of a group ask for than the group itself: then Volcano ignores them."""
    asked = sum(int(str(count)) for count in mapping(group, "spec.minTaskMember").values())
    return max(0, asked - int(str(dig(group, "spec.minMember", 0))))


def test_what_volcano_knows_of_a_workload_becomes_a_gang_on_kai():
    workers = owner(
        "apps/v1 ReplicaSet",
        "workers",
        annotations={"scheduling.volcano.sh/group-min-member": "2"},
        spec={"replicas": 2},
    )
    sandbox = Sandbox(
        [workers, *(pod(f"w{n}", controls(workers), scheduler="kai-scheduler") for n in range(2))]
    )

    settled(sandbox, ON_KAI)

    (group,) = sandbox.store.list(KAI_GROUP)
    assert (dig(group, "spec.minMember"), text(group, "spec.queue")) == (2, "default-queue")
    assert {annotations(found).get("pod-group-name") for found in sandbox.store.list(POD)} == {
        ref_of(group).name
    }
    assert [labels(found) for found in sandbox.store.list(POD)] == [{}, {}]


def settled(sandbox: Sandbox, config: Config) -> None:
    async def run() -> None:
        async with sandbox.controller(config):
            await sandbox.quiet()

    virtual_time.run(run())


def tasks(sandbox: Sandbox) -> list[str]:
    """Of the pods, in the order of their names."""
    return [annotations(found).get(TASK, "") for found in sandbox.store.list(POD)]


def told_as(events: Sequence[Json], expected: Sequence[str]) -> bool:
    """One event that says all of it; none where there is nothing to say."""
    messages = [text(event, "message") for event in events if text(event, "reason") == "NotExpressible"]
    return len(messages) == min(1, len(expected)) and all(words in messages[0] for words in expected)
