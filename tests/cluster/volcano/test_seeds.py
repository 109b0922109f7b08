"""The user cases and usage examples of the documents that asked for this profile, word for word."""

import pytest

from podgrouper.core.model import POD
from tests.cluster import objects
from tests.cluster.scenes import VOLCANO, Scene
from tests.cluster.volcano.workloads import (
    GANG_SIZE,
    GPU,
    LINK,
    WORKFLOW,
    annotated,
    asking_for_gpus,
    events,
    inherited,
    owners,
    start_with_rules,
    stateful_set,
)
from tests.cluster.waiting import eventually

NO_RULES = "podgroup-level-rules: []\n"
READ_WORKFLOWS = objects.cluster_role(
    "read-workflows",
    [{"apiGroups": [WORKFLOW.group], "resources": ["workflows"], "verbs": ["get", "list", "watch"]}],
)


def pods_linked(scene: Scene, count: int) -> None:
    """Waits until there are so many pods and all of them are linked."""
    eventually(scene.links, lambda links: len(links) == count, within=30)
    scene.all_linked()


def test_case_1_a_pod_that_names_its_group_gets_no_other(busy_scene, programs):
    api, namespace = busy_scene.plane.api, busy_scene.namespace
    start_with_rules(busy_scene, programs)
    api.create(annotated(objects.pod(namespace, "named", VOLCANO.scheduler), {LINK: "somebodys"}))
    api.create(objects.pod(namespace, "bare", VOLCANO.scheduler))

    eventually(busy_scene.links, lambda links: len(links) == 2)

    assert busy_scene.links()["named"] == "somebodys"
    assert owners(busy_scene) == ["Pod/bare"]


def test_case_2_a_pod_without_owner_owns_its_group(busy_scene, programs):
    start_with_rules(busy_scene, programs)
    pod = busy_scene.plane.api.create(objects.pod(busy_scene.namespace, "single", VOLCANO.scheduler))

    pods_linked(busy_scene, 1)

    (group,) = busy_scene.groups().values()
    assert group["metadata"]["name"] == f"podgroup-{pod['metadata']['uid']}"
    assert group["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": "single",
            "uid": pod["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert group["status"]["phase"] == "Pending"


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(
            "podgroup-level-rules:\n- {apiversion: argoproj.io/v1alpha1, kind: workflow, adjust-level: -1}\n",
            id="with a rule",
        ),
        pytest.param(NO_RULES, id="without"),
    ],
)
def test_case_3_the_jobs_of_a_workflow_own_a_group_each(busy_scene, programs, rules):
    api, namespace = busy_scene.plane.api, busy_scene.namespace
    busy_scene.plane.apply([objects.crd(WORKFLOW, "workflows")])
    busy_scene.plane.allow(busy_scene.user, [READ_WORKFLOWS])
    start_with_rules(busy_scene, programs, rules)
    workflow = api.create(objects.custom(WORKFLOW, namespace, "k8s-jobs"))
    for name in ("pi-1", "pi-2"):
        job = objects.job(namespace, name, VOLCANO.scheduler)
        job["metadata"]["ownerReferences"] = [objects.controlled_by(workflow)]
        api.create(job)

    pods_linked(busy_scene, 2)

    assert owners(busy_scene) == ["Job/pi-1", "Job/pi-2"]


def test_case_4_a_deployment_owns_the_group_of_its_pods(busy_scene, programs):
    start_with_rules(busy_scene, programs)
    busy_scene.plane.api.create(objects.deployment(busy_scene.namespace, "web", VOLCANO.scheduler, 2))

    pods_linked(busy_scene, 2)

    assert owners(busy_scene) == ["Deployment/web"]


def test_example_a_four_workers_of_a_deployment_start_together_in_their_queue(busy_scene, programs):
    workers = objects.deployment(busy_scene.namespace, "training-workers", VOLCANO.scheduler, 4)
    busy_scene.start(programs)
    busy_scene.plane.api.create(
        annotated(asking_for_gpus(workers, 1), {GANG_SIZE: "4", "volcano.sh/queue-name": "gpu-queue"})
    )

    pods_linked(busy_scene, 4)

    (group,) = busy_scene.groups().values()
    assert (group["spec"]["minMember"], group["spec"]["queue"]) == (4, "gpu-queue")
    assert (group["spec"]["minResources"][GPU], group["spec"]["minResources"]["pods"]) == ("4", "4")
    assert inherited(group) == {"volcano.sh/queue-name": "gpu-queue"}


def test_example_b_a_stateful_set_hands_its_network_topology_on(busy_scene, programs):
    words = {"volcano.sh/network-topology-mode": "hard", "volcano.sh/network-topology-highest-tier": "2"}
    busy_scene.start(programs)
    busy_scene.plane.api.create(stateful_set(busy_scene.namespace, "gpu-workers", 8, words))

    pods_linked(busy_scene, 8)

    (group,) = busy_scene.groups().values()
    assert group["spec"]["networkTopology"] == {"mode": "hard", "highestTierAllowed": 2}


def test_a_mistake_in_a_template_is_one_event_and_the_pods_are_grouped(busy_scene, programs):
    words = {"volcano.sh/network-topology-mode": "harsh"}
    busy_scene.start(programs)
    busy_scene.plane.api.create(stateful_set(busy_scene.namespace, "odd", 3, words))
    pods_linked(busy_scene, 3)

    busy_scene.plane.api.delete(POD, busy_scene.namespace, "odd-2")
    eventually(busy_scene.links, lambda links: len(links) == 3, within=30)

    (event,) = eventually(lambda: events(busy_scene, "BadValue"))
    assert event["involvedObject"]["kind"] == "StatefulSet"
    assert "hard or soft" in event["message"]
