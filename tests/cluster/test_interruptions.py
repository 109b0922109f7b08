"""The program and the API server are stopped in the middle of work, and the end is the same."""

from collections import Counter

import pytest

from tests.cluster.loader import create_all
from tests.cluster.scenes import GANGS, MEMBERS, PODS, VOLCANO, failures


def test_killed_in_the_middle_and_started_again_it_ends_the_same(scene, programs):
    create_all(scene.plane, scene.members(scene.gangs()))
    first = scene.start_slowly(programs)
    scene.until_some_are_linked()

    first.kill()
    done_by_the_first = len(scene.links())
    second = scene.again()
    second.start(programs)
    second.all_linked()
    second.silent()

    assert done_by_the_first < PODS, "it was not killed in the middle"
    assert len(scene.groups()) == GANGS
    assert Counter(Counter(scene.links().values()).values()) == {MEMBERS: GANGS}
    assert failures(scene.plane.audit(second.user)) == []


def test_it_goes_on_when_the_api_server_was_killed_and_came_back(scene, programs):
    owners = scene.gangs()
    pods = scene.members(owners)
    scene.start(programs)
    create_all(scene.plane, pods[: PODS // 2])

    scene.plane.kill_api_server()
    scene.plane.start_api_server()
    create_all(scene.plane, pods[PODS // 2 :])

    scene.all_linked()
    assert len(scene.groups()) == GANGS


@pytest.mark.parametrize("profile", [pytest.param(VOLCANO, id="volcano")], indirect=True)
def test_it_ends_within_five_seconds_of_sigterm_when_idle(scene, programs):
    program = scene.start(programs)

    assert program.terminate(within=5) == 0


def test_it_ends_within_five_seconds_of_sigterm_in_the_middle_of_work(scene, programs):
    create_all(scene.plane, scene.members(scene.gangs()))
    program = scene.start_slowly(programs)
    scene.until_some_are_linked()

    assert program.terminate(within=5) == 0
    assert failures(scene.plane.audit(scene.user)) == []
