from dataclasses import replace

import pytest

from podgrouper.core.groups import Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Kind
from podgrouper.policies.kai.defaults import default_group
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.registry import GROUPERS
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.settings import KaiSettings
from podgrouper.policies.kai.values import number_at
from tests.policies.kai.worlds import existing_group, groups, kai_profile, only_group, pod, reasons, thing

CUSTOM_JOB = Kind("example.com/v1", "CustomJob")
ROLE = "training.kubeflow.org/replica-type"
INDEX = "training.kubeflow.org/replica-index"


class CustomJobs(Grouper):
    """As somebody outside would write it: `minAvailable`, else `replicas`, else what everybody gets."""

    kinds = (CUSTOM_JOB,)
    reads = Reads(paths={CUSTOM_JOB: frozenset({"spec.minAvailable", "spec.replicas"})})

    def group(self, scene: Scene) -> Grouping:
        asked = (number_at(scene.owner, path) or 0 for path in ("spec.minAvailable", "spec.replicas"))
        floor = next((number for number in asked if number > 0), 1)
        return Grouping((replace(default_group(scene, scene.members), floor=floor),))


@pytest.mark.parametrize(
    ("expected", "spec"),
    [
        pytest.param(3, {"minAvailable": 3, "replicas": 5}, id="what it asks for"),
        pytest.param(5, {"replicas": 5}, id="else its replicas"),
        pytest.param(1, {"minAvailable": -1}, id="else the default"),
    ],
)
def test_a_grouper_of_ones_own_takes_the_default_and_replaces_a_field(expected, spec):
    owner = thing("example.com/v1 CustomJob", "c", spec)

    (group,) = groups([owner, pod("p", owner)], kai_profile(extra=(CustomJobs(),)))

    assert (group.floor, group.name) == (expected, "pg-c-uid-c")


def test_a_wrong_type_in_it_is_told_to_its_pods():
    owner = thing("example.com/v1 CustomJob", "c", {"minAvailable": "3"})

    assert reasons([owner, pod("p", owner)], kai_profile(extra=(CustomJobs(),))) == {"p": "BadValue"}


def test_no_two_groupers_name_one_kind():
    kinds = [kind for grouper in GROUPERS for kind in grouper.kinds]

    assert sorted(kinds) == sorted(set(kinds))


@pytest.mark.parametrize(
    ("priority", "kind"),
    [
        pytest.param("train", "apps/v1 StatefulSet", id="stateful set"),
        pytest.param("build", "kubeflow.org/v1beta1 Notebook", id="notebook"),
        pytest.param("inference", "egx.nvidia.io/v1 SPOTRequest", id="spot request"),
        pytest.param("train", "example.com/v1 Whatever", id="a kind that nobody knows"),
    ],
)
def test_plain_kinds_are_one_group_that_starts_with_any_pod(priority, kind):
    owner = thing(kind, "x")

    group = only_group(owner, pod("a", owner), pod("b", owner))

    assert (group.floor, group.priority_class, len(group.placements)) == (1, priority, 2)


def test_between_pod_and_owner_the_nearest_is_heard_first():
    top = thing("example.com/v1 Task", "t", annotations={"kai.scheduler/preemption-delay": "1m"})
    near = thing("apps/v1 StatefulSet", "s", owner=top, annotations={"kai.scheduler/preemption-delay": "9s"})

    assert only_group(top, near, pod("p", near)).preemption_delay == "9s"


def test_every_pod_of_a_deployment_is_a_group_of_its_own():
    deployment = thing("apps/v1 Deployment", "d", labels={"kai.scheduler/queue": "q"})
    replica_set = thing("apps/v1 ReplicaSet", "rs", owner=deployment)

    made = groups([deployment, replica_set, pod("a", replica_set), pod("b", replica_set)])

    assert {(group.name, group.owners[0].name, group.queue, group.priority_class) for group in made} == {
        ("pg-a-uid-a", "a", "q", "inference"),
        ("pg-b-uid-b", "b", "q", "inference"),
    }


def test_a_spark_application_names_its_group_itself():
    spark = {"spark-app-name": "etl", "spark-app-selector": "spark-1"}
    driver = pod("driver", labels=spark)

    group = only_group(driver, pod("executor", driver, labels=spark))

    assert (group.name, group.owners[0].name, len(group.placements)) == ("spark-1", "driver", 2)


@pytest.mark.parametrize(("names", "search"), [({"pg-a-uid-j", "pg-j-uid-j"}, True), ({"pg-j-uid-j"}, False)])
def test_a_job_keeps_groups_under_an_old_name_if_they_are_looked_for(names, search):
    job = thing("batch/v1 Job", "j")
    objects = [job, pod("a", job), pod("b", job), existing_group("pg-a-uid-j")]

    made = groups(objects, kai_profile(KaiSettings(search_legacy_groups=search)))

    assert {group.name for group in made} == names


