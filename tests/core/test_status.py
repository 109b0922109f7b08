"""The lifecycle of groups: phases by row, and what must hold for any group."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.groups import Part
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Pod
from podgrouper.core.pods import PodRows
from podgrouper.core.status import LIFECYCLE, ROOT, Floors, Gang, Phase, Tally, phase_of, tallies_of

PENDING, INQUEUE, RUNNING = Phase.PENDING, Phase.INQUEUE, Phase.RUNNING
UNKNOWN, COMPLETED = Phase.UNKNOWN, Phase.COMPLETED


def gang(before: Phase | None = None, floor: int = 3, **counts: int) -> Gang:
    """A gang without parts: what the members do, the phase before, the floor."""
    return Gang(Floors(floor), {ROOT: Tally(**counts)}, before)


def in_parts(floors: Floors, before: Phase | None = None, **running: int) -> Gang:
    """A gang whose parts have so many running members."""
    tallies = {name: Tally(running=count) for name, count in running.items()}
    return Gang(floors, {**tallies, ROOT: Tally(running=sum(running.values()))}, before)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(gang(), PENDING, id="no pods"),
        pytest.param(gang(waiting=3), PENDING, id="pods without a node"),
        pytest.param(gang(waiting=1, running=2), PENDING, id="a gang that starts is not broken"),
        pytest.param(gang(placed=3), PENDING, id="a node is not yet running"),
        pytest.param(gang(PENDING, running=3), RUNNING, id="Pending to Running: all of the floor run"),
        pytest.param(gang(INQUEUE, running=3), RUNNING, id="Inqueue to Running"),
        pytest.param(gang(INQUEUE, waiting=3), INQUEUE, id="Inqueue stays while nothing runs"),
        pytest.param(gang(INQUEUE), INQUEUE, id="Inqueue stays without pods: a scheduler said so"),
        pytest.param(gang(PENDING, running=4), RUNNING, id="more than the floor"),
        pytest.param(gang(PENDING, floor=0, waiting=1), PENDING, id="a floor of 0 does not run by itself"),
        pytest.param(gang(PENDING, floor=0, running=1), RUNNING, id="a floor of 0 runs with one"),
        pytest.param(gang(RUNNING, running=2, succeeded=1), RUNNING, id="who succeeded fills its place"),
        pytest.param(gang(RUNNING, running=2, placed=1), RUNNING, id="a member starts again on a node"),
        pytest.param(
            gang(RUNNING, running=2, waiting=1), UNKNOWN, id="Running to Unknown: restarted, no node"
        ),
        pytest.param(gang(RUNNING, running=2, failed=1), UNKNOWN, id="Running to Unknown: a member failed"),
        pytest.param(gang(RUNNING, running=2), UNKNOWN, id="Running to Unknown: a member was deleted"),
        pytest.param(
            gang(PENDING, running=1, waiting=2, unschedulable=2),
            UNKNOWN,
            id="part runs, no room for the rest",
        ),
        pytest.param(gang(UNKNOWN, running=2, placed=1), UNKNOWN, id="Unknown until members really run"),
        pytest.param(gang(UNKNOWN, running=3), RUNNING, id="Unknown to Running: it healed"),
        pytest.param(gang(UNKNOWN, leaving=2), UNKNOWN, id="Unknown while members are being deleted"),
        pytest.param(gang(UNKNOWN), PENDING, id="Unknown to Pending: all members were deleted"),
        pytest.param(gang(UNKNOWN, waiting=3), PENDING, id="Unknown to Pending: started anew"),
        pytest.param(gang(RUNNING, waiting=3), PENDING, id="Running to Pending: all of them made anew"),
        pytest.param(gang(RUNNING, succeeded=3), COMPLETED, id="all succeeded"),
        pytest.param(gang(RUNNING, succeeded=2, failed=1), COMPLETED, id="ended, some of them badly"),
        pytest.param(gang(RUNNING, succeeded=2), PENDING, id="fewer ended than the floor asks for"),
        pytest.param(
            gang(COMPLETED, floor=1, succeeded=1, waiting=1), PENDING, id="work is left: not Completed"
        ),
        pytest.param(gang(COMPLETED, succeeded=3), COMPLETED, id="Completed stays"),
        pytest.param(gang(COMPLETED), PENDING, id="Completed to Pending: its pods are gone"),
        pytest.param(gang(RUNNING, succeeded=3, leaving=1), PENDING, id="not over before the last one left"),
    ],
)
def test_the_phase_follows_from_what_is_there_and_the_phase_before(found, expected):
    assert phase_of(found) is expected


LEADER, WORKERS = Part("leader", floor=1), Part("workers", floor=2)
KAI = {"total_counts": False, "succeeded_count": False}
NESTED = (
    Part("a", floor_of_parts=1),
    Part("a-0", parent="a", floor=1),
    Part("a-1", parent="a", floor=1),
    Part("b", floor=1),
)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(
            in_parts(Floors(3, parts=(LEADER, WORKERS)), workers=3),
            PENDING,
            id="every part has its own floor",
        ),
        pytest.param(
            in_parts(Floors(3, parts=(LEADER, WORKERS)), leader=1, workers=2),
            RUNNING,
            id="every floor reached",
        ),
        pytest.param(
            in_parts(Floors(9, parts=(LEADER, WORKERS)), leader=1, workers=2), PENDING, id="and the whole's"
        ),
        pytest.param(
            in_parts(Floors(9, parts=(LEADER, WORKERS), **KAI), leader=1, workers=2),
            RUNNING,
            id="KAI looks at the parts alone",
        ),
        pytest.param(
            in_parts(Floors(floor_of_parts=1, parts=(LEADER, WORKERS), **KAI), leader=1),
            RUNNING,
            id="one part is enough",
        ),
        pytest.param(in_parts(Floors(parts=NESTED, **KAI), a_0=1, b=1), PENDING, id="names are exact"),
        pytest.param(
            Gang(
                Floors(parts=NESTED, **KAI),
                {ROOT: Tally(running=2), "a-1": Tally(running=1), "b": Tally(running=1)},
            ),
            RUNNING,
            id="a tree: one of two below, and the other",
        ),
        pytest.param(
            Gang(Floors(2, succeeded_count=False), {ROOT: Tally(running=1, succeeded=1)}, RUNNING),
            UNKNOWN,
            id="for KAI who succeeded is gone",
        ),
        pytest.param(
            in_parts(Floors(parts=(Part("x", parent="x", floor=1),), **KAI), x=0),
            PENDING,
            id="a part that is its own parent ends nowhere",
        ),
    ],
)
def test_parts_have_floors_of_their_own(found, expected):
    assert phase_of(found) is expected


def pod(phase: str = "Pending", **more: object) -> Pod:
    blank = PodRows(Reads()).row({"metadata": {"namespace": "ns", "name": "p"}})
    return blank._replace(phase=phase, **more)


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        pytest.param(pod(), Tally(waiting=1), id="waiting"),
        pytest.param(pod(""), Tally(waiting=1), id="a phase that nobody has set yet"),
        pytest.param(pod(blocked="Unschedulable"), Tally(waiting=1, unschedulable=1), id="no room"),
        pytest.param(pod(blocked="SchedulingGated"), Tally(waiting=1, gated=1), id="gated"),
        pytest.param(pod(blocked="Odd"), Tally(waiting=1), id="another word"),
        pytest.param(pod(node="n"), Tally(placed=1), id="has a node"),
        pytest.param(pod("Unknown", node="n"), Tally(placed=1), id="its kubelet is silent"),
        pytest.param(pod("Running", node="n"), Tally(running=1), id="runs"),
        pytest.param(pod("Running", node="n", deleting=True), Tally(leaving=1), id="leaves"),
        pytest.param(pod("Succeeded", deleting=True), Tally(succeeded=1), id="succeeded, then deleted"),
        pytest.param(pod("Failed"), Tally(failed=1), id="failed"),
    ],
)
def test_every_pod_counts_as_one_thing(member, expected):
    assert tallies_of([(member, "")]) == {ROOT: expected}


def test_members_count_for_the_whole_and_for_their_part():
    found = tallies_of([(pod("Running"), "leader"), (pod(), "workers"), (pod("Running"), "")])

    assert found == {
        ROOT: Tally(running=2, waiting=1),
        "leader": Tally(running=1),
        "workers": Tally(waiting=1),
    }


phases = st.none() | st.sampled_from(Phase)
small = st.integers(0, 3)
gangs = st.builds(
    gang,
    phases,
    small,
    running=small,
    placed=small,
    waiting=small,
    unschedulable=small,
    succeeded=small,
    failed=small,
    leaving=small,
)


@given(gangs)
def test_a_phase_is_its_own_successor(found):
    phase = phase_of(found)

    assert phase_of(Gang(found.floors, found.tallies, phase)) is phase


@given(gangs)
def test_running_means_that_the_floor_has_a_node(found):
    assert phase_of(found) is not RUNNING or (found.has_room and found.whole.running)


@given(gangs)
def test_only_a_scheduler_puts_a_group_in_a_queue(found):
    assert phase_of(found) is not INQUEUE or found.before is INQUEUE


def test_every_row_of_the_lifecycle_says_when_it_holds():
    assert all(rule.when for rule in LIFECYCLE)
