"""The choice is spread, and what is left out is little."""

import pytest

from tests.cluster.vectors.choosing import KAI, VOLCANO, can_live, chosen, grants, spread
from tests.golden.vectors import built_in

FILES = [
    pytest.param(["volcano.jsonl", "volcano-levels.jsonl"], VOLCANO, 0, id="volcano"),
    pytest.param(["kai.jsonl"], KAI, 7, id="kai"),
]


def test_each_vector_is_chosen_once():
    ids = [vector.id for vector in chosen()]

    assert len(set(ids)) == len(ids) == VOLCANO + KAI


@pytest.mark.parametrize(("files", "count", "left_out"), FILES)
def test_every_area_is_there_and_few_vectors_cannot_live_on_a_server(files, count, left_out):
    vectors = [vector for file in files for vector in built_in(file=file)]

    assert {vector.area for vector in spread(vectors, count)} == {vector.area for vector in vectors}
    assert len([vector for vector in vectors if not can_live(vector)]) == left_out


def test_few_are_left_out_on_a_server_that_does_not_keep_what_was_granted():
    assert 0 < len([vector for vector in chosen() if grants(vector)]) < 10
