from dataclasses import replace

import pytest

from podgrouper.core.difference import difference, merged
from podgrouper.core.groups import Group, LinkPatch, Part, Placement, Topology
from podgrouper.core.model import Kind, Link, OwnerRef
from podgrouper.core.pods import PodRows
from podgrouper.core.quantity import parse
from podgrouper.dialects.kai import KaiDialect

DIALECT = KaiDialect()
OWNER = OwnerRef(Kind("batch/v1", "Job"), "j", "u")
GROUP = Group("team", "pg-j-u", (OWNER,), (), floor=1, queue="q", priority_class="train")


def row(labels=None, annotations=None):
    metadata = {"name": "p", "namespace": "team", "labels": labels or {}, "annotations": annotations or {}}
    return PodRows(DIALECT.reads).row({"metadata": metadata})


def spec(**fields):
    return DIALECT.render(replace(GROUP, **fields)).object["spec"]


def test_a_group_is_written_with_what_is_known_and_nothing_else():
    assert DIALECT.render(GROUP).object == {
        "apiVersion": "scheduling.run.ai/v2alpha2",
        "kind": "PodGroup",
        "metadata": {
            "name": "pg-j-u",
            "namespace": "team",
            "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u"}],
        },
        "spec": {"minMember": 1, "queue": "q", "priorityClassName": "train"},
    }


@pytest.mark.parametrize(
    ("expected", "fields"),
    [
        pytest.param({"minMember": 0}, {"floor": 0}, id="a floor of zero is said"),
        pytest.param({"minSubGroup": 2}, {"floor": 1, "floor_of_parts": 2}, id="never both floors"),
        pytest.param({"preemptionDelay": "5m0s"}, {"preemption_delay": "5m0s"}, id="delay"),
        pytest.param({"stalenessGracePeriod": "-1s"}, {"staleness_grace": "-1s"}, id="grace"),
        pytest.param(
            {"preemptibility": "preemptible"}, {"preemptibility": "preemptible"}, id="preemptibility"
        ),
        pytest.param(
            {"topologyConstraint": {"topology": "dc", "requiredTopologyLevel": "zone"}},
            {"topology": Topology(name="dc", required_level="zone")},
            id="topology",
        ),
        pytest.param(
            {
                "subGroups": [
                    {"name": "all", "minSubGroup": 1},
                    {"name": "a", "parent": "all", "minMember": 0, "topologyConstraint": {"topology": "dc"}},
                ]
            },
            {
                "parts": (
                    Part("all", floor_of_parts=1),
                    Part("a", "all", floor=0, topology=Topology(name="dc")),
                )
            },
            id="a tree of parts",
        ),
    ],
)
def test_every_field_has_its_place_in_the_spec(expected, fields):
    assert spec(**fields).items() >= expected.items()
    assert ("minMember" in spec(**fields)) != ("minSubGroup" in spec(**fields))


@pytest.mark.parametrize(
    ("expected", "group"),
    [
        pytest.param("minimal resources", replace(GROUP, resources={"cpu": parse("1")}), id="resources"),
        pytest.param("mode and tier", replace(GROUP, topology=Topology(mode="hard")), id="topology by tier"),
    ],
)
def test_what_cannot_be_said_is_named(expected, group):
    assert expected in DIALECT.render(group).lost[0]


def test_a_pod_is_linked_by_an_annotation_and_its_part_by_a_label():
    assert DIALECT.link(GROUP, Placement(row(), "worker")) == LinkPatch(
        {"pod-group-name": "pg-j-u"}, {"kai.scheduler/subgroup-name": "worker"}
    )


@pytest.mark.parametrize(
    ("expected", "labels", "annotations"),
    [
        pytest.param(None, {}, {}, id="none"),
        pytest.param(Link(""), {}, {"pod-group-name": ""}, id="empty"),
        pytest.param(
            Link("g", "a"), {"kai.scheduler/subgroup-name": "a"}, {"pod-group-name": "g"}, id="with a part"
        ),
    ],
)
def test_the_link_of_a_pod_reads_back(expected, labels, annotations):
    assert DIALECT.link_of(row(labels, annotations)) == expected


