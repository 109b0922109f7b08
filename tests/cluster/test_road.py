"""The whole program against a real API server: pods appear, their groups exist, the pods are linked.

What it did for that is read in the server's audit log.
"""

from collections import Counter
from collections.abc import Sequence

from podgrouper.core.model import Kind
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.audit import AuditEvent
from tests.cluster.loader import create_all
from tests.cluster.scenes import GANGS, MEMBERS, PODS, changes, failures, scene_on
from tests.cluster.waiting import eventually

LOOKING_AROUND = 30
"""Requests besides one for each pod and group: discovery, and a list or watch for each kind."""


def revisions(pods: Sequence[Object]) -> set[str]:
    """The ReplicaSets that these pods belong to."""
    return {pod["metadata"]["ownerReferences"][0]["name"] for pod in pods}


def without_the_collected(events: Sequence[AuditEvent]) -> list[AuditEvent]:
    """A group goes with its pod: a change of it may meet the garbage collector, and finds it gone."""
    return [event for event in events if (event.resource, event.code) != ("podgroups", 404)]


def test_a_thousand_pods_at_once_cost_a_request_each_and_one_per_group_then_silence(scene, programs):
    owners = scene.gangs()
    scene.start(programs)
    create_all(scene.plane, scene.members(owners))

    scene.all_linked()
    scene.silent()

    asked = scene.plane.audit(scene.user)
    assert failures(asked) == []
    assert changes(asked) == {"patch pods": PODS, "create podgroups": GANGS}
    assert len(asked) <= PODS + GANGS + LOOKING_AROUND
    assert Counter(Counter(scene.links().values()).values()) == {MEMBERS: GANGS}


def test_pods_that_were_there_before_it_started_are_linked_as_well(scene, programs):
    create_all(scene.plane, scene.members(scene.gangs()))

    scene.start(programs)
    scene.all_linked()
    scene.silent()

    asked = scene.plane.audit(scene.user)
    assert failures(asked) == []
    assert changes(asked) == {"patch pods": PODS, "create podgroups": GANGS}


def test_a_group_that_somebody_deletes_comes_back_within_five_seconds(scene, programs):
    owner = scene.plane.api.create(objects.replica_set(scene.namespace, "web", scene.profile.scheduler))
    scene.plane.api.create(objects.pod(scene.namespace, "web-0", scene.profile.scheduler, owner))
    scene.start(programs)
    scene.all_linked()
    name = scene.links()["web-0"]
    before = scene.groups()[name]["metadata"]["uid"]

    scene.plane.api.delete(scene.profile.group, scene.namespace, name)

    again = eventually(lambda: scene.groups()[name], within=5)
    assert again["metadata"]["uid"] != before
    assert scene.links() == {"web-0": name}


def test_a_restart_changes_nothing(scene, programs):
    owner = scene.plane.api.create(objects.job(scene.namespace, "train", scene.profile.scheduler))
    scene.plane.api.create(objects.pod(scene.namespace, "train-0", scene.profile.scheduler, owner))
    first = scene.start(programs)
    scene.all_linked()
    first.stop()
    before = len(scene.plane.audit(scene.user))

    scene.start(programs)
    scene.silent()

    asked = scene.plane.audit(scene.user)[before:]
    assert changes(asked) == {}
    assert failures(asked) == []


def test_a_kind_that_appears_while_it_runs_is_followed(scene, programs):
    kind = Kind(f"{scene.profile.name}.tests.podgrouper.io/v1", "Widget")
    right = {"apiGroups": [kind.group], "resources": ["widgets"], "verbs": ["get", "list", "watch"]}
    scene.plane.allow(scene.user, [objects.cluster_role("read-widgets", [right])])
    scene.start(programs)

    scene.plane.apply([objects.crd(kind, "widgets")])
    widget = scene.plane.api.create(objects.custom(kind, scene.namespace, "late"))
    scene.plane.api.create(objects.pod(scene.namespace, "late-0", scene.profile.scheduler, widget))

    eventually(scene.links, within=10)
    (group,) = scene.groups().values()
    assert [owner["uid"] for owner in group["metadata"]["ownerReferences"]] == [widget["metadata"]["uid"]]


def test_where_owners_are_guarded_it_needs_no_more_rights(enforcing_plane, crds, profile, programs):
    enforcing_plane.apply(crds)
    with enforcing_plane.namespace() as namespace:
        scene = scene_on(enforcing_plane, namespace, profile)
        owner = enforcing_plane.api.create(objects.job(namespace, "train", profile.scheduler))
        enforcing_plane.api.create(objects.pod(namespace, "train-0", profile.scheduler, owner))

        scene.start(programs)

        scene.all_linked()


def test_a_deployment_rolls_and_its_new_pods_are_linked(busy_scene, programs):
    plane, namespace = busy_scene.plane, busy_scene.namespace
    busy_scene.start(programs)
    plane.api.create(objects.deployment(namespace, "web", busy_scene.profile.scheduler, replicas=4))
    plane.kubectl("rollout", "status", "deployment/web", "-n", namespace, "--timeout=60s")
    before = revisions(busy_scene.pods())

    plane.kubectl("set", "image", "deployment/web", "main=pause:2", "-n", namespace)
    plane.kubectl("rollout", "status", "deployment/web", "-n", namespace, "--timeout=60s")

    eventually(busy_scene.pods, lambda pods: len(pods) == 4, within=30)
    busy_scene.all_linked()
    busy_scene.silent()
    assert not before & revisions(busy_scene.pods())
    assert failures(without_the_collected(plane.audit(busy_scene.user))) == []
