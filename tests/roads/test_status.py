"""Who writes the status of a group: nobody of ours, or the controller, and then only what is new."""

import asyncio
import json
from collections.abc import Callable, Sequence

import pytest

from podgrouper.core.fields import dig, items, mapping, ref_of
from podgrouper.core.model import Json
from podgrouper.kube.requests import Request
from podgrouper.memory.patches import MERGE
from tests.roads import virtual_time
from tests.roads.gangs import ALL, KAI, LAUNCHER, VOLCANO, WORKERS, Dialect, Gang

BOTH = pytest.mark.parametrize("dialect", [pytest.param(VOLCANO, id="volcano"), pytest.param(KAI, id="kai")])


def of_status(gang: Gang) -> list[Request]:
    """Requests that write a status, creations aside."""
    return [
        one
        for one in gang.sandbox.writes()
        if one.path.endswith("/status") or (one.method == "PATCH" and "status" in json.loads(one.body))
    ]


def told(gang: Gang) -> tuple[str, int, int, int]:
    status = gang.dialect.lifecycle.read(gang.group)
    return (str(status.phase), status.running, status.succeeded, status.failed)


def through(dialect: Dialect, *steps: Callable[[Gang], None]) -> list[str]:
    """The phases after each step, as the controller writes them."""
    gang = Gang(dialect, *ALL)
    seen: list[str] = []

    async def life() -> None:
        async with gang.sandbox.controller(dialect.config(write_status="always")):
            await gang.sandbox.quiet()
            for step in steps:
                step(gang)
                await gang.sandbox.quiet()
                seen.append(gang.phase)

    virtual_time.run(life())
    return seen


@BOTH
def test_the_phases_of_a_gang_that_breaks_and_is_started_anew(dialect):
    seen = through(
        dialect,
        lambda gang: gang.runs(*WORKERS),
        lambda gang: gang.runs(LAUNCHER),
        lambda gang: gang.gone("worker-1"),
        lambda gang: gang.made("worker-1"),
        lambda gang: gang.without_room("worker-1"),
        lambda gang: gang.gone(*ALL),
        lambda gang: gang.made(*ALL),
        lambda gang: gang.runs(*ALL),
        lambda gang: gang.becomes("Succeeded", *ALL),
    )

    assert seen == [
        "Pending",
        "Running",
        "Unknown",
        "Unknown",
        "Unknown",
        "Pending",
        "Pending",
        "Running",
        "Completed",
    ]


@BOTH
def test_counters_follow_the_pods(dialect):
    gang = Gang(dialect, *ALL)

    async def life() -> None:
        async with gang.sandbox.controller(dialect.config(write_status="always")):
            await gang.sandbox.quiet()
            gang.runs(*ALL)
            await gang.sandbox.quiet()
            gang.becomes("Failed", "worker-1")
            await gang.sandbox.quiet()

    virtual_time.run(life())

    assert told(gang) == ("Unknown", 2, 0, 1)
    assert gang.condition("Unschedulable")["reason"] == "PodFailed"


@BOTH
def test_a_group_whose_pods_are_gone_is_told_as_well(dialect):
    seen = through(dialect, lambda gang: gang.runs(*ALL), lambda gang: gang.gone(*ALL))

    assert seen == ["Running", "Pending"]


@pytest.mark.parametrize(
    ("dialect", "door"), [pytest.param(VOLCANO, "", id="volcano"), pytest.param(KAI, "/status", id="kai")]
)
def test_the_status_is_written_where_the_crd_has_it(dialect, door):
    gang = Gang(dialect, *ALL)

    async def life() -> None:
        async with gang.sandbox.controller(dialect.config(write_status="always")):
            await gang.sandbox.quiet()

    virtual_time.run(life())

    assert {one.path.partition(ref_of(gang.group).name)[2] for one in of_status(gang)} == {door}


@BOTH
def test_a_second_controller_finds_nothing_to_write(dialect):
    gang = Gang(dialect, *ALL)
    gang.runs(*WORKERS)

    async def twice() -> int:
        async with gang.sandbox.controller(dialect.config(write_status="always")):
            await gang.sandbox.quiet()
        written = len(gang.sandbox.writes())
        async with gang.sandbox.controller(dialect.config(write_status="always")):
            await gang.sandbox.quiet()
        return len(gang.sandbox.writes()) - written

    assert virtual_time.run(twice()) == 0


