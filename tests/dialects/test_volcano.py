"""How a group is written for Volcano, and who owns which field of it."""

from collections.abc import Mapping

import pytest

from podgrouper.core.difference import difference, merged
from podgrouper.core.fields import dig
from podgrouper.core.groups import Group, LinkPatch, Part, Placement, Topology
from podgrouper.core.model import Json, Kind, Link, OwnerRef, Pod
from podgrouper.core.pods import PodRows
from podgrouper.core.quantity import Quantity
from podgrouper.dialects.volcano import LINK, POD_GROUP, VolcanoDialect
from podgrouper.dialects.volcano_tasks import TASK

VOLCANO = VolcanoDialect()
JOB = OwnerRef(Kind("batch/v1", "Job"), "j", "uid-j", controller=True, block_owner_deletion=True)
MIN, MAX = "volcano.sh/jdb-min-available", "volcano.sh/jdb-max-unavailable"


def group(**fields: object) -> Group:
    usual: dict[str, object] = {
        "namespace": "ns",
        "name": "podgroup-1",
        "owners": (JOB,),
        "placements": (),
        "floor": 1,
    }
    return Group(**{**usual, **fields})  # type: ignore[arg-type]  # rows name the fields that they are about


def pod(annotations: Mapping[str, str]) -> Pod:
    return PodRows(VOLCANO.reads).row({"metadata": {"name": "p", "annotations": annotations}})


def written(**fields: object) -> Json:
    return VOLCANO.render(group(**fields)).object


def test_a_group_is_written_whole() -> None:
    full = written(
        floor=2,
        queue="gold",
        priority_class="high",
        resources={"cpu": Quantity(500 * 10**6)},
        topology=Topology("soft", 3),
        labels={"a": "1"},
        annotations={"b": "2"},
    )

    assert full == {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {
            "namespace": "ns",
            "name": "podgroup-1",
            "labels": {"a": "1"},
            "annotations": {"b": "2"},
            "ownerReferences": [
                {
                    "apiVersion": "batch/v1",
                    "kind": "Job",
                    "name": "j",
                    "uid": "uid-j",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "minMember": 2,
            "queue": "gold",
            "priorityClassName": "high",
            "minResources": {"cpu": "500m"},
            "networkTopology": {"mode": "soft", "highestTierAllowed": 3},
        },
        "status": {"phase": "Pending"},
    }


@pytest.mark.parametrize(
    ("expected", "fields"),
    [
        pytest.param({"minMember": 1}, {}, id="what nobody named is left out"),
        pytest.param({"minMember": 0}, {"floor": 0, "resources": {}}, id="a floor of 0 is written"),
        pytest.param(
            {"minMember": 1, "networkTopology": {"mode": "hard", "highestTierAllowed": 0}},
            {"topology": Topology("hard", 0)},
            id="the lowest tier is written",
        ),
        pytest.param(
            {"minMember": 5, "minTaskMember": {"a": 2, "b": 3}},
            {"floor": None, "parts": (Part("a", floor=2), Part("b", floor=3))},
            id="parts together",
        ),
    ],
)
def test_only_what_was_said_is_written(expected: Json, fields: Mapping[str, object]) -> None:
    assert written(**fields)["spec"] == expected


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(
            {"parts": (Part("a", floor_of_parts=1), Part("b", "a", floor=1))}, id="parts inside parts"
        ),
        pytest.param(
            {"parts": (Part("a", floor=1, topology=Topology(name="rack", required_level="rack")),)},
            id="the topology of a part",
        ),
        pytest.param(
            {"floor_of_parts": 1, "parts": (Part("a", floor=1), Part("b", floor=2))}, id="any of the parts"
        ),
        pytest.param({"floor_of_parts": 2}, id="a floor of parts"),
        pytest.param({"topology": Topology(name="rack", required_level="rack")}, id="a named topology"),
        pytest.param({"preemptibility": "preemptible"}, id="preemptibility"),
        pytest.param({"preemption_delay": "5m0s"}, id="a preemption delay"),
        pytest.param({"staleness_grace": "5m0s"}, id="a staleness grace"),
    ],
)
def test_what_volcano_cannot_express_is_named(fields: Mapping[str, object]) -> None:
    assert len(VOLCANO.render(group(**fields)).lost) == 1


def test_nothing_is_lost_of_a_plain_group() -> None:
    assert VOLCANO.render(group(topology=Topology("hard", 1))).lost == ()


