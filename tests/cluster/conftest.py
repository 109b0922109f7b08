"""The whole program on a plane, once for each profile."""

from collections.abc import Iterator

import pytest

from tests.cluster.control_plane import ControlPlane
from tests.cluster.kubelet import PretendKubelet
from tests.cluster.scenes import KAI, VOLCANO, Profile, Scene, scene_on


@pytest.fixture(params=[pytest.param(VOLCANO, id="volcano"), pytest.param(KAI, id="kai")])
def profile(request: pytest.FixtureRequest) -> Profile:
    return request.param


@pytest.fixture
def scene(plane: ControlPlane, namespace: str, crds: str, profile: Profile) -> Scene:
    plane.apply(crds)
    return scene_on(plane, namespace, profile)


@pytest.fixture
def busy_scene(busy_plane: ControlPlane, busy_namespace: str, profile: Profile) -> Iterator[Scene]:
    """With real controllers, and pods that run as soon as they are there."""
    with PretendKubelet(busy_plane.api, busy_namespace):
        yield scene_on(busy_plane, busy_namespace, profile)
