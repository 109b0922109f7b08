"""The bench on a real control plane, in small: what it counts is what there is."""

from functools import partial

import msgspec
import pytest

from bench import contenders, runs
from bench.asked import total
from bench.contenders import Entry
from bench.harness import PROFILES, bench, plane_options
from bench.observations import Start
from bench.orders import Make
from bench.scenarios.backlog import SHAPES
from bench.workloads import CHANGES
from podgrouper.core.model import POD
from tests.cluster.processes import Died

GANGS, MEMBERS, SIZE = 2, 10, 5000
PODS = GANGS * MEMBERS


@pytest.fixture
def harness(request, planes, tmp_path):
    """A bench to which the starts of contenders cost nothing; for kai where a test does not say otherwise."""
    profile = PROFILES[getattr(request, "param", "kai")]
    with bench(planes(plane_options()), profile, tmp_path) as harness:
        harness.costs |= dict.fromkeys(("lone client", "kopf style", "podgrouper"), Start())
        yield harness


@pytest.fixture
def order(harness):
    return Make("", SHAPES[harness.profile.name], "w", GANGS, MEMBERS, SIZE)


def test_the_kopf_style_asks_thrice_for_each_pod(harness, order):
    found = runs.backlog(harness, harness.kopf_style(order.shape, order.members), order)

    assert total(found.asked) == 3 * PODS


@pytest.mark.parametrize("harness", PROFILES, indirect=True)
def test_both_contenders_link_a_backlog_and_ask_for_the_same(harness, order):
    entries = (harness.lone(order.shape, order.members), harness.ours())

    found = [runs.backlog(harness, entry, order) for entry in entries]

    assert [(total(one.asked), one.failed_per_thousand) for one in found] == [(PODS + GANGS, 0)] * 2
    assert min(one.cpu for one in found) > 0 < min(one.server_cpu for one in found)


def test_a_contender_that_ends_is_a_failure_with_its_last_words(harness, order, tmp_path):
    ending = Entry("podgrouper", partial(contenders.ours, tmp_path / "no-kubeconfig", tmp_path))

    with pytest.raises(Died, match="no-kubeconfig"):
        runs.backlog(harness, ending, order)


def test_the_loader_sees_every_link_and_is_not_counted(harness, order):
    found = runs.live(harness, harness.ours(), order)

    assert (len(found.waits), total(found.asked)) == (PODS, PODS + GANGS)
    assert min(found.waits) >= 0


def test_status_changes_are_made_and_ask_nothing_of_anybody(harness, order):
    found = runs.churn(harness, harness.ours(), order)

    assert (found.pods, total(found.asked)) == (CHANGES * PODS, 0)


@pytest.mark.parametrize("size", [5000, 10_000])
def test_stored_pods_have_the_size_that_was_asked_for(harness, order, size):
    with harness.namespace() as namespace:
        harness.loading.make(msgspec.structs.replace(order, namespace=namespace, size=size))
        sizes = [len(msgspec.json.encode(pod)) for pod in harness.plane.api.all_of(POD, namespace)]

    assert len(sizes) == PODS
    assert 0.95 * size < min(sizes) <= max(sizes) < 1.05 * size