@pytest.mark.parametrize(
    ("expected", "fields"),
    [
        pytest.param(0, {}, id="a plain one"),
        pytest.param(1, {"name": "Bad_Name"}, id="its name"),
        pytest.param(1, {"name": "a" * 254}, id="a name without end"),
        pytest.param(1, {"queue": "Gold"}, id="its queue"),
        pytest.param(1, {"floor": 2**31}, id="a floor beyond 32 bits"),
        pytest.param(1, {"floor": -1}, id="a floor below 0"),
        pytest.param(1, {"parts": (Part("a", floor=2**31),)}, id="parts that ask for too many"),
        pytest.param(1, {"parts": (Part("a", floor=-1),)}, id="a part below 0"),
        pytest.param(1, {"parts": (Part("a", floor=1),), "floor_of_parts": -1}, id="fewer than no parts"),
        pytest.param(1, {"roles": (Part("", floor=1),)}, id="a role without a name"),
        pytest.param(1, {"parts": (Part("a", "b", floor=1),)}, id="parts that are no tree"),
        pytest.param(1, {"topology": Topology("hard", -1)}, id="a tier below 0"),
        pytest.param(1, {"priority_class": "p" * 254}, id="its priority class"),
        pytest.param(1, {"annotations": {"volcano.sh/x": "é" * 140_000}}, id="too much text"),
        pytest.param(1, {"owners": (OwnerRef(Kind("", "Job"), "j", "uid"),)}, id="a broken owner reference"),
    ],
)
def test_what_the_api_would_refuse_is_found_before(expected: int, fields: Mapping[str, object]) -> None:
    assert len(VOLCANO.problems(group(**fields))) == expected


def test_a_pod_is_linked_by_one_annotation() -> None:
    placement = Placement(pod({}))

    assert VOLCANO.link(group(), placement) == LinkPatch({"scheduling.k8s.io/group-name": "podgroup-1"})


@pytest.mark.parametrize(
    ("expected", "annotations"),
    [
        pytest.param({LINK: "podgroup-1", TASK: "worker"}, {}, id="none yet"),
        pytest.param({LINK: "podgroup-1", TASK: "worker"}, {TASK: ""}, id="an empty one, which is none"),
        pytest.param({LINK: "podgroup-1"}, {TASK: "mine"}, id="one that somebody chose stays"),
    ],
)
def test_a_pod_of_a_part_gets_its_task_along_with_the_link(
    expected: Mapping[str, str], annotations: Mapping[str, str]
) -> None:
    assert VOLCANO.link(group(), Placement(pod(annotations), "worker")) == LinkPatch(expected)


def test_a_group_does_not_show_how_its_one_pod_is_linked() -> None:
    full = written(annotations={LINK: "podgroup-1", TASK: "worker", "a": "1"})

    assert dig(full, "metadata.annotations") == {"a": "1"}


@pytest.mark.parametrize(
    ("expected", "annotations"),
    [
        pytest.param(None, {}, id="none"),
        pytest.param(Link("g"), {LINK: "g"}, id="a group"),
        pytest.param(Link(""), {LINK: ""}, id="an empty one is there"),
        pytest.param(Link("g", "worker"), {LINK: "g", TASK: "worker"}, id="a group and a task"),
    ],
)
def test_the_link_of_a_pod_is_read_back(expected: Link | None, annotations: Mapping[str, str]) -> None:
    assert VOLCANO.link_of(pod(annotations)) == expected


def patch(desired: Json, live: Json, *ours: tuple[str, ...]) -> Json:
    return difference(desired, live, VOLCANO.fields, frozenset(ours))


def changed(part: str, fields: Json) -> Json:
    """A group that exists and has these fields besides."""
    return merged_json(written(), {part: fields})


def merged_json(one: Json, other: Json) -> Json:
    result = merged(one, other)
    assert isinstance(result, Mapping)
    return result


QUEUE_PATH = ("spec", "queue")
TOPOLOGY_PATH = ("spec", "networkTopology")


