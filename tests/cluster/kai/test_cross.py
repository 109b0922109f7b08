"""KAI's knowledge of workloads written for Volcano, on a real API server."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from podgrouper.core.model import POD
from tests.cluster.control_plane import ControlPlane
from tests.cluster.kai.operator import Operator
from tests.cluster.kai.table import FAMILIES
from tests.cluster.program import Programs, output_of
from tests.cluster.scenes import KAI, VOLCANO, Profile, Scene, changes, failures
from tests.cluster.waiting import eventually

CROSS = Profile("cross", KAI.scheduler, VOLCANO.group, VOLCANO.link)
CONFIG = f"""\
profiles:
- {{name: cross, policy: kai, dialect: volcano, schedulerNames: [{KAI.scheduler}]}}
"""
TASK = "volcano.sh/task-spec"


def tasks_of(scene: Scene) -> Mapping[str, int]:
    """What the one group asks for, by task; the whole under an empty name."""
    (group,) = scene.groups().values()
    return {"": group["spec"]["minMember"], **group["spec"]["minTaskMember"]}


def cpus_of(scene: Scene) -> str:
    (group,) = scene.groups().values()
    return str(group["spec"]["minResources"]["requests.cpu"])


def pods_by_task(scene: Scene) -> Mapping[str, int]:
    """How many linked pods there are, in all and of each task."""
    named = [pod["metadata"].get("annotations", {}).get(TASK, "") for pod in scene.pods()]
    return {"": len(scene.links()), **{task: named.count(task) for task in named}}


@pytest.fixture
def scene(collecting_plane: ControlPlane, tmp_path: Path, programs: Programs):
    file = tmp_path / "cross.yaml"
    file.write_text(CONFIG)
    user = collecting_plane.fresh_user()
    collecting_plane.allow(user, output_of("rbac", f"--config={file}"))
    programs.start(collecting_plane.kubeconfig(user), f"--config={file}")
    with collecting_plane.namespace() as namespace:
        yield Scene(collecting_plane, namespace, CROSS, user)


@pytest.mark.parametrize(
    ("family", "leads", "works"),
    [
        pytest.param("PyTorchJob", "master", "worker", id="PyTorchJob"),
        pytest.param("MPIJob of MPI's operator", "launcher", "worker", id="MPIJob"),
        pytest.param("RayCluster", "headgroup", "small", id="RayCluster"),
    ],
)
def test_a_gang_of_roles_comes_and_grows_loses_a_member_and_goes(
    scene: Scene, family: str, leads: str, works: str
):
    operator = Operator(scene)
    two, three = ({"": 1 + size, leads: 1, works: size} for size in (2, 3))

    operator.bring_about(FAMILIES[family].things(2))
    eventually(lambda: tasks_of(scene), lambda tasks: tasks == two, within=30)
    eventually(lambda: pods_by_task(scene), lambda pods: pods == two, within=30)
    assert cpus_of(scene) == "30m"

    operator.bring_about(FAMILIES[family].things(3))
    eventually(lambda: tasks_of(scene), lambda tasks: tasks == three, within=30)
    eventually(lambda: pods_by_task(scene), lambda pods: pods == three, within=30)
    assert cpus_of(scene) == "40m"

    *_, member = FAMILIES[family].things(3)
    scene.plane.api.delete(POD, scene.namespace, member.name)
    eventually(lambda: pods_by_task(scene)[works], lambda count: count == 2)
    assert tasks_of(scene) == three

    operator.delete_the_workload()
    operator.nothing_is_left()
    asked = scene.plane.audit(scene.user)
    assert failures(asked) == []
    writes = {"create podgroups": 1, "patch podgroups": 1, "patch pods": 4}
    assert changes(asked) == {**writes, "create events": 2}, (
        "its growth is told to the workload and the group"
    )
