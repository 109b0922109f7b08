"""From a decision and what exists to the changes: create, keep, update, delete, and hands off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.changes import plan_changes
from podgrouper.core.claims import Claims
from podgrouper.core.groups import (
    Decision,
    Group,
    Grouping,
    LinkPatch,
    Placement,
    Remark,
    Retired,
    Topology,
    Unplaced,
)
from podgrouper.core.model import POD, Key, Ref, Skip
from podgrouper.core.plans import CreateGroup, DeleteGroup, LinkPod, Report, UpdateGroup
from podgrouper.core.reasons import Reason
from tests.builders import at_version, controls, owner, pod
from tests.core.tiny import GROUP, LINK, TinyDialect, rows

DIALECT = TinyDialect()
OLD, YOUNG = Key("tiny", "ns", "old"), Key("tiny", "ns", "young")
AGES = {OLD: "2026-01-01T00:00:00Z", YOUNG: "2026-01-02T00:00:00Z"}
G = Ref(GROUP, "ns", "g", "uid-g")
GOING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def live(floor=2, **metadata):
    return at_version(owner(f"{GROUP}", "g", spec={"floor": floor}), 5, **metadata)


def member(link=None, **more):
    marks = {} if link is None else {"annotations": {LINK: link}}
    return rows([pod("p", **marks, **more)])[0]


def decided(*placements, key=OLD, floor=2, unplaced=(), remarks=(), retired=(), **fields):
    group = Group("ns", "g", (), placements, floor=floor, **fields)
    groups = (group,) if placements or floor is not None else ()
    grouping = Grouping(groups, unplaced, remarks, retired)
    return Decision(key, AGES[key], grouping, tuple(map(DIALECT.render, groups)))


def planned(decision, *objects, claims=None):
    """What has to be done in a world of these groups."""
    known = {obj["metadata"]["name"]: obj for obj in objects}
    claims = claims or Claims()
    claims.stake(decision)
    return plan_changes(decision, DIALECT, lambda _kind, _ns, name: known.get(name), claims)


def link(pod, expects=None):
    return LinkPod(pod, "g", LinkPatch({LINK: "g"}), LinkPatch(expects or {}))


POD_ROW = member()


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([], [CreateGroup(Ref(GROUP, "ns", "g"), decided().rendered[0].object)], id="create"),
        pytest.param([live(2)], [], id="keep"),
        pytest.param([live(3)], [UpdateGroup(G, "5", {"spec": {"floor": 2}})], id="update what differs"),
        pytest.param(
            [live(3, labels={"team": "b"})], [UpdateGroup(G, "5", {"spec": {"floor": 2}})], id="adopt"
        ),
        pytest.param([live(3, **GOING)], [], id="hands off one that is going"),
    ],
)
def test_a_group_that_is_wanted(objects, expected):
    assert list(planned(decided(), *objects).changes) == expected


def managed(by):
    entry = {"manager": by, "fieldsV1": {"f:metadata": {"f:labels": {"f:team": {}}}}}
    return live(2, labels={"team": "b"}, managedFields=[entry])


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        pytest.param("podgrouper.io", {"metadata": {"labels": {"team": None}}}, id="ours: removed"),
        pytest.param("elder", {"metadata": {"labels": {"team": None}}}, id="of the one before us"),
        pytest.param("kubectl", None, id="of somebody else"),
        pytest.param("podgrouper", None, id="of a program of almost our name"),
    ],
)
def test_a_label_that_nobody_names_any_more_goes_when_it_is(by, expected):
    patches = [change.patch for change in planned(decided(), managed(by)).changes]

    assert patches == ([expected] if expected else [])


def test_a_group_is_written_before_its_pods_point_at_it():
    plan = planned(decided(Placement(POD_ROW)))

    assert [type(change) for change in plan.changes] == [CreateGroup, LinkPod]


def test_a_group_that_is_going_holds_its_pods_back_until_it_is_gone():
    plan = planned(decided(Placement(POD_ROW)), live(**GOING))

    assert (plan.changes, plan.waits_for) == ((), (G,))


FINISHED = member(phase="Succeeded")


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        pytest.param(Placement(POD_ROW), [link(POD_ROW)], id="without a link: linked"),
        pytest.param(Placement(member("g")), [], id="linked already: kept"),
        pytest.param(Placement(member("")), [link(member(""), {LINK: ""})], id="an empty link is none"),
        pytest.param(
            Placement(member("before"), replaces="before"),
            [link(member("before"), {LINK: "before"})],
            id="a link that may be replaced",
        ),
        pytest.param(Placement(FINISHED), [], id="a pod that has ended is left alone"),
        pytest.param(
            Placement(member("theirs")),
            [
                Report(
                    member("theirs").ref,
                    Reason.LINKED_ELSEWHERE,
                    "the pod names group 'theirs'; its own would be 'g'",
                )
            ],
            id="a link of somebody else: hands off, and told",
        ),
    ],
)
def test_a_pod_of_the_group(placement, expected):
    assert list(planned(decided(placement), live()).changes) == expected


def test_the_older_boundary_shapes_the_group_and_the_younger_only_links():
    claims = Claims()
    claims.stake(decided(floor=2, key=OLD))

    plan = planned(decided(Placement(POD_ROW), key=YOUNG, floor=9), live(2), claims=claims)

    assert plan.changes == (link(POD_ROW),)


def test_a_group_that_somebody_older_shapes_is_waited_for():
    claims = Claims()
    claims.stake(decided(floor=2, key=OLD))

    plan = planned(decided(Placement(POD_ROW), key=YOUNG, floor=9), claims=claims)

    assert (plan.changes, plan.waits_for) == ((), (Ref(GROUP, "ns", "g"),))


def retire(owner_uid="uid-web", name="g"):
    return decided(floor=None, retired=(Retired("ns", name, owner_uid),))


WEB = owner("apps/v1 ReplicaSet", "web")
OWNED = at_version(owner(f"{GROUP}", "g", controls(WEB)), 5)


@pytest.mark.parametrize(
    ("decision", "objects", "expected"),
    [
        pytest.param(retire(), [OWNED], [DeleteGroup(G, "5")], id="ours: deleted as it was seen"),
        pytest.param(retire("uid-other"), [OWNED], [], id="of another owner: hands off"),
        pytest.param(retire(), [live()], [], id="of nobody: hands off"),
        pytest.param(retire(), [], [], id="not there"),
        pytest.param(retire(), [at_version(OWNED, 6, **GOING)], [], id="going already"),
    ],
)
def test_a_group_that_nothing_needs_any_more(decision, objects, expected):
    assert list(planned(decision, *objects).changes) == expected


def test_it_stays_while_some_other_boundary_names_it():
    claims = Claims()
    claims.stake(decided(key=YOUNG))

    assert planned(retire(), OWNED, claims=claims).changes == ()


ABOUT = Ref(POD, "ns", "p", "uid-p")


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        pytest.param(
            decided(floor=None, unplaced=(Unplaced(POD_ROW, Skip(Reason.OWNER_GONE, "its owner is gone")),)),
            [Report(ABOUT, Reason.OWNER_GONE, "its owner is gone")],
            id="why a pod has no group",
        ),
        pytest.param(
            decided(floor=None, unplaced=(Unplaced(POD_ROW, Skip(Reason.OPTED_OUT, "on purpose")),)),
            [],
            id="not what somebody wanted",
        ),
        pytest.param(
            decided(floor=None, remarks=(Remark(ABOUT, Reason.BAD_VALUE, "what a value"),)),
            [Report(ABOUT, Reason.BAD_VALUE, "what a value")],
            id="a remark",
        ),
        pytest.param(
            decided(Placement(member("g")), topology=Topology(name="rack")),
            [Report(ABOUT, Reason.NOT_EXPRESSIBLE, "its topology")],
            id="what the dialect has no words for",
        ),
        pytest.param(decided(topology=Topology(name="rack")), [], id="unless it has no pod"),
    ],
)
def test_a_person_is_told(decision, expected):
    assert list(planned(decision, live()).changes) == expected


def members(links):
    marks = [{} if link is None else {"annotations": {LINK: link}} for link in links]
    return rows([pod(f"p-{number}", **more) for number, more in enumerate(marks)])


def wanting(links):
    return decided(*(Placement(one, replaces="before") for one in members(links)), floor=1)


@given(st.lists(st.sampled_from([None, "", "g", "before", "theirs"]), max_size=5), st.integers(0, 3))
def test_carried_out_there_is_nothing_left_to_do(links, floor):
    first = planned(wanting(links), live(floor))
    linked = {change.pod.name for change in first.changes if isinstance(change, LinkPod)}
    after = ["g" if f"p-{number}" in linked else link for number, link in enumerate(links)]

    assert {type(change) for change in planned(wanting(after), live(1)).changes} <= {Report}
    assert after == ["theirs" if link == "theirs" else "g" for link in links]
