"""What a group takes to start, for a scheduler that counts pods and tasks."""

from collections.abc import Iterable, Mapping

import pytest

from podgrouper.core.groups import Group, Part, Placement
from podgrouper.core.pods import PodRows
from podgrouper.dialects.volcano import VolcanoDialect
from podgrouper.dialects.volcano_tasks import TASK, Need, need_of

MASTER, WORKER = Part("master", floor=1), Part("worker", floor=3)
ROWS = PodRows(VolcanoDialect().reads)


def spec(cpu: str) -> dict[str, object]:
    return {"containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]}


def member(part: str, cpu: str = "1", *, phase: str = "Pending", role: str = "", task: str = "") -> Placement:
    metadata = {"name": "p", "annotations": {TASK: task}} if task else {"name": "p"}
    row = ROWS.row({"metadata": metadata, "spec": spec(cpu), "status": {"phase": phase}})
    return Placement(row, part, role=role)


def need(
    parts: Iterable[Part] = (),
    members: Iterable[Placement] = (),
    *,
    floor: int | None = None,
    floor_of_parts: int | None = None,
    roles: Iterable[Part] = (),
) -> Need:
    return need_of(
        Group(
            "ns",
            "g",
            (),
            tuple(members),
            floor,
            floor_of_parts,
            parts=tuple(parts),
            roles=tuple(roles),
        )
    )


def cpus(found: Need) -> str:
    return str(found.resources["cpu"]) if "cpu" in found.resources else ""


@pytest.mark.parametrize(
    ("members", "tasks", "found"),
    [
        pytest.param(4, {"master": 1, "worker": 3}, need([MASTER, WORKER]), id="leaves are tasks"),
        pytest.param(4, {"master": 1, "worker": 3}, need(roles=[MASTER, WORKER]), id="and so are roles"),
        pytest.param(1, {"master": 1}, need([MASTER, Part("worker", floor=0)]), id="0 asks for nothing"),
        pytest.param(
            5,
            {"master": 1, "worker-0": 2, "worker-1": 2},
            need(
                [
                    MASTER,
                    Part("worker", floor_of_parts=2),
                    Part("worker-0", "worker", 2),
                    Part("worker-1", "worker", 2),
                ]
            ),
            id="of a tree the leaves, where all of them are needed",
        ),
        pytest.param(
            2,
            {"init-replica-0": 2},
            need(
                [
                    Part("init", floor_of_parts=1),
                    Part("init-replica-0", "init", 2),
                    Part("main", floor_of_parts=1),
                    Part("main-replica-0", "main", 0),
                ],
                floor_of_parts=1,
            ),
            id="a part that cannot be there yet is not one of those that suffice",
        ),
        pytest.param(
            1, {}, need([MASTER, WORKER], floor_of_parts=1), id="where one suffices, the smallest, unnamed"
        ),
        pytest.param(3, {}, need(floor=3), id="a group in one piece has no tasks"),
        pytest.param(1, {}, need(), id="and starts with any pod when nobody says more"),
    ],
)
def test_the_tasks_without_which_a_group_never_starts(members: int, tasks: Mapping[str, int], found: Need):
    assert (found.members, found.tasks) == (members, tasks)


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        pytest.param(
            "7", need([MASTER, WORKER], [member("worker", "2"), member("master", "1")]), id="each by its own"
        ),
        pytest.param(
            "15",
            need([Part("worker", floor=3, template={"spec": spec("5")})]),
            id="by its template as long as there is no pod",
        ),
        pytest.param(
            "6",
            need([Part("worker", floor=3, template={"spec": spec("5")})], [member("worker", "2")]),
            id="by the pod as soon as there is one",
        ),
        pytest.param(
            "9",
            need([WORKER], [member("worker", "1", phase="Succeeded"), member("worker", "3")]),
            id="that lives",
        ),
        pytest.param("6", need([WORKER], [member("worker", "2"), member("worker", "9")]), id="the oldest"),
        pytest.param(
            "4", need(roles=[WORKER, MASTER], members=[member("", "4", role="master")]), id="a role"
        ),
        pytest.param("4", need(members=[member("", "2")], floor=2), id="in one piece by any of its pods"),
        pytest.param("", need([WORKER]), id="of what nobody knows nothing is said"),
        pytest.param(
            "2",
            need([MASTER, WORKER], [member("master", "2"), member("worker", "1")], floor_of_parts=1),
            id="where one part suffices, what that one asks for",
        ),
    ],
)
def test_resources_are_summed_over_the_members_that_must_start(expected: str, found: Need):
    assert cpus(found) == expected


def test_a_part_whose_pods_name_another_task_counts_and_is_told():
    found = need([MASTER, WORKER], [member("worker", task="mine"), member("master", task="master")])

    assert (found.members, found.tasks) == (4, {"master": 1})
    assert found.lost == ("the floor of worker (3): its pods belong to the task 'mine' already",)


def test_that_any_of_several_parts_suffice_is_told_with_their_names():
    parts = [Part(f"p{number}", floor=1) for number in range(8)]

    assert need(parts, floor_of_parts=2).lost == (
        "that any 2 of its parts p0, p1, p2, p3, p4 and 3 more suffice",
    )
