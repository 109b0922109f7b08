"""Which writes said nothing new."""

import json
from datetime import UTC, datetime

import pytest

from tests.cluster.audit import AuditEvent
from tests.faults.writes import repeated

PODS, GROUPS = "/api/v1/namespaces/ns/pods", "/apis/scheduling.run.ai/v2alpha2/namespaces/ns/podgroups"
AT = datetime(2026, 11, 19, tzinfo=UTC)


def write(verb: str, path: str, body: object = None, code: int = 200) -> AuditEvent:
    group, resource = ("scheduling.run.ai", "podgroups") if path.startswith(GROUPS) else ("", "pods")
    sent = b"" if body is None else json.dumps(body).encode()
    return AuditEvent("tester-1", verb, group, resource, "", "ns", "", code, path, AT, sent)


def made(name: str) -> AuditEvent:
    return write("create", GROUPS, {"metadata": {"name": name}}, 201)


def changed(floor: int, version: str) -> AuditEvent:
    body = {"metadata": {"resourceVersion": version}, "spec": {"minMember": floor}}
    return write("patch", f"{GROUPS}/a", body)


@pytest.mark.parametrize(
    ("expected", "writes"),
    [
        pytest.param(0, [write("patch", f"{PODS}/a"), write("patch", f"{PODS}/b")], id="two pods"),
        pytest.param(1, [write("patch", f"{PODS}/a?x=1"), write("patch", f"{PODS}/a")], id="one pod twice"),
        pytest.param(
            0, [write("patch", f"{PODS}/a", code=504), write("patch", f"{PODS}/a")], id="the first one failed"
        ),
        pytest.param(0, [made("a"), made("b")], id="two groups"),
        pytest.param(1, [made("a"), made("b"), made("a")], id="one group twice"),
        pytest.param(0, [changed(2, "1"), changed(3, "2"), changed(2, "3")], id="there and back"),
        pytest.param(1, [changed(2, "1"), changed(2, "2")], id="the same on another version"),
    ],
)
def test_a_write_is_repeated_when_it_says_what_the_one_before_said(expected, writes):
    assert len(repeated(writes)) == expected