@pytest.mark.parametrize(
    ("expected", "desired", "live", "ours"),
    [
        pytest.param({}, written(), written(), (), id="nothing differs"),
        pytest.param({}, written(), changed("status", {"phase": "Running"}), (), id="status is never ours"),
        pytest.param(
            {}, written(), changed("spec", {"queue": "default"}), (QUEUE_PATH,), id="the server's queue"
        ),
        pytest.param({}, written(queue="default"), written(), (), id="which is the same as none"),
        pytest.param({}, written(), changed("spec", {"queue": "x"}), (QUEUE_PATH,), id="a queue stays"),
        pytest.param(
            {"spec": {"queue": "y"}}, written(queue="y"), changed("spec", {"queue": "x"}), (), id="or moves"
        ),
        pytest.param(
            {"spec": {"minMember": 1}},
            written(),
            changed("spec", {"minMember": 3}),
            (),
            id="the floor is ours",
        ),
        pytest.param(
            {}, written(floor=0), changed("spec", {"minMember": None}), (), id="no floor is one of 0"
        ),
        pytest.param(
            {},
            written(resources={"cpu": Quantity(10**9)}),
            changed("spec", {"minResources": {"cpu": "1000m"}}),
            (),
            id="resources are compared by value",
        ),
        pytest.param(
            {"spec": {"minResources": {"cpu": "2", "memory": None}}},
            written(resources={"cpu": Quantity(2 * 10**9)}),
            changed("spec", {"minResources": {"cpu": "1", "memory": "1Gi"}}),
            (),
            id="and replaced as a whole",
        ),
        pytest.param(
            {"spec": {"minResources": None}},
            written(),
            changed("spec", {"minResources": {"cpu": "1"}}),
            (),
            id="or taken away",
        ),
        pytest.param(
            {},
            written(),
            changed("spec", {"minTaskMember": {"a": 1}, "subGroupPolicy": [{"name": "a"}]}),
            (),
            id="foreign fields stay",
        ),
        pytest.param(
            {"spec": {"minMember": 3, "minTaskMember": {"a": 3, "b": None}}},
            written(parts=(Part("a", floor=3),)),
            changed("spec", {"minMember": 2, "minTaskMember": {"a": 1, "b": 1}}),
            (),
            id="until there are tasks",
        ),
        pytest.param(
            {"spec": {"minTaskMember": None}},
            written(),
            changed("spec", {"minTaskMember": {"a": 1}}),
            (("spec", "minTaskMember"),),
            id="tasks of ours go",
        ),
        pytest.param(
            {},
            written(),
            changed("spec", {"networkTopology": {"highestTierName": "rack"}}),
            (),
            id="a foreign topology stays",
        ),
        pytest.param(
            {"spec": {"networkTopology": {"mode": "soft", "highestTierName": None}}},
            written(topology=Topology("soft")),
            changed("spec", {"networkTopology": {"mode": "hard", "highestTierName": "rack"}}),
            (),
            id="until pods name one",
        ),
        pytest.param(
            {"spec": {"networkTopology": None}},
            written(),
            changed("spec", {"networkTopology": {"mode": "soft"}}),
            (TOPOLOGY_PATH,),
            id="a topology of ours goes",
        ),
        pytest.param(
            {}, written(), changed("spec", {"priorityClassName": "x"}), (), id="a foreign priority stays"
        ),
        pytest.param(
            {}, written(), changed("metadata", {"annotations": {"a": "1"}}), (), id="foreign annotations stay"
        ),
        pytest.param(
            {"metadata": {"annotations": {"a": None}}},
            written(),
            changed("metadata", {"annotations": {"a": "1"}}),
            (("metadata", "annotations", "a"),),
            id="our annotations go when nobody says them any more",
        ),
        pytest.param(
            {"metadata": {"annotations": {MAX: "1", MIN: None}}},
            written(annotations={MAX: "1"}),
            changed("metadata", {"annotations": {MIN: "1"}}),
            (),
            id="one budget key drives the other out",
        ),
        pytest.param(
            {}, written(), changed("metadata", {"ownerReferences": [{"kind": "X"}]}), (), id="owners stay"
        ),
        pytest.param(
            {"metadata": {"ownerReferences": written()["metadata"]["ownerReferences"]}},  # type: ignore[index]  # it is there
            written(),
            changed("metadata", {"ownerReferences": None}),
            (),
            id="unless there are none",
        ),
    ],
)
def test_only_what_is_ours_changes(
    expected: Json, desired: Json, live: Json, ours: tuple[tuple[str, ...], ...]
) -> None:
    found = patch(desired, live, *ours)

    assert found == expected
    assert patch(desired, merged_json(live, found), *ours) == {}


def test_the_controller_that_we_replace_wrote_for_us() -> None:
    assert VOLCANO.predecessors == {"vc-controller-manager"}
    assert VOLCANO.kind == POD_GROUP
