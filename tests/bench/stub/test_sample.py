"""What the stub shows of a workload is what podgrouper leaves of it."""

import msgspec
import pytest

from bench.stub.sample import sample
from bench.stub.workloads import NUMBER
from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.fields import kind_of
from podgrouper.core.model import POD
from podgrouper.planning import plan

VOLCANO, KAI = BUILT_IN
WORKLOADS = [
    pytest.param(VOLCANO, "job", 1, id="a gang in volcano"),
    pytest.param(KAI, "job", 1, id="a gang in kai"),
    pytest.param(VOLCANO, "alone", 10, id="groups of one in volcano"),
    pytest.param(KAI, "deployment", 10, id="groups of one in kai"),
    pytest.param(VOLCANO, "old-rollout", 0, id="what is left of a rollout, in volcano"),
    pytest.param(KAI, "old-rollout", 0, id="what is left of a rollout, in kai"),
]


def sampled(profile, form):
    config = Config(profiles=(profile,))
    return sample(form, "team-0", profile.schedulers[0], config), config


@pytest.mark.parametrize(("profile", "form", "groups"), WORKLOADS)
def test_there_is_nothing_left_to_write(profile, form, groups):
    objects, config = sampled(profile, form)

    found = plan(objects, config)

    assert (found.created, found.changed, found.links, found.deleted) == ((), (), (), ())
    assert len(found.pod_groups) == groups


@pytest.mark.parametrize(("profile", "form", "groups"), WORKLOADS[:4])
def test_pods_are_as_large_as_those_that_a_kubelet_runs(profile, form, groups):
    objects, _ = sampled(profile, form)

    sizes = [len(msgspec.json.encode(obj)) for obj in objects if kind_of(obj) == POD]

    assert sizes == pytest.approx([10_000] * 10, rel=0.05)


@pytest.mark.parametrize(("profile", "form", "groups"), WORKLOADS)
def test_the_number_of_the_workload_is_in_every_name_and_uid(profile, form, groups):
    objects, _ = sampled(profile, form)

    assert [obj for obj in objects if NUMBER not in obj["metadata"]["name"]] == []
    assert [obj for obj in objects if NUMBER not in obj["metadata"]["uid"]] == []
