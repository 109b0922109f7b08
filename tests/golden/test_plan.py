"""Every vector through `podgrouper.plan`."""

import pytest

from tests.golden.__main__ import failure
from tests.golden.vectors import Vector, every


@pytest.mark.parametrize("vector", every())
def test_the_plan_for_a_world_is_what_its_vector_states(vector: Vector):
    assert failure(vector) == ""
