"""What the API server lets through of hostile pods goes by, and others are served as if there were none."""

import json

from podgrouper.core.model import POD
from tests.cluster import objects
from tests.cluster.loader import create_all
from tests.cluster.scenes import Scene
from tests.cluster.waiting import eventually
from tests.roads.hostile import PODS, to_create

LINKED_SECONDS = 10.0
ANSWER_SECONDS = 1.0
"""Some fifty milliseconds of work, on a machine that does other things too."""
TOO_MUCH_FOR_THE_SERVER = {"a quantity of a gigabyte"}
"""It computes a power of ten until the request times out (1.36)."""
AT_LEAST = 20
"""Hostile pods that every version of the server takes."""


def let_through(scene: Scene) -> set[str]:
    """Sends all hostile pods; the names of those that the server took."""
    path = scene.plane.api.served(POD).path(scene.namespace)
    bodies = [
        to_create(name, number, scene.profile.scheduler, scene.namespace)
        for number, name in enumerate(PODS)
        if name not in TOO_MUCH_FOR_THE_SERVER
    ]
    answers = [scene.plane.api.ask_text("POST", path, body) for body in bodies]
    return {json.loads(text)["metadata"]["name"] for status, text in answers if status == 201}


def ordinary(scene: Scene, name: str) -> set[str]:
    """A Job and its pods; the names of the pods."""
    job = scene.plane.api.create(objects.job(scene.namespace, name, scene.profile.scheduler, parallelism=5))
    pods = [objects.pod(scene.namespace, f"{name}-{n}", scene.profile.scheduler, job) for n in range(5)]
    return {pod["metadata"]["name"] for pod in create_all(scene.plane, pods)}


def test_hostile_pods_go_by_and_others_are_linked_meanwhile(scene, programs):
    program = scene.start(programs)

    with program.pulse() as pulse:
        hostile = let_through(scene)
        members = ordinary(scene, "train")
        eventually(lambda: members - scene.links().keys(), lambda left: not left, within=LINKED_SECONDS)
        scene.silent()

    written = [event for event in scene.plane.audit(scene.user) if event.changes]
    assert len(hostile) >= AT_LEAST
    assert len({scene.links()[name] for name in members}) == 1
    assert pulse.beats > 0
    assert pulse.longest < ANSWER_SECONDS
    assert program.number("podgrouper_faults_total") == 0
    assert {event.namespace for event in written} == {scene.namespace}
    assert {event.name for event in written if event.resource == "pods"} <= hostile | members
    assert {event.resource for event in written} <= {"pods", "podgroups", "events"}
