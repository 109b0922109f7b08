"""What the program does for groups once they are made, on a real API server and with its rights alone."""

from podgrouper.core.model import POD, Kind
from podgrouper.dialects.kai_status import KaiLifecycle
from podgrouper.dialects.volcano_status import VolcanoLifecycle
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.scenes import Scene, changes, failures
from tests.cluster.waiting import eventually

EVENT = Kind("v1", "Event")
BUDGET = Kind("policy/v1", "PodDisruptionBudget")
LIFECYCLES = {"volcano": VolcanoLifecycle(), "kai": KaiLifecycle()}
DOORS = {"volcano": "", "kai": "status"}
SIZE = {"scheduling.volcano.sh/group-min-member": "3", "kai.scheduler/batch-min-member": "3"}
MEMBERS = ("train-0", "train-1", "train-2")
HEALTHY = [{"type": "Ready", "status": "True"}]


def gang(scene: Scene) -> None:
    """A Job of three pods that nobody but the test acts on."""
    job = objects.job(scene.namespace, "train", scene.profile.scheduler, len(MEMBERS))
    owner = scene.plane.api.create({**job, "metadata": {**job["metadata"], "annotations": SIZE}})
    for name in MEMBERS:
        scene.plane.api.create(objects.pod(scene.namespace, name, scene.profile.scheduler, owner))


def report(scene: Scene, phase: str, *names: str) -> None:
    status = {"phase": phase, "conditions": HEALTHY}
    for name in names:
        scene.plane.api.patch(POD, scene.namespace, name, {"status": status}, "status")


def the_group(scene: Scene) -> Object:
    (found,) = scene.groups().values()
    return found


def told(scene: Scene) -> tuple[str, int]:
    """The phase, and how many members run."""
    status = LIFECYCLES[scene.profile.name].read(the_group(scene))
    return (str(status.phase), status.running)


def reasons(scene: Scene) -> set[tuple[str, str]]:
    """The reason of each event, and the kind that it is about."""
    events = scene.plane.api.all_of(EVENT, scene.namespace)
    return {(event["reason"], event["involvedObject"]["kind"]) for event in events}


def names(scene: Scene) -> list[str]:
    return sorted(pod["metadata"]["name"] for pod in scene.pods())


def test_the_status_follows_the_pods_and_is_written_where_the_crd_has_it(scene, programs):
    gang(scene)
    first = scene.start_with_rights(programs, "--write-status=always")
    scene.all_linked()
    eventually(lambda: told(scene) == ("Pending", 0))

    report(scene, "Running", *MEMBERS)
    eventually(lambda: told(scene) == ("Running", 3))
    scene.plane.api.delete(POD, scene.namespace, "train-2")
    eventually(lambda: told(scene) == ("Unknown", 2))
    first.stop()

    asked = scene.plane.audit(scene.user)
    assert failures(asked) == []
    written = [event for event in asked if event.verb == "patch" and event.resource == "podgroups"]
    assert {event.subresource for event in written} == {DOORS[scene.profile.name]}

    scene.start(programs, "--write-status=always")
    scene.silent()
    assert changes(scene.plane.audit(scene.user)[len(asked) :]) == {}


def test_beside_another_writer_it_leaves_the_status_alone(scene, programs):
    gang(scene)
    scene.start(programs)
    scene.all_linked()
    theirs = {"status": {"conditions": [{"type": "Scheduled", "status": "True", "reason": "Theirs"}]}}
    name = the_group(scene)["metadata"]["name"]

    scene.plane.api.patch(scene.profile.group, scene.namespace, name, theirs, DOORS[scene.profile.name])
    report(scene, "Running", *MEMBERS)
    scene.plane.api.delete(POD, scene.namespace, "train-2")
    scene.silent()

    asked = scene.plane.audit(scene.user)
    assert changes(asked) == {"patch pods": len(MEMBERS), "create podgroups": 1}
    assert the_group(scene)["status"]["conditions"] == theirs["status"]["conditions"]


def test_the_members_of_a_broken_gang_are_evicted_as_budgets_allow(scene, programs):
    gang(scene)
    scene.start_with_rights(programs, "--write-status=always", "--recover=restart", "--recover-after=2")
    scene.all_linked()
    report(scene, "Running", *MEMBERS)
    eventually(lambda: told(scene) == ("Running", 3))
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "all"}}
    budget["metadata"]["namespace"] = scene.namespace
    scene.plane.api.create({**budget, "spec": {"minAvailable": 3, "selector": {}}})

    scene.plane.api.delete(POD, scene.namespace, "train-2")

    expected = {("GangRestarted", "PodGroup"), ("EvictionRefused", "Pod")}
    eventually(lambda: expected <= reasons(scene))
    assert names(scene) == ["train-0", "train-1"]
    scene.plane.api.delete(BUDGET, scene.namespace, "all")
    eventually(lambda: names(scene) == [], within=60)
    eventually(lambda: told(scene) == ("Pending", 0))
    refused = [event for event in scene.plane.audit(scene.user) if event.failed]
    assert {(event.subresource, event.code) for event in refused} == {("eviction", 429)}
