"""Every vector through the controller itself, on the embedded API."""

import pytest

from tests.golden.running import run
from tests.golden.vectors import Vector, every


@pytest.mark.parametrize("vector", every())
def test_the_controller_makes_of_a_world_what_its_vector_states_and_no_more(vector: Vector):
    done = run(vector)

    assert done.difference == ""
    assert done.needless == []
    assert done.after_restart == []
