"""The program is gone, with its roles: what it made stands in nobody's way, and goes with its workloads."""

from pathlib import Path

import pytest

from podgrouper.core.model import POD, Kind
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.scenes import Scene
from tests.cluster.waiting import eventually

JOB, REPLICA_SET = Kind("batch/v1", "Job"), Kind("apps/v1", "ReplicaSet")
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "first-steps.md"
TEMPLATE = GUIDE.read_text(encoding="utf-8").partition("go-template='")[2].partition("'")[0]
COLLECTED = 60.0
"""The garbage collector is in no hurry."""


@pytest.fixture
def left(busy_scene: Scene, programs) -> Scene:
    """A Job, a ReplicaSet and a bare pod with their groups, and nobody who looks after those any more."""
    plane, namespace, scheduler = busy_scene.plane, busy_scene.namespace, busy_scene.profile.scheduler
    program = busy_scene.start(programs)
    plane.api.create(objects.job(namespace, "train", scheduler, 2))
    plane.api.create(objects.replica_set(namespace, "web", scheduler, 2))
    plane.api.create(objects.pod(namespace, "alone", scheduler))
    eventually(busy_scene.links, lambda links: len(links) == 5, within=COLLECTED)
    program.stop()
    plane.disallow(busy_scene.user)
    return busy_scene


def metadata(scene: Scene) -> list[Object]:
    return [one["metadata"] for one in (*scene.pods(), *scene.groups().values())]


def test_nothing_that_it_made_holds_anything_back(left):
    assert len(left.groups()) == 3
    assert [finalizer for one in metadata(left) for finalizer in finalizers_of_ours(one)] == []


def finalizers_of_ours(found: Object) -> list[str]:
    """Those of Jobs are Kubernetes' own."""
    return [one for one in found.get("finalizers", []) if one != "batch.kubernetes.io/job-tracking"]


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
def test_groups_go_with_their_workloads(left, policy):
    for kind, name in ((JOB, "train"), (REPLICA_SET, "web"), (POD, "alone")):
        path = f"{left.plane.api.served(kind).path(left.namespace, name)}?propagationPolicy={policy}"
        left.plane.api.ask("DELETE", path)

    eventually(lambda: (left.pods(), left.groups()), lambda found: found == ([], {}), within=COLLECTED)


def test_the_command_of_the_guide_finds_the_groups_that_are_left_and_no_others(left):
    theirs = objects.custom(left.profile.group, left.namespace, "theirs")
    left.plane.api.create({**theirs, "spec": {"minMember": 1, "queue": "q"}})
    ours = [f"{left.namespace} {name}" for name in left.groups() if name != "theirs"]

    found = left.plane.kubectl("get", "-A", "-o", f"go-template={TEMPLATE}", resource_of(left))

    assert sorted(line for line in found.splitlines() if line.startswith(left.namespace)) == sorted(ours)


def resource_of(scene: Scene) -> str:
    return f"podgroups.{scene.profile.group.group}"
