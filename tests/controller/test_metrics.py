"""What a scrape shows."""

import pytest

from podgrouper.controller.metrics import Metrics
from podgrouper.core.groups import LinkPatch
from podgrouper.core.model import POD, Ref
from podgrouper.core.plans import CreateGroup, DeleteGroup, LinkPod, Report, UpdateGroup
from podgrouper.core.reasons import Reason
from podgrouper.kube.errors import Conflict, Forbidden
from tests.builders import pod
from tests.core.tiny import GROUP, rows

G = Ref(GROUP, "ns", "g")
CREATE = CreateGroup(G, {})
LINK = LinkPod(rows([pod("p")])[0], "g", LinkPatch(), LinkPatch())
REPORT = Report(Ref(POD, "ns", "p"), Reason.BAD_VALUE, "what a value")


def page(*steps):
    metrics = Metrics()
    for step in steps:
        step(metrics)
    return metrics.page().decode().splitlines()


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        pytest.param(
            lambda m: m.made(CREATE), 'podgrouper_writes_total{change="create_group"} 1.0', id="made"
        ),
        pytest.param(
            lambda m: m.made(UpdateGroup(G, "1", {})),
            'podgrouper_writes_total{change="update_group"} 1.0',
            id="changed",
        ),
        pytest.param(
            lambda m: m.made(DeleteGroup(G, "1")),
            'podgrouper_writes_total{change="delete_group"} 1.0',
            id="gone",
        ),
        pytest.param(lambda m: m.made(LINK), 'podgrouper_writes_total{change="link_pod"} 1.0', id="linked"),
        pytest.param(
            lambda m: m.failed(LINK, Conflict("")),
            'podgrouper_failures_total{change="link_pod",error="Conflict"} 1.0',
            id="a write that failed",
        ),
        pytest.param(
            lambda m: m.failed(None, Forbidden("")),
            'podgrouper_failures_total{change="read",error="Forbidden"} 1.0',
            id="a read that failed",
        ),
        pytest.param(
            lambda m: m.warned(REPORT), 'podgrouper_reasons_total{reason="BadValue"} 1.0', id="a reason"
        ),
        pytest.param(lambda m: m.fault(), "podgrouper_faults_total 1.0", id="a fault of ours"),
        pytest.param(lambda m: m.took(0.2), 'podgrouper_reconcile_seconds_bucket{le="0.25"} 1.0', id="time"),
        pytest.param(lambda m: m.queue.set(7), "podgrouper_queue_depth 7.0", id="keys that wait"),
        pytest.param(lambda m: m.pods.set(7), "podgrouper_pods 7.0", id="pods"),
        pytest.param(lambda m: m.ready.set(1), "podgrouper_ready 1.0", id="ready"),
    ],
)
def test_it_shows(step, expected):
    assert expected in page(step)


def test_the_same_again_counts():
    assert 'podgrouper_writes_total{change="create_group"} 2.0' in page(*[lambda m: m.made(CREATE)] * 2)


def test_two_controllers_in_one_process_do_not_mix():
    one, other = Metrics(), Metrics()
    one.fault()

    assert b"podgrouper_faults_total 0.0" in other.page()
