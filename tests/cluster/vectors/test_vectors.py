"""Vectors through the controller on a real API server: what it stores in the end is what they state."""

import os
from collections.abc import Mapping

import pytest

from tests.cluster.binaries import KUBERNETES
from tests.cluster.fixtures import Planes
from tests.cluster.servers import Options
from tests.cluster.vectors.batches import batches, differences
from tests.cluster.vectors.choosing import chosen, grants
from tests.cluster.vectors.serving import serve
from tests.golden.vectors import Vector

OLDEST = os.environ.get(KUBERNETES) == "1.32"
CHOSEN = [vector for vector in chosen() if not (OLDEST and grants(vector))]


@pytest.fixture(scope="session")
def found(planes: Planes, crds: str) -> Mapping[str, str]:
    """Vector -> the difference, for all of them at once."""
    plane = planes(Options(crds=crds))
    serve(plane, (obj for vector in CHOSEN for obj in vector.world))
    return dict(entry for batch in batches(CHOSEN) for entry in differences(plane, batch))


@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector.id) for vector in CHOSEN])
def test_a_real_server_holds_in_the_end_what_the_vector_states(found: Mapping[str, str], vector: Vector):
    assert found[vector.id] == ""
