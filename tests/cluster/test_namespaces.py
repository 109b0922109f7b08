"""A few namespaces, with Roles alone: what lies elsewhere is neither seen nor touched."""

from collections.abc import Iterator

import pytest

from tests.cluster import objects
from tests.cluster.control_plane import ControlPlane
from tests.cluster.program import output_of
from tests.cluster.scenes import Scene, changes

SWITCHES = {"volcano": ("--level-rules-configmap=",), "kai": ()}
"""Level rules are in a namespace of their own."""
OUT_OF_REACH = {"volcano": [], "kai": ["priorityclasses"]}
"""What is said to be missing, since no Role can grant it."""


@pytest.fixture
def scenes(plane: ControlPlane, crds: str, profile) -> Iterator[tuple[Scene, Scene, Scene]]:
    """Two namespaces of ours and one of somebody else; each has a gang of one pod."""
    plane.apply(crds)
    user = plane.fresh_user()
    with plane.namespace() as one, plane.namespace() as two, plane.namespace() as theirs:
        found = tuple(Scene(plane, where, profile, user) for where in (one, two, theirs))
        for scene in found:
            owner = plane.api.create(objects.job(scene.namespace, "train", profile.scheduler))
            plane.api.create(objects.pod(scene.namespace, "train-0", profile.scheduler, owner))
        yield found


def test_with_roles_in_two_namespaces_it_works_there_and_nowhere_else(scenes, programs, profile):
    one, two, theirs = scenes
    flags = [*(f"--namespace={scene.namespace}" for scene in (one, two)), *SWITCHES[profile.name]]
    roles = output_of("rbac", f"--profile={profile.name}", *flags)
    one.plane.allow(one.user, roles)

    program = one.start(programs, *flags)
    one.all_linked()
    two.all_linked()
    one.silent()

    asked = one.plane.audit(one.user)
    assert "ClusterRole" not in roles
    assert (theirs.links(), theirs.groups()) == ({}, {})
    assert program.number("podgrouper_pods") == 2
    assert changes(asked) == {"patch pods": 2, "create podgroups": 2}
    assert theirs.namespace not in {event.namespace for event in asked}
    said = [line for line in program.logs().splitlines() if "missing right" in line]
    assert [line.count("no Role can grant it") for line in said] == [1] * len(OUT_OF_REACH[profile.name])
    assert sorted({event.resource for event in asked if event.failed}) == OUT_OF_REACH[profile.name]
