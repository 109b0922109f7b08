"""The whole program beside the stub: it learns of everything and writes nothing, also when it lists again.

And beside a real API server with the same workloads it learns of the same.
"""

import json

import pytest

from bench.harness import PROFILES, bench, plane_options
from bench.stub.workloads import FORMS, NUMBER, owned
from bench.weighing import Population, settled, weighed
from tests.cluster.program import Programs

BOTH = [
    pytest.param("volcano", "job", 2, id="gangs in volcano"),
    pytest.param("volcano", "alone", 20, id="groups of one in volcano"),
    pytest.param("kai", "job", 2, id="gangs in kai"),
    pytest.param("kai", "deployment", 20, id="groups of one in kai"),
]
WORKLOADS, PODS = 2, 20


@pytest.mark.parametrize(("profile", "form", "groups"), BOTH)
def test_nothing_is_written_at_the_start_nor_after_all_versions_expired(profile, form, groups, tmp_path):
    found = weighed(Population((f"{form}={WORKLOADS}",), PODS), profile, tmp_path, rest=0.0)

    assert [(seen.pods, seen.groups) for seen in (found.started, found.relisted)] == [(PODS, groups)] * 2
    assert found.writes == 0
    assert (found.requests["GET pods watch"], found.relists["GET pods watch"]) == (1, 1)


def create(api, form, namespace, scheduler):
    """The workloads, on a server that knows nothing of numbers."""
    template = json.dumps(FORMS[form](namespace, scheduler))
    uids = {}
    for number in range(WORKLOADS):
        for obj in json.loads(template.replace(NUMBER, str(number))):
            made = api.create(owned(obj, uids))
            uids[obj["kind"], obj["metadata"]["name"]] = made["metadata"]["uid"]


@pytest.mark.parametrize(("profile", "form", "groups"), BOTH)
def test_a_real_server_shows_as_much_and_leaves_as_little_to_write(profile, form, groups, planes, tmp_path):
    plane, scheduler = planes(plane_options()), PROFILES[profile].scheduler
    with (
        bench(plane, PROFILES[profile], tmp_path) as harness,
        plane.namespace() as namespace,
        Programs(tmp_path) as programs,
    ):
        create(plane.api, form, namespace, scheduler)
        first = programs.start(plane.kubeconfig(harness.user), f"--profile={profile}")
        settled(first, PODS, 0.0, {})
        first.stop()
        second = programs.start(plane.kubeconfig(harness.user), f"--profile={profile}")
        found = settled(second, PODS, 0.0, {})
        writes = [value for name, value in second.samples().items() if "writes_total" in name]

    assert (found.pods, found.groups, sum(writes)) == (PODS, groups, 0)
