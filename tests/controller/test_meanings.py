"""When two changes say the same at the same place: so a write that was taken back is known again."""

import pytest

from podgrouper.controller.meanings import meaning_of
from podgrouper.core.groups import LinkPatch
from podgrouper.core.model import Ref
from podgrouper.core.plans import CreateGroup, DeleteGroup, EvictPod, LinkPod, UpdateGroup, WriteStatus
from tests.builders import at_version, pod
from tests.core.tiny import GROUP, rows

G, LATER, OTHER = Ref(GROUP, "ns", "g", "u"), Ref(GROUP, "ns", "g", "later"), Ref(GROUP, "ns", "other", "u")
P, AGAIN, Q = rows([pod("p"), at_version(pod("p"), 9), pod("q")])
NONE = LinkPatch()
TWO, THREE = {"spec": {"floor": 2}}, {"spec": {"floor": 3}}


def status(version="1", phase="Running", **condition):
    return WriteStatus(G, version, {"status": {"phase": phase, "conditions": [condition]}}, "status")


SAME = [
    pytest.param(UpdateGroup(G, "1", TWO), UpdateGroup(LATER, "9", TWO), id="an update of a later object"),
    pytest.param(
        CreateGroup(G, {"a": 1, "b": 2}), CreateGroup(G, {"b": 2, "a": 1}), id="keys in another order"
    ),
    pytest.param(DeleteGroup(G, "1"), DeleteGroup(G, "9"), id="a deletion"),
    pytest.param(
        LinkPod(P, "g", NONE, NONE), LinkPod(AGAIN, "g", NONE, NONE), id="a link of a later pod row"
    ),
    pytest.param(
        status(type="Ready", lastTransitionTime="1", transitionID="a"),
        status("9", type="Ready", lastTransitionTime="2", transitionID="b"),
        id="a status at another time",
    ),
]
DIFFERENT = [
    pytest.param(UpdateGroup(G, "1", TWO), UpdateGroup(G, "1", THREE), id="another value"),
    pytest.param(UpdateGroup(G, "1", TWO), UpdateGroup(OTHER, "1", TWO), id="another group"),
    pytest.param(UpdateGroup(G, "1", TWO), CreateGroup(G, TWO), id="to change is not to make"),
    pytest.param(LinkPod(P, "g", NONE, NONE), LinkPod(P, "h", NONE, NONE), id="a link to another group"),
    pytest.param(LinkPod(P, "g", NONE, NONE), LinkPod(Q, "g", NONE, NONE), id="a link of another pod"),
    pytest.param(LinkPod(P, "g", NONE, NONE), EvictPod(P, "g"), id="to link is not to evict"),
    pytest.param(status(type="Ready"), status(phase="Failed", type="Ready"), id="another phase"),
    pytest.param(status(type="Ready"), status(type="Unready"), id="another condition"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_these_say_the_same(one, other):
    assert meaning_of(one) == meaning_of(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_these_do_not(one, other):
    assert meaning_of(one) != meaning_of(other)


def test_a_status_and_its_object_are_two_places():
    assert meaning_of(status())[0] != meaning_of(UpdateGroup(G, "1", TWO))[0]
