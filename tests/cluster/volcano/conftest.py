"""The volcano profile alone, and what its tests say of workloads."""

import pytest

from tests.cluster.scenes import VOLCANO, Profile


@pytest.fixture
def profile() -> Profile:
    return VOLCANO
