"""Two replicas as processes on a real API server: one writes, and the other soon does when it cannot."""

from pathlib import Path

import pytest

from tests.cluster.loader import create_all
from tests.cluster.program import Programs
from tests.cluster.replicas import LEASE_SECONDS, RENEW_SECONDS, Replica, ends_as_with_one
from tests.cluster.scenes import VOLCANO, Scene, failures

pytestmark = pytest.mark.parametrize("profile", [pytest.param(VOLCANO, id="volcano")], indirect=True)


@pytest.fixture
def first(scene: Scene, programs: Programs, tmp_path: Path) -> Replica:
    return Replica(scene, programs, tmp_path)


@pytest.fixture
def second(first: Replica, scene: Scene, programs: Programs, tmp_path: Path) -> Replica:
    """Stands by, while the first one is in the middle of its work."""
    standby = Replica(scene, programs, tmp_path)
    create_all(scene.plane, scene.members(scene.gangs()))
    first.scene.until_some_are_linked()
    return standby


def test_a_clean_stop_hands_over_within_two_seconds(scene, first, second):
    assert second.writes() == []

    assert first.program.terminate(within=5) == 0

    handed_over = second.first_write() - first.writes()[-1].at
    ends_as_with_one(scene, first, second)
    assert handed_over.total_seconds() <= 2
    assert failures(second.writes()) == []


def test_a_killed_replica_is_followed_within_the_lease_and_five_seconds(scene, first, second):
    first.program.kill()

    taken_over = second.first_write() - first.writes()[-1].at
    ends_as_with_one(scene, first)
    assert LEASE_SECONDS / 2 <= taken_over.total_seconds() <= LEASE_SECONDS + 5


def test_a_replica_that_stood_still_starts_no_request_when_it_goes_on(scene, first, second):
    first.program.stand_still()
    written = len(first.writes())
    taken_over = second.first_write()

    first.program.go_on()

    assert first.program.exit_code(within=RENEW_SECONDS + 5) == 1
    assert "only one replica writes" in first.program.logs()
    late = [event for event in first.writes()[written:] if event.at > taken_over]
    assert late == []
    ends_as_with_one(scene, second)
