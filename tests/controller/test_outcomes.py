"""What became of a plan, as a person is told: what does not pass by itself, and about the right object."""

import pytest

from podgrouper.controller.outcomes import Failure, Outcome
from podgrouper.core.groups import Group, LinkPatch, Placement
from podgrouper.core.model import Ref
from podgrouper.core.plans import CreateGroup, DeleteGroup, EvictPod, LinkPod, UpdateGroup, WriteStatus
from podgrouper.core.reasons import Reason
from podgrouper.kube.errors import (
    AlreadyExists,
    BadRequest,
    Conflict,
    Forbidden,
    Internal,
    Invalid,
    NotFound,
    TooMany,
    Unauthorized,
    Unavailable,
    UnknownKind,
)
from tests.builders import pod
from tests.core.tiny import GROUP, rows

OLDEST, YOUNGER = rows([pod("a"), pod("b")])
GROUPS = (Group("ns", "g", (), (Placement(OLDEST), Placement(YOUNGER))), Group("ns", "empty", (), ()))
G, EMPTY = Ref(GROUP, "ns", "g"), Ref(GROUP, "ns", "empty")
LINK = LinkPod(YOUNGER, "g", LinkPatch(), LinkPatch())


def refused(change, error):
    outcome = Outcome(GROUPS, failures=[Failure(change, error)])
    return [(report.about.name, report.reason, report.message) for report in outcome.refusals()]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(CreateGroup(G, {}), ("a", Reason.GROUP_REFUSED), id="create: its oldest pod"),
        pytest.param(UpdateGroup(G, "1", {}), ("a", Reason.GROUP_REFUSED), id="update: the same"),
        pytest.param(CreateGroup(EMPTY, {}), ("empty", Reason.GROUP_REFUSED), id="no pods: the group"),
        pytest.param(DeleteGroup(Ref(GROUP, "ns", "old"), "1"), ("old", Reason.GROUP_REFUSED), id="delete"),
        pytest.param(LINK, ("b", Reason.LINK_REFUSED), id="link: that pod"),
        pytest.param(EvictPod(YOUNGER, "g"), ("b", Reason.EVICTION_REFUSED), id="eviction: that pod"),
        pytest.param(WriteStatus(G, "1", {}, "status"), ("g", Reason.GROUP_REFUSED), id="status: the group"),
    ],
)
def test_a_refusal_is_told_about_a_pod_where_there_is_one(change, expected):
    assert refused(change, Forbidden("not you")) == [(*expected, "not you")]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(Forbidden("x"), [Reason.GROUP_REFUSED], id="forbidden"),
        pytest.param(Invalid("x"), [Reason.GROUP_REFUSED], id="invalid"),
        pytest.param(BadRequest("x"), [Reason.GROUP_REFUSED], id="makes no sense"),
        pytest.param(Internal("x"), [Reason.GROUP_REFUSED], id="a webhook that fails"),
        pytest.param(Unauthorized("x"), [Reason.GROUP_REFUSED], id="not known"),
        pytest.param(UnknownKind("x"), [Reason.GROUP_KIND_MISSING], id="no such kind"),
        pytest.param(Conflict("x"), [], id="somebody was quicker"),
        pytest.param(AlreadyExists("x"), [], id="somebody was quicker to make it"),
        pytest.param(NotFound("x"), [], id="it just went"),
        pytest.param(TooMany("x"), [], id="too many"),
        pytest.param(Unavailable("x"), [], id="no answer"),
        pytest.param(
            Forbidden("x", details={"causes": [{"reason": "NamespaceTerminating"}]}),
            [],
            id="the namespace goes",
        ),
        pytest.param(
            Invalid("x", details={"causes": [{"field": "metadata.uid"}]}), [], id="another life of the object"
        ),
    ],
)
def test_what_passes_by_itself_is_not_told(error, expected):
    assert [reason for _, reason, _ in refused(CreateGroup(G, {}), error)] == expected


def test_every_refusal_of_a_plan_is_told():
    failures = [Failure(CreateGroup(G, {}), Invalid("one")), Failure(LINK, Forbidden("two"))]

    told = Outcome(GROUPS, failures=failures).refusals()

    assert [report.message for report in told] == ["one", "two"]


@pytest.mark.parametrize(
    ("change", "about", "named"),
    [
        pytest.param(CreateGroup(G, {}), "a", "PodGroup ns/g", id="a group: its oldest pod is told"),
        pytest.param(LINK, "b", "Pod ns/b", id="a link: that pod"),
    ],
)
def test_what_was_held_back_names_the_object_that_somebody_else_writes(change, about, named):
    outcome = Outcome(GROUPS)
    outcome.held_back(change, 600)

    (report,) = outcome.reports
    assert (report.about.name, report.reason) == (about, Reason.CHANGE_REVERTED)
    assert report.message.startswith(f"{named}: ")


@pytest.mark.parametrize(
    ("pauses", "expected"),
    [
        pytest.param([], 0, id="nothing was held back"),
        pytest.param([600], 600, id="one change"),
        pytest.param([600, 20, 300], 20, id="several: when the first may be made"),
    ],
)
def test_what_was_held_back_is_tried_again(pauses, expected):
    outcome = Outcome(GROUPS)
    for seconds in pauses:
        outcome.held_back(LINK, seconds)

    assert outcome.again_in == expected


def test_an_owner_that_is_not_blocked_is_told_with_the_right_that_is_missing():
    outcome = Outcome(GROUPS)
    outcome.made_without_blocking(CreateGroup(G, {}))

    (report,) = outcome.reports
    assert (report.about.name, report.reason) == ("a", Reason.OWNER_NOT_BLOCKED)
    assert "PodGroup ns/g" in report.message
    assert "`update` on the owner's finalizers" in report.message
