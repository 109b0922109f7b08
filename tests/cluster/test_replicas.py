"""Two replicas as processes on a real API server: one writes, and the other soon does when it cannot."""

from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
import yaml

from podgrouper.core.model import Kind
from tests.cluster.audit import AuditEvent
from tests.cluster.loader import create_all
from tests.cluster.program import Program, Programs
from tests.cluster.scenes import GANGS, MEMBERS, VOLCANO, Scene, failures
from tests.cluster.waiting import eventually

LEASE = Kind("coordination.k8s.io/v1", "Lease")
LEASE_SECONDS, RENEW_SECONDS = 6, 4
SLOW = 60
"""Requests a second: work for fifteen seconds, so that whatever happens happens in the middle of it."""
TIMES = ("--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=4s")

pytestmark = pytest.mark.parametrize("profile", [pytest.param(VOLCANO, id="volcano")], indirect=True)


class Replica:
    """One of them, under a user of its own."""

    def __init__(self, scene: Scene, programs: Programs, folder: Path) -> None:
        where = f"--leader-elect-resource-namespace={scene.namespace}"
        config = folder / "lease.yaml"
        config.write_text(yaml.safe_dump({"leaderElection": {"resourceNamespace": scene.namespace}}))
        self.scene = scene.again(f"--config={config}")
        self.program: Program = self.scene.start_slowly(programs, "--leader-elect", where, *TIMES, qps=SLOW)
        self.program.wait_until_ready()

    def writes(self) -> list[AuditEvent]:
        asked = self.scene.plane.audit(self.scene.user)
        return [event for event in asked if event.changes and event.resource != "leases"]

    def first_write(self) -> datetime:
        return eventually(lambda: self.writes()[0].at, within=LEASE_SECONDS + 15)


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


def ends_as_with_one(scene: Scene, *replicas: Replica) -> None:
    scene.all_linked()
    assert len(scene.groups()) == GANGS
    assert Counter(Counter(scene.links().values()).values()) == {MEMBERS: GANGS}
    written = Counter((event.verb, event.path) for replica in replicas for event in replica.writes())
    assert [asked for asked, times in written.items() if times > 1 and asked[0] == "patch"] == []


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
