"""Requests, as the API server counts them."""

from collections import Counter

import pytest

from bench.asked import Ask, asked, asked_between, failures, reads_besides, total, without_watching

METRICS = """\
# HELP apiserver_request_total [STABLE] Counter of apiserver requests
# TYPE apiserver_request_total counter
apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="pods",scope="resource",\
subresource="",verb="PATCH",version="v1"} 400
apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="pods",scope="resource",\
subresource="status",verb="PATCH",version="v1"} 1.2e+06
apiserver_request_total{code="409",component="apiserver",dry_run="",group="a.io",resource="podgroups",\
scope="resource",subresource="",verb="POST",version="v1"} 1
apiserver_request_total{code="409",component="apiserver",dry_run="",group="b.io",resource="podgroups",\
scope="resource",subresource="",verb="POST",version="v1"} 2
apiserver_request_terminations_total{code="429",component="apiserver",group="",resource="pods",scope="",\
subresource="",verb="PATCH",version="v1"} 7
"""
LINK = Ask("PATCH", "pods", 200)
CREATE = Ask("POST", "podgroups", 201)
REFUSED = Ask("POST", "podgroups", 409)


def test_requests_are_counted_by_verb_resource_and_answer():
    status = Ask("PATCH", "pods/status", 200)

    assert asked(METRICS) == {LINK: 400, status: 1_200_000, REFUSED: 3}


@pytest.mark.parametrize(
    ("after", "known", "found"),
    [
        pytest.param({LINK: 30}, {}, {LINK: 20}, id="what was asked before does not count"),
        pytest.param({LINK: 10, CREATE: 7}, {CREATE: 5}, {CREATE: 2}, id="nor what others told of"),
        pytest.param({LINK: 10, Ask("PUT", "leases", 200): 3}, {}, {}, id="nor the server's own affairs"),
        pytest.param({LINK: 10, Ask("GET", "openapi/v3", 200): 1}, {}, {}, id="nor discovery"),
        pytest.param({LINK: 10, Ask("GET", "", 200): 1}, {}, {}, id="nor what is no resource"),
    ],
)
def test_what_was_asked_in_between(after, known, found):
    assert asked_between({LINK: 10}, after, known) == found


def test_lists_and_watches_can_be_put_aside():
    counts = {LINK: 5, Ask("LIST", "pods", 200): 1, Ask("WATCH", "pods", 200): 2}

    assert (total(counts), without_watching(counts)) == (8, Counter({LINK: 5}))


def test_failed_is_what_was_answered_with_400_or_more():
    assert failures({LINK: 5, REFUSED: 2, Ask("GET", "jobs", 404): 1}) == 3


def test_owners_are_what_is_read_besides_pods_and_groups():
    counts = {
        Ask("GET", "jobs", 200): 2,
        Ask("LIST", "replicasets", 200): 1,
        Ask("WATCH", "jobs", 200): 1,
        Ask("GET", "pods", 200): 9,
        Ask("PATCH", "jobs", 200): 9,
    }

    assert reads_besides(counts, {"pods", "podgroups"}) == 3
