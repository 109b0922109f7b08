"""Workloads that come and go while other things happen."""

from tests.cluster import objects
from tests.cluster.loader import create_all
from tests.cluster.scenes import VOLCANO, changes
from tests.cluster.volcano.workloads import (
    DEPLOYMENT,
    JOB,
    STATEFUL_SET,
    annotated,
    controllers_of,
    events,
    owners,
    scale,
    stateful_set,
)
from tests.cluster.waiting import eventually

LOAD = 300
BIG = 100


def test_one_to_zero_to_one_under_load_ends_with_a_linked_pod_and_its_group(busy_scene, programs):
    api, namespace = busy_scene.plane.api, busy_scene.namespace
    busy_scene.start(programs)
    api.create(objects.deployment(namespace, "web", VOLCANO.scheduler, 1))
    api.create(stateful_set(namespace, "db", 1, {}))
    eventually(busy_scene.links, lambda links: len(links) == 2, within=30)
    busy_scene.all_linked()

    create_all(
        busy_scene.plane,
        (objects.pod(namespace, f"load-{number}", VOLCANO.scheduler) for number in range(LOAD)),
    )
    for replicas in (0, 1, 0, 1):
        scale(busy_scene, DEPLOYMENT, "web", replicas)
        scale(busy_scene, STATEFUL_SET, "db", replicas)

    eventually(busy_scene.pods, lambda pods: len(pods) == LOAD + 2, within=30)
    busy_scene.all_linked()
    assert [owner for owner in owners(busy_scene) if not owner.startswith("Pod/")] == [
        f"ReplicaSet/{replica_set_name(busy_scene)}",
        "StatefulSet/db",
    ]


def replica_set_name(scene) -> str:
    (name,) = {
        owner["name"]
        for pod in scene.pods()
        for owner in pod["metadata"].get("ownerReferences", [])
        if owner["kind"] == "ReplicaSet"
    }
    return str(name)


def test_what_stays_at_zero_has_no_group(busy_scene, programs):
    api, namespace = busy_scene.plane.api, busy_scene.namespace
    busy_scene.start(programs)
    api.create(objects.deployment(namespace, "web", VOLCANO.scheduler, 2))
    api.create(stateful_set(namespace, "db", 2, {}))
    eventually(busy_scene.links, lambda links: len(links) == 4, within=30)
    busy_scene.all_linked()

    scale(busy_scene, DEPLOYMENT, "web", 0)
    scale(busy_scene, STATEFUL_SET, "db", 0)

    eventually(lambda: len(busy_scene.groups()), lambda count: count == 0, within=30)


def test_a_stateful_set_that_is_made_again_has_a_group_of_its_own(busy_scene, programs):
    api, namespace = busy_scene.plane.api, busy_scene.namespace
    busy_scene.start(programs)
    api.create(stateful_set(namespace, "db", 3, {}))
    eventually(busy_scene.links, lambda links: len(links) == 3, within=30)
    before = controllers_of(busy_scene.pods())

    api.delete(STATEFUL_SET, namespace, "db")
    api.create(stateful_set(namespace, "db", 3, {}))

    eventually(
        busy_scene.pods,
        lambda pods: len(pods) == 3 and not before & controllers_of(pods),
        within=60,
    )
    busy_scene.all_linked()
    (uid,) = controllers_of(busy_scene.pods())
    assert set(busy_scene.links().values()) == {f"podgroup-{uid}"}
    eventually(lambda: len(busy_scene.groups()), lambda count: count == 1, within=60)


def test_pods_of_a_foreign_group_stay_there_and_that_is_told_once_with_both_names(busy_scene, programs):
    api, namespace = busy_scene.plane.api, busy_scene.namespace
    busy_scene.start(programs)
    theirs = {
        "apiVersion": VOLCANO.group.api_version,
        "kind": VOLCANO.group.kind,
        "metadata": {"namespace": namespace, "name": "theirs"},
        "spec": {"minMember": 2, "minTaskMember": {"worker": 2}},
    }
    made = api.create(theirs)
    job = objects.job(namespace, "train", VOLCANO.scheduler, 2)
    job["spec"]["template"]["metadata"]["annotations"] = {VOLCANO.link: "theirs"}
    uid = api.create(job)["metadata"]["uid"]

    (event,) = eventually(lambda: events(busy_scene, "LinkedElsewhere"), within=20)

    assert "'theirs'" in event["message"]
    assert f"'podgroup-{uid}'" in event["message"]
    assert event["type"] == "Normal"
    assert set(busy_scene.links().values()) == {"theirs"}
    assert busy_scene.groups() == {"theirs": made}


def test_while_a_big_job_is_deleted_no_group_is_made_again(busy_scene, programs):
    api, namespace = busy_scene.plane.api, busy_scene.namespace
    busy_scene.start(programs)
    api.create(annotated(objects.job(namespace, "big", VOLCANO.scheduler, BIG), {}))
    eventually(busy_scene.links, lambda links: len(links) == BIG, within=60)
    busy_scene.all_linked()

    api.delete(JOB, namespace, "big")

    eventually(busy_scene.pods, lambda pods: not pods, within=60)
    eventually(lambda: len(busy_scene.groups()), lambda count: count == 0, within=60)
    assert changes(busy_scene.plane.audit(busy_scene.user)) == {
        "patch pods": BIG,
        "create podgroups": 1,
    }
