"""The Lease in a network that breaks and under clocks that jump: never two writers, and soon one."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from podgrouper.controller.election import Terms
from podgrouper.controller.leadership import Candidacy, Leadership
from podgrouper.kube.client import Client
from podgrouper.kube.transport import AiohttpTransport
from tests.cluster.control_plane import ControlPlane
from tests.cluster.loader import create_all
from tests.cluster.program import Programs
from tests.cluster.replicas import LEASE_SECONDS, RENEW_SECONDS, Replica, ends_as_with_one
from tests.cluster.scenes import VOLCANO, Scene, scene_on
from tests.faults.proxy import EVERYTHING, Act, Cut, Delay, Proxy, Silence, Stage, by_proxy

TERMS = Terms(lease_seconds=3, renew_seconds=2, retry_seconds=0.4)


@pytest.fixture
def scene(plane: ControlPlane, namespace: str, crds: str) -> Scene:
    plane.apply(crds)
    return scene_on(plane, namespace, VOLCANO)


@pytest.fixture
def proxy(plane: ControlPlane) -> Iterator[Proxy]:
    """Before the first replica alone."""
    with Proxy(plane.url, plane.certificate) as proxy:
        yield proxy


@pytest.fixture
def first(scene: Scene, programs: Programs, proxy: Proxy, tmp_path: Path) -> Replica:
    return Replica(
        scene, programs, tmp_path, lambda user: by_proxy(scene.plane.kubeconfig(user), proxy, tmp_path)
    )


@pytest.fixture
def second(first: Replica, scene: Scene, programs: Programs, tmp_path: Path) -> Replica:
    """Stands by, while the first one is in the middle of its work."""
    standby = Replica(scene, programs, tmp_path)
    create_all(scene.plane, scene.members(scene.gangs()))
    first.scene.until_some_are_linked()
    return standby


@pytest.mark.faults
@pytest.mark.parametrize("act", [pytest.param(Cut(), id="cut"), pytest.param(Silence(), id="silent")])
def test_a_leader_that_is_cut_off_ends_before_another_begins(scene, proxy, first, second, act: Act):
    proxy.obey(dict.fromkeys(EVERYTHING, act))
    proxy.cut()

    exit_code = first.program.exit_code(within=RENEW_SECONDS + 5)
    taken_over = second.first_write() - first.writes()[-1].at

    ends_as_with_one(scene, first, second)
    assert exit_code == 1
    assert LEASE_SECONDS / 2 <= taken_over.total_seconds() <= LEASE_SECONDS + 5


@pytest.mark.faults
def test_writes_that_come_later_than_the_lease_lasts_change_nothing_twice(scene, proxy, first, second):
    proxy.obey({Stage.WRITE: Delay(LEASE_SECONDS + 3)})

    assert first.program.exit_code(within=RENEW_SECONDS + 5) == 1
    second.first_write()

    ends_as_with_one(scene, first, second)


class WallClock:
    """Of one machine; somebody sets it."""

    off_by = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.off_by


@pytest.mark.parametrize("days", [pytest.param(1, id="ahead"), pytest.param(-1, id="back")])
async def test_a_wall_clock_that_jumps_by_a_day_costs_nobody_the_lease(plane, namespace, days):
    clock = WallClock()
    client = Client(AiohttpTransport(plane.cluster()))
    holder = Leadership(client, Candidacy(namespace, "one", "holder", TERMS), now=clock)
    other = Leadership(client, Candidacy(namespace, "one", "other", TERMS))
    await holder.win()
    tasks = [asyncio.create_task(holder.keep()), asyncio.create_task(other.win())]

    clock.off_by = timedelta(days=days)
    ended, going = await asyncio.wait(
        tasks, timeout=2 * TERMS.lease_seconds, return_when=asyncio.FIRST_COMPLETED
    )
    writers = (holder.may_write(), other.may_write())
    for task in going:
        task.cancel()
    await asyncio.wait(tasks)
    await client.close()

    assert ended == set()
    assert writers == (True, False)
