"""What an answer means."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.model import Kind
from podgrouper.kube import errors
from podgrouper.kube.errors import error_of, error_of_status, unknown_kind, unreachable


def status(reason: str = "", message: str = "words", **more: object) -> bytes:
    return json.dumps({"kind": "Status", "reason": reason, "message": message, **more}).encode()


@pytest.mark.parametrize(
    ("code", "reason", "family"),
    [
        pytest.param(400, "BadRequest", errors.BadRequest, id="400"),
        pytest.param(401, "Unauthorized", errors.Unauthorized, id="401"),
        pytest.param(403, "Forbidden", errors.Forbidden, id="403"),
        pytest.param(404, "NotFound", errors.NotFound, id="404"),
        pytest.param(405, "MethodNotAllowed", errors.NotAllowed, id="405"),
        pytest.param(406, "NotAcceptable", errors.NotAcceptable, id="406"),
        pytest.param(408, "Timeout", errors.Unavailable, id="408"),
        pytest.param(409, "Conflict", errors.Conflict, id="409"),
        pytest.param(409, "AlreadyExists", errors.AlreadyExists, id="409 for a create"),
        pytest.param(410, "Expired", errors.Gone, id="410"),
        pytest.param(410, "", errors.Gone, id="410 without a reason"),
        pytest.param(415, "UnsupportedMediaType", errors.NotAcceptable, id="415"),
        pytest.param(422, "Invalid", errors.Invalid, id="422"),
        pytest.param(429, "TooManyRequests", errors.TooMany, id="429"),
        pytest.param(500, "InternalError", errors.Internal, id="500"),
        pytest.param(502, "", errors.Unavailable, id="502"),
        pytest.param(503, "ServiceUnavailable", errors.Unavailable, id="503"),
        pytest.param(504, "Timeout", errors.Unavailable, id="504"),
        pytest.param(522, "", errors.Unavailable, id="a proxy's own code"),
        pytest.param(302, "", errors.ApiError, id="a redirection"),
        pytest.param(418, "AlreadyExists", errors.ApiError, id="a reason under a status of another meaning"),
    ],
)
def test_an_answer_is_of_one_family(code, reason, family):
    error = error_of(code, {}, status(reason), "GET /x")

    assert (type(error), error.status, error.reason) == (family, code, reason)
    assert str(error) == f"GET /x: {code} words"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param(b"404 page not found\n", "404 page not found", id="plain text"),
        pytest.param(b"<html>\n  <b>Bad</b>", "<html> <b>Bad</b>", id="a page"),
        pytest.param(b"", "no explanation", id="nothing"),
        pytest.param(b"\xff\xfe", "\ufffd\ufffd", id="noise"),
        pytest.param(b"[1]", "[1]", id="another JSON"),
        pytest.param(b"[" * 100_000, "[" * 300, id="JSON too deep, cut to a bearable length"),
    ],
)
def test_what_is_no_status_is_quoted_and_gives_no_reason(body, words):
    error = error_of(404, {}, body)

    assert (str(error), error.reason) == (f"404 {words}", "")


def test_a_budget_that_protects_a_pod_is_no_sign_of_an_overloaded_server():
    details = {"causes": [{"reason": "DisruptionBudget", "message": "needs 1 healthy pods"}]}

    error = error_of(429, {}, status("TooManyRequests", details=details), "POST /x/eviction")

    assert type(error) is errors.Protected


@given(st.integers(300, 999), st.dictionaries(st.just("retry-after"), st.text()), st.binary())
def test_no_answer_is_too_strange(code, headers, body):
    assert error_of(code, headers, body, "PATCH /x").status == code


@given(
    st.dictionaries(
        st.sampled_from(["code", "reason", "message", "details"]),
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.just([1]), st.just({"causes": [3]})),
    )
)
def test_no_status_inside_a_watch_is_too_strange(answer):
    assert error_of_status(answer).causes == ()


@pytest.mark.parametrize(
    ("headers", "details", "seconds"),
    [
        pytest.param({"retry-after": "3"}, {}, 3.0, id="header"),
        pytest.param({}, {"retryAfterSeconds": 4}, 4.0, id="status"),
        pytest.param({"retry-after": "3"}, {"retryAfterSeconds": 4}, 3.0, id="the header first"),
        pytest.param(
            {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, {}, 0.0, id="a date is not understood"
        ),
        pytest.param({"retry-after": "-1"}, {"retryAfterSeconds": -1}, 0.0, id="negative"),
        pytest.param({"retry-after": "٣"}, {}, 0.0, id="digits of another script"),
        pytest.param({}, {"retryAfterSeconds": True}, 0.0, id="no number"),
    ],
)
def test_the_server_may_ask_for_patience(headers, details, seconds):
    assert error_of(429, headers, status(details=details)).retry_after == seconds


@pytest.mark.parametrize(
    ("error", "maybe"),
    [
        pytest.param(error_of(504, {}, b"", "PATCH /x"), True, id="a write that a gateway gave up"),
        pytest.param(error_of(500, {}, b"", "POST /x"), True, id="a write that failed inside"),
        pytest.param(error_of(504, {}, b"", "GET /x"), False, id="a read"),
        pytest.param(error_of(429, {}, b"", "PATCH /x"), False, id="a write that was turned away"),
        pytest.param(unreachable("PATCH /x", "reset", sent=True), True, id="a write that was sent"),
        pytest.param(unreachable("PATCH /x", "refused", sent=False), False, id="a write that was not sent"),
        pytest.param(unreachable("GET /x", "reset", sent=True), False, id="a read without an answer"),
    ],
)
def test_a_write_of_unknown_fate_says_so(error, maybe):
    assert error.maybe_done is maybe


UID_CAUSE = {"causes": [{"reason": "FieldValueInvalid", "field": "metadata.uid"}]}


@pytest.mark.parametrize(
    ("error", "wrong"),
    [
        pytest.param(error_of(422, {}, status("Invalid", details=UID_CAUSE)), True, id="patch"),
        pytest.param(
            error_of(409, {}, status("Conflict", "Precondition failed: UID in precondition: a, UID in …: b")),
            True,
            id="delete, in one wording",
        ),
        pytest.param(
            error_of(409, {}, status("Conflict", "the UID in the precondition (a) does not match …")),
            True,
            id="delete, in the other",
        ),
        pytest.param(
            error_of(
                409, {}, status("Conflict", "the ResourceVersion in the precondition (1) …"), "DELETE /fluid"
            ),
            False,
            id="another version",
        ),
        pytest.param(error_of(422, {}, status("Invalid")), False, id="another fault"),
    ],
)
def test_another_life_of_the_object_is_recognised(error, wrong):
    assert error.wrong_uid is wrong


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        pytest.param(
            status("Invalid", "the server rejected our request due to an error in our request"),
            True,
            id="as the API server says it",
        ),
        pytest.param(status("Invalid", details={"causes": [{"field": "spec"}]}), False, id="validation"),
        pytest.param(
            status("Invalid", "denied", details={"causes": [{"message": "denied"}]}), False, id="a policy"
        ),
        pytest.param(
            status("Invalid", 'admission webhook "x.y" denied the request: no'), False, id="a webhook"
        ),
    ],
)
def test_a_failed_test_of_a_json_patch_is_recognised(answer, failed):
    assert error_of(422, {}, answer).failed_test is failed


def test_a_terminating_namespace_is_recognised():
    details = {"causes": [{"reason": "NamespaceTerminating", "field": "metadata.namespace"}]}

    assert error_of(403, {}, status("Forbidden", details=details)).namespace_terminating


def test_an_unknown_kind_is_named_with_the_next_step():
    error = unknown_kind(Kind("ray.io/v1", "RayJob"))

    assert str(error) == "ray.io/v1 RayJob is not served by the API server: is its CRD installed?"
