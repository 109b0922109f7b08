"""Populations as they are written on a command line."""

import pytest

from bench.stub.__main__ import crowd_in
from bench.stub.sample import Crowd
from bench.weigh import pods_in
from podgrouper.config.model import BUILT_IN

KAI = BUILT_IN[1]


@pytest.mark.parametrize(
    ("words", "crowd", "pods"),
    [
        pytest.param("job=100", Crowd("job", 100, "kai-scheduler"), 1000, id="the profile's own"),
        pytest.param(
            "alone=5:other", Crowd("alone", 5, "other"), 0, id="somebody else's are not ours to know"
        ),
        pytest.param("old-rollout=7", Crowd("old-rollout", 7, "kai-scheduler"), 0, id="of no pods"),
    ],
)
def test_a_crowd_is_read_and_its_pods_are_counted(words, crowd, pods):
    assert crowd_in(words, KAI) == crowd
    assert pods_in(words) == pods