@pytest.mark.parametrize(
    ("expected", "fields"),
    [
        pytest.param("DNS subdomain", {"name": "Not_A_Name"}, id="name"),
        pytest.param("DNS subdomain", {"name": "a" * 254}, id="long name"),
        pytest.param("beyond 0", {"floor": 2**31}, id="beyond int32"),
        pytest.param("beyond 0", {"floor": -1}, id="below zero"),
        pytest.param("2 subgroups are called 'a'", {"parts": (Part("a", floor=1),) * 2}, id="namesakes"),
        pytest.param("a-z, 0-9", {"parts": (Part("A", floor=1),)}, id="name of a part"),
        pytest.param("unknown parent", {"parts": (Part("a", "b", floor=1),)}, id="no such parent"),
        pytest.param("needs minMember", {"parts": (Part("a"),)}, id="a leaf without a floor"),
        pytest.param(
            "cannot have minMember",
            {"parts": (Part("a", floor=1), Part("b", "a", floor=1))},
            id="a parent with one",
        ),
        pytest.param("lead back", {"parts": (Part("a", "b"), Part("b", "a"))}, id="parents in a circle"),
    ],
)
def test_what_the_api_would_refuse_is_known_before(expected, fields):
    assert any(expected in problem for problem in DIALECT.problems(replace(GROUP, **fields)))


def test_a_good_group_has_no_problems():
    parts = (Part("all", floor_of_parts=2), Part("a", "all", floor=0), Part("b", "all", floor=3))

    assert DIALECT.problems(replace(GROUP, parts=parts)) == ()


@pytest.mark.parametrize(
    ("expected", "live", "group"),
    [
        pytest.param({}, {"spec": {"queue": "moved"}}, GROUP, id="a queue stays where somebody moved it"),
        pytest.param({"queue": "q"}, {"spec": {"queue": ""}}, GROUP, id="an empty queue is none"),
        pytest.param(
            {}, {"spec": {"schedulingBackoff": 1, "markUnschedulable": False}}, GROUP, id="of others"
        ),
        pytest.param(
            {}, {"spec": {"topologyConstraint": {"topology": "x"}}}, GROUP, id="a topology of others"
        ),
        pytest.param({"minMember": 1}, {"spec": {"minMember": 7}}, GROUP, id="the floor is ours"),
        pytest.param(
            {"priorityClassName": "train"}, {"spec": {"priorityClassName": "x"}}, GROUP, id="the class too"
        ),
        pytest.param(
            {"preemptibility": None}, {"spec": {"preemptibility": "preemptible"}}, GROUP, id="and no word"
        ),
        pytest.param(
            {"subGroups": None}, {"spec": {"subGroups": [{"name": "a"}]}}, GROUP, id="and the parts"
        ),
    ],
)
def test_of_an_existing_group_only_what_is_ours_changes(expected, live, group):
    rendered = DIALECT.render(group).object
    patch = difference(rendered, merged(rendered, live), DIALECT.fields, frozenset())

    assert patch.get("spec", {}) == expected


@pytest.mark.parametrize(
    ("expected", "live"),
    [
        pytest.param({}, {"kai.scheduler/node-pool": "old", "kai.scheduler/queue": "old"}, id="kept"),
        pytest.param({"kai.scheduler/queue": "q"}, {"kai.scheduler/queue": None}, id="a queue is added"),
        pytest.param({}, {"kai.scheduler/node-pool": None}, id="a pool is not"),
        pytest.param({"x": "1"}, {"x": "2", "theirs": "3"}, id="others follow"),
    ],
)
def test_queue_and_pool_labels_are_chosen_once(expected, live):
    labels = {"kai.scheduler/node-pool": "np", "kai.scheduler/queue": "q", "x": "1"}
    rendered = DIALECT.render(replace(GROUP, labels=labels)).object
    patch = difference(
        rendered, merged(rendered, {"metadata": {"labels": live}}), DIALECT.fields, frozenset()
    )

    assert patch.get("metadata", {}).get("labels", {}) == expected


def test_with_node_pools_off_their_label_is_one_like_any_other():
    assert not any("node-pool" in rule.path[-1] for rule in KaiDialect(node_pool_label_key="").fields)
