import pytest

from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Group, Part, Placement
from podgrouper.core.pods import PodRows
from podgrouper.policies.kai.floors import settled
from tests.policies.kai.worlds import pod


def group(floor, phases, parts=()):
    rows = PodRows(Reads())
    placements = tuple(
        Placement(rows.row(pod(f"p{place}", phase=phase)), part) for place, (phase, part) in enumerate(phases)
    )
    return Group("team", "g", (), placements, floor=floor, parts=parts)


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
