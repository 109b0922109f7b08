"""The audit log as text, and what is read in it."""

import json

import pytest

from tests.cluster.audit import AuditLog


def line(**changes: object) -> bytes:
    event = {
        "kind": "Event",
        "auditID": "1",
        "stage": "ResponseComplete",
        "requestURI": "/api/v1/namespaces/team/pods/web?fieldManager=podgrouper.io",
        "verb": "patch",
        "user": {"username": "tester-1", "groups": ["audited"]},
        "objectRef": {"resource": "pods", "namespace": "team", "name": "web", "apiVersion": "v1"},
        "responseStatus": {"metadata": {}, "code": 200},
        "requestReceivedTimestamp": "2026-11-19T06:00:00.123456Z",
    }
    told = {key: value for key, value in {**event, **changes}.items() if value is not None}
    return json.dumps(told).encode() + b"\n"


@pytest.fixture
def log(tmp_path):
    return tmp_path / "audit.jsonl"


def test_nothing_was_asked_before_there_is_a_log(log):
    assert AuditLog(log).of("tester-1") == []


def test_an_event_says_what_was_asked_about_what(log):
    log.write_bytes(line())

    (event,) = AuditLog(log).of("tester-1")

    assert (event.verb, event.resource, event.namespace, event.name, event.code) == (
        "patch",
        "pods",
        "team",
        "web",
        200,
    )
    assert event.query == {"fieldManager": "podgrouper.io"}
    assert (
        str(event)
        == "06:00:00.123456 tester-1 patch /api/v1/namespaces/team/pods/web?fieldManager=podgrouper.io 200"
    )


def test_a_request_is_one_event_however_often_its_stages_are_told(log):
    log.write_bytes(
        line(stage="ResponseStarted", responseStatus={"code": 200}) + line(responseStatus={"code": 504})
    )

    assert [event.code for event in AuditLog(log).of("tester-1")] == [504]


def test_requests_come_in_the_order_in_which_the_server_got_them(log):
    late = line(auditID="late", verb="list", requestReceivedTimestamp="2026-11-19T06:00:02.000000Z")
    early = line(auditID="early", verb="get", requestReceivedTimestamp="2026-11-19T06:00:01.000000Z")
    log.write_bytes(late + early)

    assert [event.verb for event in AuditLog(log).of("tester-1")] == ["get", "list"]


def test_users_are_told_apart(log):
    log.write_bytes(line() + line(auditID="2", user={"username": "tester-2"}))

    assert len(AuditLog(log).of("tester-2")) == 1


def test_half_a_line_is_read_when_the_other_half_is_there(log):
    whole = line(auditID="2")
    log.write_bytes(line() + whole[:50])
    audit = AuditLog(log)
    read_early = len(audit.of("tester-1"))
    log.write_bytes(line() + whole)

    assert (read_early, len(audit.of("tester-1"))) == (1, 2)


@pytest.mark.parametrize(
    ("verb", "changes"),
    [
        pytest.param("get", False, id="get"),
        pytest.param("list", False, id="list"),
        pytest.param("watch", False, id="watch"),
        pytest.param("create", True, id="create"),
        pytest.param("patch", True, id="patch"),
        pytest.param("deletecollection", True, id="deletecollection"),
    ],
)
def test_a_change_is_what_is_no_read(log, verb, changes):
    log.write_bytes(line(verb=verb))

    assert AuditLog(log).of("tester-1")[0].changes is changes


@pytest.mark.parametrize(
    ("code", "failed"),
    [
        pytest.param(201, False, id="done"),
        pytest.param(404, True, id="not found"),
        pytest.param(429, True, id="too many"),
        pytest.param(0, False, id="no answer yet"),
    ],
)
def test_a_failure_is_an_answer_of_400_or_more(log, code, failed):
    log.write_bytes(line(responseStatus={"code": code}))

    assert AuditLog(log).of("tester-1")[0].failed is failed


def test_a_path_that_belongs_to_no_resource_has_none(log):
    log.write_bytes(line(objectRef=None, requestURI="/version"))

    assert AuditLog(log).of("tester-1")[0].resource == ""