@BOTH
def test_what_says_nothing_new_leaves_the_conditions_as_they_are(dialect):
    gang = Gang(dialect, *ALL)

    async def life() -> tuple[object, object]:
        async with gang.sandbox.controller(dialect.config(write_status="always")):
            await gang.sandbox.quiet()
            gang.without_room(*WORKERS)
            await gang.sandbox.quiet()
            before = gang.condition("Unschedulable")
            gang.without_room(LAUNCHER)
            await gang.sandbox.quiet()
            return before, gang.condition("Unschedulable")

    before, after = virtual_time.run(life())

    kept = ("lastTransitionTime", "transitionID", "reason")
    assert [after[key] for key in kept] == [before[key] for key in kept]
    assert after["message"] != before["message"]


@BOTH
def test_members_that_start_one_by_one_do_not_cost_a_write_each(dialect):
    names = [f"worker-{number}" for number in range(100)]
    gang = Gang(dialect, *names)

    async def life() -> int:
        async with gang.sandbox.controller(dialect.config(write_status="always")):
            await gang.sandbox.quiet()
            before = len(of_status(gang))
            await started_one_by_one(gang, names, pause=0.05)
            await gang.sandbox.quiet()
            return len(of_status(gang)) - before

    assert virtual_time.run(life()) <= 8
    assert told(gang)[1] == len(names)


async def started_one_by_one(gang: Gang, names: Sequence[str], pause: float) -> None:
    for name in names:
        gang.runs(name)
        await asyncio.sleep(pause)


@BOTH
def test_somebody_who_writes_the_group_meanwhile_costs_another_look(dialect):
    gang = Gang(dialect, *ALL)
    denied: list[str] = []

    def quicker(request: Request) -> None:
        if not denied and "status" in request.body.decode() and request.method == "PATCH":
            denied.append(request.path)
            label = {"metadata": {"labels": {"touched": "yes"}}}
            gang.sandbox.store.patch(ref_of(gang.group), MERGE, label)

    async def life() -> None:
        async with gang.sandbox.controller(dialect.config(write_status="always")):
            await gang.sandbox.quiet()
            gang.sandbox.refuse = quicker
            gang.runs(*ALL)
            await asyncio.sleep(2)

    virtual_time.run(life())

    assert denied
    assert told(gang) == ("Running", 3, 0, 0)
    assert dig(gang.group, "metadata.labels.touched") == "yes"


@BOTH
def test_with_another_writer_beside_us_never_means_never(dialect):
    gang = Gang(dialect, *ALL)

    async def life() -> None:
        async with gang.sandbox.controller(dialect.config(write_status="never")):
            await gang.sandbox.quiet()
            gang.runs(*WORKERS)
            scheduler_says(gang, "first")
            await gang.sandbox.quiet()
            gang.gone("worker-0")
            scheduler_says(gang, "second")
            await gang.sandbox.quiet()

    virtual_time.run(life())

    assert of_status(gang) == []
    assert [one["reason"] for one in items(gang.group, "status.conditions")] == ["second"]


@BOTH
def test_two_who_both_write_do_not_fight_without_end(dialect):
    gang = Gang(dialect, *ALL)

    async def life() -> None:
        async with gang.sandbox.controller(dialect.config(write_status="always")):
            for _ in range(60):
                await asyncio.sleep(1)
                scheduler_says(gang, "mine")

    virtual_time.run(life())

    assert len(of_status(gang)) < 10
    assert "ChangeReverted" in {event["reason"] for event in gang.sandbox.warned()}


def scheduler_says(gang: Gang, reason: str) -> None:
    """A scheduler writes its own status over whatever is there."""
    theirs = {"type": "Scheduled", "status": "True", "reason": reason}
    gang.sandbox.store.patch(
        ref_of(gang.group),
        MERGE,
        {"status": {"conditions": [theirs]}},
        manager="scheduler",
        subresource=gang.dialect.lifecycle.subresource,
    )


def test_a_kai_group_tells_what_it_uses_and_what_of_it_cannot_be_preempted():
    gang = Gang(KAI, *ALL, labels={"priorityClassName": "high"})
    gang.sandbox.store.load(priority_class(value=50))

    async def life() -> list[Json]:
        async with gang.sandbox.controller(KAI.config(write_status="always")):
            await gang.sandbox.quiet()
            gang.runs(*ALL)
            await gang.sandbox.quiet()
            before = mapping(gang.group, "status.resourcesStatus")
            gang.sandbox.store.load(priority_class(value=150))
            await gang.sandbox.quiet()
            return [before, mapping(gang.group, "status.resourcesStatus")]

    one, two = virtual_time.run(life())

    assert one == {"requested": {"cpu": "3"}, "allocated": {"cpu": "3"}}
    assert two == {**one, "allocatedNonPreemptible": {"cpu": "3"}}


def priority_class(value: int) -> Json:
    metadata = {"name": "high", "uid": "uid-high"}
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": metadata,
        "value": value,
    }
