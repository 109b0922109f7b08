"""A right is taken from the running program on a real API server, and given back."""

from collections.abc import Iterator

import pytest
import yaml

from podgrouper.core.model import Kind
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.program import output_of
from tests.cluster.scenes import Scene
from tests.cluster.waiting import eventually

EVENT = Kind("v1", "Event")
HEALED = 75.0
"""A minute, as documented, and the work itself."""


def without(roles: str, plural: str, verb: str) -> Iterator[Object]:
    """The same roles, less one right."""
    for role in yaml.safe_load_all(roles):
        others = [rule for rule in role["rules"] if plural not in rule["resources"]]
        less = [
            {**rule, "resources": [plural], "verbs": [one for one in rule["verbs"] if one != verb]}
            for rule in role["rules"]
            if plural in rule["resources"]
        ]
        yield {**role, "rules": [*others, *less]}


def workload(scene: Scene, name: str) -> None:
    owner = scene.plane.api.create(objects.job(scene.namespace, name, scene.profile.scheduler))
    scene.plane.api.create(objects.pod(scene.namespace, f"{name}-0", scene.profile.scheduler, owner))


def warned(scene: Scene) -> set[str]:
    events = scene.plane.api.all_of(EVENT, scene.namespace)
    return {event["reason"] for event in events if event["type"] == "Warning"}


@pytest.mark.parametrize(
    ("plural", "verb", "groups"),
    [
        pytest.param("pods", "patch", 2, id="pods may not be linked"),
        pytest.param("podgroups", "create", 1, id="groups may not be made"),
    ],
)
def test_work_waits_for_a_right_that_was_taken_and_is_done_when_it_is_back(
    scene, programs, plural, verb, groups
):
    roles = output_of("rbac", f"--profile={scene.profile.name}")
    program = scene.start(programs)
    workload(scene, "before")
    scene.all_linked()
    resource = plural if plural == "pods" else f"{plural}.{scene.profile.group.group}"
    sample = f'podgrouper_missing_rights{{resource="{resource}",verb="{verb}"}}'

    scene.plane.disallow(scene.user)
    scene.plane.allow(scene.user, without(roles, plural, verb))
    workload(scene, "meanwhile")
    eventually(lambda: program.number(sample) == 1)
    eventually(lambda: warned(scene) == {"RightMissing"})
    assert (set(scene.links()), len(scene.groups())) == ({"before-0"}, groups)
    scene.plane.allow(scene.user, roles)

    eventually(scene.unlinked, lambda unlinked: unlinked == 0, within=HEALED)
    assert program.number(sample) == 0
    said = [line for line in program.logs().splitlines() if "missing right" in line]
    assert [f'cannot {verb} resource "{plural}"' in line for line in said] == [True]
    assert "apply what `podgrouper rbac` prints" in said[0]
