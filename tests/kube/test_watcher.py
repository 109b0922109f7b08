"""The loop around the state machine, on the embedded API: nothing is lost, and others have their turn."""

import asyncio
import itertools
from contextlib import asynccontextmanager

import pytest

from podgrouper.core.fields import text
from podgrouper.core.model import Kind, Ref
from podgrouper.kube.requests import WatchSpec
from podgrouper.kube.transport import Answer
from podgrouper.kube.watcher import SLICE, watch
from podgrouper.memory.patches import MERGE
from podgrouper.memory.resources import found_in_file
from tests.builders import owner
from tests.kube.mirrors import Mirror
from tests.roads.sandboxed import Sandbox
from tests.roads.virtual_time import in_virtual_time

WIDGET = Kind("example.com/v1", "Widget")
WIDGETS = found_in_file(WIDGET, namespaced=True)


def shop(*names):
    sandbox = Sandbox()
    sandbox.store.catalog.add(WIDGETS)
    for name in names:
        sandbox.store.load(owner(f"{WIDGET}", name))
    return sandbox


@asynccontextmanager
async def followed(sandbox, **spec):
    """What a watch shows while the block lasts; it has shown everything that was there."""
    mirror = Mirror()
    time = asyncio.get_running_loop().time
    task = asyncio.create_task(
        watch(sandbox.client(), WatchSpec(WIDGET, **spec), mirror.take, now=time, chance=lambda: 0.5)
    )
    await asyncio.sleep(1)
    yield mirror
    task.cancel()


@in_virtual_time
async def test_it_shows_what_there_is_and_what_happens():
    sandbox = shop("a", "b")
    async with followed(sandbox) as mirror:
        before = mirror.names
        sandbox.store.load(owner(f"{WIDGET}", "c"))
        sandbox.store.delete(Ref(WIDGET, "ns", "a"))
        sandbox.store.patch(Ref(WIDGET, "ns", "b"), MERGE, {"metadata": {"labels": {"x": "y"}}})
        await asyncio.sleep(1)

        assert (before, mirror.names, mirror.synced) == (["a", "b"], ["b", "c"], 1)
        assert text(mirror.rows["b"], "metadata.labels.x") == "y"


@in_virtual_time
async def test_nothing_is_lost_over_an_hour_of_watches_that_end():
    sandbox = shop("a", "w-0")
    async with followed(sandbox) as mirror:
        for number in range(1, 36):
            sandbox.store.load(owner(f"{WIDGET}", f"w-{number}"))
            sandbox.store.delete(Ref(WIDGET, "ns", f"w-{number - 1}"))
            await asyncio.sleep(100)

        assert mirror.names == ["a", "w-35"]
        assert (mirror.synced, mirror.errors) == (1, [])


@pytest.mark.parametrize("status", [401, 403, 404, 410, 429, 500, 503])
@in_virtual_time
async def test_whatever_the_server_answers_for_a_while_it_comes_back(status):
    sandbox = shop("a")
    async with followed(sandbox) as mirror:
        sandbox.refuse = lambda _: Answer(status, {}, b"{}")
        await asyncio.sleep(700)
        sandbox.store.load(owner(f"{WIDGET}", "late"))
        sandbox.refuse = lambda _: None
        await asyncio.sleep(70)

        assert mirror.names == ["a", "late"]


@in_virtual_time
async def test_a_kind_that_goes_and_comes_back_is_followed_again():
    sandbox = shop("a")
    async with followed(sandbox) as mirror:
        sandbox.store.catalog.withdraw(WIDGET)
        await asyncio.sleep(700)
        asked = len(sandbox.asked)
        await asyncio.sleep(600)
        asked = len(sandbox.asked) - asked
        sandbox.store.catalog.add(WIDGETS)
        sandbox.store.load(owner(f"{WIDGET}", "b"))
        await asyncio.sleep(70)

        assert [type(error).__name__ for error in mirror.errors][-1] == "UnknownKind"
        assert asked <= 40, "it is asked for about once a minute"
        assert "b" in mirror.names


@in_virtual_time
async def test_many_events_at_once_let_others_have_a_turn():
    sandbox = shop(*(f"w-{number}" for number in range(1000)))
    loop = asyncio.get_running_loop()
    seen = []

    def slow(events):
        loop.spend(0.001 * len(events))
        seen.append(len(events))

    task = asyncio.create_task(watch(sandbox.client(), WatchSpec(WIDGET), slow, now=loop.time))
    turns = []
    while sum(seen) < 1000:
        await asyncio.sleep(0)
        turns.append(sum(seen))
    task.cancel()

    assert max(seen) == SLICE
    assert max(later - earlier for earlier, later in itertools.pairwise(turns)) <= 2 * SLICE
