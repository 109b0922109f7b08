"""What people say about starting gangs anew, and that it stands on their groups."""

import pytest

from podgrouper.core.consent import with_recovery
from podgrouper.core.fields import ref_of
from podgrouper.core.groups import Group, Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Chain, Member, Owner, Workload
from podgrouper.core.pods import PodRows
from podgrouper.core.reasons import Reason
from podgrouper.core.recovery import RECOVER, Recover, Recovery
from tests.builders import Object, controls, owner, pod

KEY = {"annotations": frozenset({RECOVER})}
NEVER, ANNOTATED, RESTART = Recover.NEVER, Recover.ANNOTATED, Recover.RESTART


def says(word: str) -> Object:
    return {"annotations": {RECOVER: word}} if word else {}


def grouped(mode: Recover, *, pod_says: str = "", job_says: str = "", top_says: str = "", **group: object):
    """The grouping of a pod below a Job below a Training, each of which may say something."""
    top = owner("example.com/v1 Training", "train", **says(top_says))
    job = owner("batch/v1 Job", "job", controls(top), **says(job_says))
    row = PodRows(Reads(**KEY)).row(pod("p", controls(job), **says(pod_says)))
    owners = tuple(Owner(ref_of(one), one) for one in (job, top))
    members = (Member(row, Chain(owners), None),)
    workload = Workload(ref_of(top), top, members)
    return with_recovery(Grouping((Group("ns", "g", (), (), **group),)), workload, Recovery(mode))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(grouped(NEVER, pod_says="restart"), {}, id="not permitted"),
        pytest.param(grouped(ANNOTATED), {}, id="nobody asks for it"),
        pytest.param(grouped(ANNOTATED, top_says="restart"), {RECOVER: "restart"}, id="the owner asks"),
        pytest.param(grouped(ANNOTATED, pod_says="restart"), {RECOVER: "restart"}, id="the pod asks"),
        pytest.param(
            grouped(ANNOTATED, job_says="never", top_says="restart"), {}, id="the nearest word counts"
        ),
        pytest.param(grouped(RESTART), {RECOVER: "restart"}, id="all of them"),
        pytest.param(grouped(RESTART, top_says="never"), {}, id="all but who refuses"),
        pytest.param(grouped(RESTART, top_says="perhaps"), {RECOVER: "restart"}, id="no usable word"),
        pytest.param(
            grouped(ANNOTATED, job_says="never", annotations={RECOVER: "restart", "a": "b"}),
            {"a": "b"},
            id="a word that the policy copied does not count",
        ),
    ],
)
def test_the_group_says_whether_its_members_are_started_anew(found, expected):
    assert found.groups[0].annotations == expected


def test_a_gang_with_a_pod_that_nobody_would_make_again_is_not_marked_and_who_asked_is_told():
    bare = PodRows(Reads(**KEY)).row(pod("bare", **says("restart")))
    workload = Workload(bare.ref, {}, (Member(bare, Chain(), None),))

    found = with_recovery(Grouping((Group("ns", "g", (), ()),)), workload, Recovery(RESTART))

    assert found.groups[0].annotations == {}
    assert "no controller would make this pod again" in found.remarks[0].message


def test_a_word_that_means_nothing_is_told():
    (remark,) = grouped(ANNOTATED, job_says="yes", top_says="restart").remarks

    assert (remark.about.name, remark.reason) == ("job", Reason.BAD_VALUE)
    assert "'yes'" in remark.message


def test_a_workload_without_pods_is_asked_itself():
    top = owner("example.com/v1 Training", "train", **says("restart"))
    grouping = Grouping((Group("ns", "g", (), ()),))

    found = with_recovery(grouping, Workload(ref_of(top), top, ()), Recovery(ANNOTATED))

    assert found.groups[0].annotations == {RECOVER: "restart"}
