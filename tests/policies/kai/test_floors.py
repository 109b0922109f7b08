from dataclasses import replace

import pytest

from podgrouper.core.groups import Group, Part, Placement
from podgrouper.core.interfaces import Reads
from podgrouper.core.pods import PodRows
from podgrouper.policies.kai.floors import held_back, settled
from podgrouper.policies.kai.keys import GROUP_OF_POD, PART_OF_POD
from tests.policies.kai.worlds import pod

READS = Reads(labels=frozenset({PART_OF_POD}), annotations=frozenset({GROUP_OF_POD}))


def group(floor, phases, parts=(), linked_to="g"):
    rows, placements = PodRows(READS), []
    for place, (phase, part) in enumerate(phases):
        link = {"annotations": {GROUP_OF_POD: linked_to}, "labels": {PART_OF_POD: part} if part else {}}
        placements.append(Placement(rows.row(pod(f"p{place}", phase=phase, **link)), part))
    return Group("team", "g", (), tuple(placements), floor=floor, parts=parts)


@pytest.mark.parametrize(
    ("expected", "floor", "phases"),
    [
        pytest.param(4, 4, ["Running"] * 2, id="nobody is done"),
        pytest.param(3, 4, ["Running", "Succeeded"], id="the succeeded count no more"),
        pytest.param(4, 4, ["Running", "Failed"], id="the failed come back"),
        pytest.param(1, 2, ["Running", "Succeeded", "Succeeded", "Succeeded"], id="one while one lives"),
        pytest.param(0, 2, ["Succeeded", "Succeeded"], id="none when all are done"),
        pytest.param(0, 0, ["Running"], id="zero stays zero"),
        pytest.param(0, -3, ["Running"], id="never below zero"),
    ],
)
def test_a_floor_follows_the_course_of_the_work(expected, floor, phases):
    assert settled(group(floor, [(phase, "") for phase in phases])).floor == expected


def test_each_part_is_lowered_by_its_own_members():
    parts = (Part("a", floor=2), Part("b", floor=2), Part("all", floor_of_parts=2))

    lowered = settled(group(4, [("Succeeded", "a"), ("Running", "a"), ("Running", "b")], parts))

    assert [(part.floor, part.floor_of_parts) for part in lowered.parts] == [(1, None), (2, None), (None, 2)]
    assert lowered.floor == 3


def live(floor, **parts):
    tree = [{"name": name, "minMember": number} for name, number in parts.items()]
    return {"spec": {"minMember": floor, "subGroups": tree}}


@pytest.mark.parametrize(
    ("expected", "floor", "before", "phases"),
    [
        pytest.param(2, 4, 2, ["Running", "Running", "Pending"], id="not above what runs"),
        pytest.param(3, 3, 2, ["Running"] * 3, id="when that many run"),
        pytest.param(4, 4, 2, ["Pending"] * 2, id="at once when none runs"),
        pytest.param(1, 1, 4, ["Running"] * 2, id="downwards at once"),
        pytest.param(4, 4, 1, ["Running", "Pending"], id="at once from a floor that the kind leaves"),
    ],
)
def test_a_floor_of_a_running_gang_rises_when_enough_run(expected, floor, before, phases):
    wanted = group(floor, [(phase, "") for phase in phases])

    assert held_back(wanted, live(before), frozenset({1})).floor == expected


def test_so_does_that_of_a_part_even_of_a_new_one():
    parts = (Part("a", floor=3), Part("b", floor=2), Part("all", floor_of_parts=2))
    wanted = group(5, [("Running", "a"), ("Running", "a"), ("Pending", "b")], parts)

    held = held_back(wanted, live(2, a=2), frozenset())

    assert [(part.floor, part.floor_of_parts) for part in held.parts] == [(2, None), (0, None), (None, 2)]


def test_a_running_pod_counts_when_its_link_stands():
    adopted = group(2, [("Running", "")] * 2, linked_to="another")
    members = group(2, [("Running", "")])
    wanted = replace(members, placements=(*members.placements, adopted.placements[0]))

    assert held_back(wanted, live(1)).floor == 1


def test_a_running_member_that_changes_its_part_counts_in_none_until_its_label_follows():
    wanted = group(3, [("Running", "b")], (Part("b", floor=3),))
    moved = replace(
        wanted, placements=(replace(wanted.placements[0], part="a"),), parts=(Part("a", floor=3),)
    )

    held = held_back(moved, live(1, a=1))

    assert (held.floor, held.parts[0].floor) == (1, 1)


def test_a_group_that_is_new_has_nothing_to_hold_back():
    wanted = group(4, [("Running", "")])

    assert held_back(wanted, None) == wanted
