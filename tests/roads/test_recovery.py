"""A broken gang is started anew: an MPIJob loses a worker, the rest goes, its operator starts it again."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from podgrouper.config.model import Config
from podgrouper.core.fields import dig, text
from podgrouper.core.model import Json
from podgrouper.core.recovery import RECORD, RECOVER, Recover, Recovery
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer
from podgrouper.sandbox.actors.schedulers import GangScheduler
from podgrouper.sandbox.actors.stage import Overseer, Stage, playing
from tests.builders import owner
from tests.roads import mpi, virtual_time
from tests.roads.gangs import ALL, KAI, VOLCANO, Dialect, Gang
from tests.roads.sandboxed import EVENT

BOTH = pytest.mark.parametrize("dialect", [pytest.param(VOLCANO, id="volcano"), pytest.param(KAI, id="kai")])
AFTER = 120
RESTART = Recovery(Recover.RESTART, timedelta(seconds=AFTER), per_hour=2)
MINUTE = 60
LONG = 1200
"""Seconds that the members of the job run."""
NODE = owner("v1 Node", "node", namespace="", status={"allocatable": {"cpu": "8", "pods": "110"}})


@asynccontextmanager
async def running(gang: Gang, *overseers: Overseer) -> AsyncIterator[None]:
    """Its operator and a kubelet act; the gang runs."""
    cast = mpi.cast(gang.dialect.scheduler, LONG, *overseers)
    async with playing(Stage(gang.sandbox.store, cast, gang.sandbox.clock)):
        await asyncio.sleep(MINUTE)
        assert set(phases(gang).values()) == {"Running"}
        yield


async def breaks(gang: Gang, times: int) -> None:
    """Loses a worker so often, each time with enough time afterwards to start anew."""
    for _ in range(times):
        gang.gone("worker-1")
        await asyncio.sleep(2 * AFTER)


def phases(gang: Gang) -> Mapping[str, str]:
    return {name: text(one, "status.phase") for name, one in gang.pods().items()}


def evictions(gang: Gang) -> list[str]:
    """The pods that were to go, in order of their names."""
    return sorted(
        one.path.split("/")[-2].removeprefix("train-")
        for one in gang.sandbox.asked
        if one.path.endswith("/eviction")
    )


def deletions(gang: Gang) -> list[Request]:
    return [one for one in gang.sandbox.asked if one.method == "DELETE"]


def told(gang: Gang) -> list[tuple[object, object]]:
    events = gang.sandbox.store.list(EVENT)
    return [(event["reason"], dig(event, "involvedObject.kind")) for event in events]


def config(dialect: Dialect, recovery: Recovery = RESTART, write: str = "never") -> Config:
    return dialect.config(recovery=recovery, write_status=write)


@BOTH
@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        pytest.param(lambda gang: gang.becomes("Failed", "worker-1"), "PodFailed", id="a worker fails"),
        pytest.param(lambda gang: gang.gone("worker-1"), "PodDeleted", id="a worker is deleted"),
    ],
)
def test_an_mpi_job_that_loses_a_worker_starts_anew_and_completes(dialect, harm, reason):
    gang = Gang(dialect)
    seen: list[tuple[str, str]] = []

    def look() -> None:
        seen.append((gang.phase, text(gang.condition("Unschedulable"), "reason")))

    async def life() -> Mapping[str, str]:
        async with gang.sandbox.controller(config(dialect, write="always")), running(gang):
            before = gang.lives()
            look()
            harm(gang)
            await asyncio.sleep(AFTER / 2)
            look()
            await asyncio.sleep(AFTER)
            look()
            await asyncio.sleep(LONG)
            look()
            return before

    before = virtual_time.run(life())

    fine = "TasksScheduled"
    assert seen == [("Running", fine), ("Unknown", reason), ("Running", fine), ("Completed", fine)]
    assert evictions(gang) == ["launcher", "worker-0"]
    assert gang.lives().keys() == before.keys()
    assert not set(gang.lives().values()) & set(before.values())
    assert ("GangRestarted", "PodGroup") in told(gang)


@BOTH
def test_it_works_beside_a_scheduler_that_owns_the_status(dialect):
    gang = Gang(dialect)
    gang.sandbox.store.load(NODE)

    async def life() -> None:
        async with gang.sandbox.controller(config(dialect)), running(gang, GangScheduler()):
            gang.gone("worker-1")
            await asyncio.sleep(2 * AFTER)

    virtual_time.run(life())

    assert evictions(gang) == ["launcher", "worker-0"]
    assert phases(gang) == dict.fromkeys(ALL, "Running")
    assert not [one for one in gang.sandbox.writes() if one.path.endswith("/status")]


@pytest.mark.parametrize(
    ("mode", "words", "expected"),
    [
        pytest.param(Recover.NEVER, {RECOVER: "restart"}, [], id="nobody permitted it"),
        pytest.param(Recover.ANNOTATED, {}, [], id="nobody asked for it"),
        pytest.param(Recover.ANNOTATED, {RECOVER: "restart"}, ["launcher", "worker-0"], id="asked for"),
        pytest.param(Recover.RESTART, {RECOVER: "never"}, [], id="refused"),
    ],
)
def test_members_go_only_where_somebody_wants_it(mode, words, expected):
    gang = Gang(VOLCANO, words=words)

    async def life() -> None:
        recovery = replace(RESTART, mode=mode)
        async with gang.sandbox.controller(config(VOLCANO, recovery)), running(gang):
            gang.gone("worker-1")
            await asyncio.sleep(2 * AFTER)

    virtual_time.run(life())

    assert evictions(gang) == expected
    assert deletions(gang) == []


@BOTH
def test_a_gang_that_heals_in_time_is_left_alone(dialect):
    gang = Gang(dialect)

    async def life() -> None:
        async with gang.sandbox.controller(config(dialect)), running(gang):
            gang.gone("worker-1")
            await asyncio.sleep(AFTER / 2)
            gang.made("worker-1")
            await asyncio.sleep(2 * AFTER)

    virtual_time.run(life())

    assert evictions(gang) == []
    assert json.loads(gang.noted(RECORD))["phase"] == "Running"


@BOTH
def test_a_controller_that_comes_later_counts_the_time_before_it(dialect):
    gang = Gang(dialect)
    when: list[float] = []

    def note(request: Request) -> None:
        if request.path.endswith("/eviction"):
            when.append(asyncio.get_running_loop().time())

    async def life() -> float:
        async with gang.sandbox.controller(config(dialect)), running(gang):
            await asyncio.sleep(1)
        gang.sandbox.refuse = note
        async with gang.sandbox.controller(config(dialect)):
            gang.gone("worker-1")
            broke = asyncio.get_running_loop().time()
            await asyncio.sleep(AFTER - 30)
        async with gang.sandbox.controller(config(dialect)):
            await asyncio.sleep(MINUTE)
        return broke

    broke = virtual_time.run(life())

    assert [round(moment - broke) for moment in when] == [AFTER, AFTER]


@BOTH
def test_killed_between_the_note_and_the_evictions_another_one_finishes_the_restart(dialect):
    gang = Gang(dialect)

    def unreachable(request: Request) -> Answer | None:
        return Answer(503, {}, b"") if request.path.endswith("/eviction") else None

    async def life() -> None:
        async with gang.sandbox.controller(config(dialect)), running(gang):
            gang.sandbox.refuse = unreachable
            gang.gone("worker-1")
            await asyncio.sleep(AFTER + 1)
        gang.sandbox.refuse = lambda _: None
        gang.sandbox.asked.clear()
        async with gang.sandbox.controller(config(dialect)):
            await asyncio.sleep(MINUTE)

    virtual_time.run(life())

    assert evictions(gang) == ["launcher", "worker-0"]
    assert len(json.loads(gang.noted(RECORD))["restarts"]) == 1


@BOTH
def test_a_gang_that_breaks_again_and_again_is_left_after_so_many_restarts_and_told(dialect):
    gang = Gang(dialect)

    async def an_hour() -> None:
        async with gang.sandbox.controller(config(dialect, write="always")), running(gang):
            await breaks(gang, RESTART.per_hour + 1)

    virtual_time.run(an_hour())

    assert len(evictions(gang)) == 2 * RESTART.per_hour
    assert told(gang).count(("RestartsUsedUp", "PodGroup")) == 1
    assert gang.condition("RestartsUsedUp")["status"] == "True"


def test_where_a_budget_protects_a_member_it_is_told_and_tried_again():
    gang = Gang(VOLCANO)
    budget = {"reason": "DisruptionBudget", "message": "The disruption budget mpi needs 1 healthy pods"}
    refusal = {
        "kind": "Status",
        "status": "Failure",
        "code": 429,
        "reason": "TooManyRequests",
        "message": "Cannot evict pod as it would violate the pod's disruption budget.",
        "details": {"causes": [budget]},
    }

    def protected(request: Request) -> Answer | None:
        of_launcher = request.path.endswith("train-launcher/eviction")
        return Answer(429, {}, json.dumps(refusal).encode()) if of_launcher else None

    async def life() -> Mapping[str, str]:
        async with gang.sandbox.controller(config(VOLCANO)), running(gang):
            gang.sandbox.refuse = protected
            gang.gone("worker-1")
            await asyncio.sleep(AFTER + MINUTE)
            held = phases(gang)
            gang.sandbox.refuse = lambda _: None
            await asyncio.sleep(2 * MINUTE)
            return held

    assert virtual_time.run(life()) == {"launcher": "Running"}
    assert ("EvictionRefused", "Pod") in told(gang)
    assert phases(gang) == dict.fromkeys(ALL, "Running")
    assert len(json.loads(gang.noted(RECORD))["restarts"]) == 1


def test_only_that_life_of_a_member_is_to_go():
    gang = Gang(VOLCANO)
    asked: dict[str, Json] = {}

    def note(request: Request) -> None:
        if request.path.endswith("/eviction"):
            asked[request.path.split("/")[-2].removeprefix("train-")] = json.loads(request.body)

    async def life() -> Mapping[str, str]:
        async with gang.sandbox.controller(config(VOLCANO)), running(gang):
            gang.sandbox.refuse = note
            gang.gone("worker-1")
            left = gang.lives()
            await asyncio.sleep(AFTER + 1)
            return left

    left = virtual_time.run(life())

    uids = {name: text(body, "deleteOptions.preconditions.uid") for name, body in asked.items()}
    assert uids == left