def test_every_run_of_a_cron_job_is_a_group_and_fails_alone():
    cron = thing("batch/v1 CronJob", "c", labels={"kai.scheduler/queue": "q"})
    good = thing("batch/v1 Job", "good", owner=cron, annotations={"kai.scheduler/batch-min-member": "2"})
    bad = thing("batch/v1 Job", "bad", owner=cron, annotations={"kai.scheduler/batch-min-member": "-2"})
    objects = [cron, good, bad, pod("g", good), pod("b", bad), pod("astray", cron)]

    (group,) = groups(objects)

    assert (group.name, group.floor, group.queue) == ("pg-good-uid-good", 2, "default-queue")
    assert reasons(objects) == {"b": "BadValue", "astray": "BadValue"}


@pytest.mark.parametrize(
    ("expected", "spec"),
    [
        pytest.param(
            6, {"tfReplicaSpecs": {"PS": {"replicas": 2}, "Worker": {"replicas": 4}}}, id="all replicas"
        ),
        pytest.param(
            3,
            {
                "tfReplicaSpecs": {"Worker": {"replicas": 0}},
                "runPolicy": {"schedulingPolicy": {"minAvailable": 3}},
            },
            id="what its policy asks for",
        ),
    ],
)
def test_a_training_job_starts_as_a_whole(expected, spec):
    job = thing("kubeflow.org/v1 TFJob", "t", spec)

    assert only_group(job, pod("p", job)).floor == expected


@pytest.mark.parametrize(
    "specs",
    [
        pytest.param(None, id="no map"),
        pytest.param({"Worker": {}}, id="no number"),
        pytest.param({"Worker": {"replicas": 0}}, id="zero"),
        pytest.param({"Worker": {"replicas": "4"}}, id="a text"),
        pytest.param({"Worker": {"replicas": -1}}, id="less than nothing"),
        pytest.param("none", id="no map but a text"),
    ],
)
def test_a_training_job_without_sensible_replicas_is_not_grouped(specs):
    job = thing("kubeflow.org/v1 TFJob", "t", {"tfReplicaSpecs": specs})

    assert reasons([job, pod("p", job)]) == {"p": "BadValue"}


def pytorch(workers, annotations=(), **spec):
    worker = {"replicas": workers, "template": {"metadata": {"annotations": dict(annotations)}}}
    specs = {"Master": {"replicas": 1}, "Worker": worker}
    return thing("kubeflow.org/v1 PyTorchJob", "t", {"pytorchReplicaSpecs": specs, **spec})


def test_a_pytorch_job_has_a_part_for_each_role():
    job = pytorch(3)

    group = only_group(job, pod("m", job, labels={ROLE: "master"}), pod("w", job, labels={ROLE: "worker"}))

    assert (group.floor, [(part.name, part.floor) for part in group.parts]) == (
        4,
        [("master", 1), ("worker", 3)],
    )
    assert [(place.pod.name, place.part) for place in group.placements] == [("m", "master"), ("w", "worker")]


def test_workers_come_in_segments_of_which_the_needed_ones_are_whole():
    job = pytorch(8, {"kai.scheduler/segment-size": "2"}, elasticPolicy={"minReplicas": 5})

    group = only_group(job, pod("w", job, labels={ROLE: "worker", INDEX: "5"}))

    assert [(part.name, part.floor, part.floor_of_parts) for part in group.parts] == [
        ("master", 1, None),
        ("worker", None, 4),
        ("worker-0", 2, None),
        ("worker-1", 2, None),
        ("worker-2", 0, None),
        ("worker-3", 0, None),
    ]
    assert group.placements[0].part == "worker-2"


def test_a_worker_with_a_bad_segment_fails_alone():
    job = pytorch(2)
    bad = pod("bad", job, labels={ROLE: "worker"}, annotations={"kai.scheduler/segment-size": "0"})
    objects = [job, bad, pod("good", job, labels={ROLE: "worker"})]

    assert [place.pod.name for place in groups(objects)[0].placements] == ["good"]
    assert reasons(objects) == {"bad": "BadValue"}


def test_another_replica_type_is_a_part_of_its_own():
    specs = {"Worker": {"replicas": 2}, "Evaluator": {"replicas": 1}}
    job = thing("kubeflow.org/v1 PyTorchJob", "t", {"pytorchReplicaSpecs": specs})

    group = only_group(job, pod("e", job, labels={ROLE: "evaluator"}))

    assert [(part.name, part.floor) for part in group.parts] == [("worker", 2), ("evaluator", 1)]
    assert group.placements[0].part == "evaluator"
