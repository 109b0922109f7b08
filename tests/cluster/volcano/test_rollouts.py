"""Deployments that roll ten times: what is left of their groups."""

from collections.abc import Iterator

from tests.cluster import objects
from tests.cluster.scenes import VOLCANO, Scene, changes
from tests.cluster.volcano.workloads import owners, start_with_rules
from tests.cluster.waiting import eventually

ROLLOUTS = 10
REPLICAS = 3


def rolled(scene: Scene) -> Iterator[list[str]]:
    """Makes a Deployment and rolls it ten times. Gives the owners of its groups after each time."""
    plane, namespace = scene.plane, scene.namespace
    plane.api.create(objects.deployment(namespace, "web", VOLCANO.scheduler, REPLICAS))
    plane.kubectl("rollout", "status", "deployment/web", "-n", namespace, "--timeout=60s")
    for number in range(ROLLOUTS):
        plane.kubectl("set", "image", "deployment/web", f"main=pause:{number}", "-n", namespace)
        plane.kubectl("rollout", "status", "deployment/web", "-n", namespace, "--timeout=60s")
        eventually(scene.links, lambda links: len(links) == REPLICAS, within=30)
        scene.all_linked()
        yield eventually(lambda: owners(scene), lambda found: len(found) == 1, within=10)


def test_with_a_rule_ten_rollouts_leave_the_one_group_that_there_was(busy_scene, programs):
    start_with_rules(busy_scene, programs)

    found = list(rolled(busy_scene))

    assert found == [["Deployment/web"]] * ROLLOUTS
    written = changes(busy_scene.plane.audit(busy_scene.user))
    assert (written["create podgroups"], written["delete podgroups"]) == (1, 0)


def test_without_a_rule_ten_rollouts_leave_the_group_of_the_last_replica_set(busy_scene, programs):
    busy_scene.start(programs)

    found = list(rolled(busy_scene))

    assert len({name for listed in found for name in listed}) == ROLLOUTS
    written = changes(busy_scene.plane.audit(busy_scene.user))
    assert (written["create podgroups"], written["delete podgroups"]) == (ROLLOUTS + 1, ROLLOUTS)
