"""The kai profile alone, on a plane where nobody acts but the garbage collector."""

from collections.abc import Iterator

import pytest
import yaml

from tests.cluster import objects
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import Planes
from tests.cluster.kai.operator import Operator
from tests.cluster.kai.table import FAMILIES, TASKS, definitions
from tests.cluster.kubelet import PretendKubelet
from tests.cluster.program import Programs
from tests.cluster.scenes import KAI, Profile, Scene, scene_on
from tests.cluster.servers import Options

COLLECTING = ("garbage-collector-controller", "serviceaccount-controller")
"""The second one only shows that they run."""
READ_TASKS = {"apiGroups": [TASKS.group], "resources": ["tasks"], "verbs": ["get", "list", "watch"]}


@pytest.fixture
def profile() -> Profile:
    return KAI


@pytest.fixture(scope="module")
def collecting_plane(planes: Planes, crds: str) -> ControlPlane:
    """It knows the kinds of all families. What else controllers and operators do is up to the tests."""
    wanted = yaml.safe_dump_all(definitions(FAMILIES.values()))
    return planes(Options(controllers=True, crds=f"{crds}\n---\n{wanted}", running=COLLECTING))


@pytest.fixture(scope="module")
def one_program(
    collecting_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Programs]:
    """One for all families."""
    scene = scene_on(collecting_plane, "", KAI)
    collecting_plane.allow(scene.user, [objects.cluster_role("read-tasks", [READ_TASKS])])
    with Programs(tmp_path_factory.mktemp("families")) as programs:
        scene.start(programs)
        yield programs


@pytest.fixture
def operator(collecting_plane: ControlPlane, one_program: Programs) -> Iterator[Operator]:
    """In a namespace of its own, where pods run as soon as they are there."""
    with collecting_plane.namespace() as namespace, PretendKubelet(collecting_plane.api, namespace):
        yield Operator(Scene(collecting_plane, namespace, KAI, user=""))
