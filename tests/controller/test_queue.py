"""Keys that wait: each once, each one at a time, none lost, and each when it is due."""

import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.queue import Queue
from tests.roads import virtual_time
from tests.roads.virtual_time import in_virtual_time

TOO_EARLY = TimeoutError


def now():
    return asyncio.get_running_loop().time()


async def taken(queue, within=0.1):
    """The next key; raises when none comes so soon."""
    async with asyncio.timeout(within):
        return await queue.take()


async def taken_at(queue):
    return await queue.take(), round(now(), 3)


@in_virtual_time
async def test_keys_are_handed_out_in_the_order_in_which_they_were_asked_for():
    queue = Queue()
    for item in "abc":
        queue.add(item)

    assert [await taken(queue) for _ in range(3)] == ["a", "b", "c"]


@in_virtual_time
async def test_a_key_that_is_asked_for_many_times_waits_once():
    queue = Queue()
    for item in "aaba":
        queue.add(item)

    assert (queue.waiting, [await taken(queue), await taken(queue)]) == (2, ["a", "b"])


@in_virtual_time
async def test_whoever_waits_is_woken_by_the_next_key():
    queue = Queue()
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(1)
    queue.add("a")

    assert await waiting == "a"


@in_virtual_time
async def test_asked_for_while_it_runs_a_key_runs_again_afterwards_and_only_once():
    queue = Queue()
    queue.add("a")
    await taken(queue)
    queue.add("a")
    queue.add("a")
    waiting_while_it_runs = queue.waiting
    queue.done("a")

    assert (waiting_while_it_runs, await taken(queue)) == (0, "a")
    queue.done("a")
    assert len(queue) == 0


@in_virtual_time
async def test_a_delayed_key_comes_when_its_time_has_come():
    queue = Queue()
    queue.add_later("a", 5)

    assert (queue.busy, await taken_at(queue)) == (False, ("a", 5.0))


@pytest.mark.parametrize(
    ("delays", "expected"),
    [
        pytest.param([5, 2], 2.0, id="an earlier time beats a later one"),
        pytest.param([2, 5], 2.0, id="whatever came first"),
    ],
)
@in_virtual_time
async def test_of_two_delays(delays, expected):
    queue = Queue()
    for seconds in delays:
        queue.add_later("a", seconds)

    assert await taken_at(queue) == ("a", expected)
    queue.done("a")
    with pytest.raises(TOO_EARLY):
        await taken(queue, within=60)


@in_virtual_time
async def test_now_beats_every_delay():
    queue = Queue()
    queue.add_later("a", 5)
    queue.add("a")

    assert await taken_at(queue) == ("a", 0.0)
    queue.done("a")
    with pytest.raises(TOO_EARLY):
        await taken(queue, within=60)


@in_virtual_time
async def test_a_key_that_waits_already_is_not_delayed():
    queue = Queue()
    queue.add("a")
    queue.add_later("a", 5)

    assert (len(queue), await taken(queue)) == (1, "a")


@in_virtual_time
async def test_a_key_that_rests_comes_when_its_rest_is_over():
    queue = Queue()
    queue.rest("a", 3)
    queue.add("a")

    assert await taken_at(queue) == ("a", 3.0)


@in_virtual_time
async def test_a_delay_does_not_end_a_rest():
    queue = Queue()
    queue.add_later("a", 1)
    queue.rest("a", 3)

    assert await taken_at(queue) == ("a", 3.0)


@in_virtual_time
async def test_while_one_key_rests_others_do_not():
    queue = Queue()
    queue.rest("a", 3)
    queue.add("a")
    queue.add("b")

    assert await taken_at(queue) == ("b", 0.0)


@in_virtual_time
async def test_a_key_that_does_not_exist_any_more_has_no_rest_either():
    queue = Queue()
    queue.rest("a", 3)
    queue.forget("a")
    queue.add("a")

    assert await taken_at(queue) == ("a", 0.0)


@in_virtual_time
async def test_chosen_keys_are_taken_out_of_turn_and_run_like_all_others():
    queue = Queue()
    for item in "abc":
        queue.add(item)
    chosen = queue.take_all("ac".__contains__)
    queue.add("a")

    assert (chosen, await taken(queue), queue.waiting) == (["a", "c"], "b", 0)
    queue.done("a")
    assert await taken(queue) == "a"


@in_virtual_time
async def test_it_is_idle_when_the_last_running_key_is_done():
    queue = Queue()
    for item in "ab":
        queue.add(item)
        await taken(queue)
    idle = asyncio.create_task(queue.idle())
    queue.done("a")
    await asyncio.sleep(1)
    idle_too_early = idle.done()
    queue.done("b")
    await idle

    assert not idle_too_early


@pytest.mark.parametrize(
    "before", [Queue.add, lambda queue, item: queue.add_later(item, 1)], ids=["waiting", "delayed"]
)
@pytest.mark.parametrize(
    "after", [Queue.add, lambda queue, item: queue.add_later(item, 1)], ids=["asked for", "delayed later"]
)
@in_virtual_time
async def test_closed_it_hands_out_nothing(before, after):
    queue = Queue()
    before(queue, "a")
    queue.close()
    after(queue, "b")

    with pytest.raises(TOO_EARLY):
        await taken(queue, within=60)


@in_virtual_time
async def test_closed_it_wakes_no_delayed_key():
    queue = Queue()
    queue.add_later("a", 5)
    queue.close()
    queue.add_later("b", 5)
    await asyncio.sleep(60)

    assert (len(queue), queue.busy) == (0, False)


@dataclass
class Work:
    """Workers that take a while for each key; what they saw."""

    queue: Queue[str] = field(default_factory=Queue)
    asked: dict[str, float] = field(default_factory=dict)
    begun: dict[str, float] = field(default_factory=dict)
    running: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)

    def ask(self, item, delay):
        self.asked[item] = now()
        if delay:
            self.queue.add_later(item, delay)
        else:
            self.queue.add(item)

    async def work(self):
        while True:
            item = await self.queue.take()
            self.twice += [item] if item in self.running else []
            self.running.append(item)
            self.begun[item] = now()
            await asyncio.sleep(2)
            self.running.remove(item)
            self.queue.done(item)


async def worked(steps):
    work = Work()
    workers = [asyncio.create_task(work.work()) for _ in range(3)]
    for item, delay, pause in steps:
        work.ask(item, delay)
        await asyncio.sleep(pause)
    await asyncio.sleep(100)
    for worker in workers:
        worker.cancel()
    return work


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 4), st.integers(0, 3)), max_size=30))
def test_every_key_runs_after_it_was_asked_for_last_and_never_beside_itself(steps):
    work = virtual_time.run(worked(steps))

    assert work.twice == []
    assert len(work.queue) == 0
    assert [item for item, asked in work.asked.items() if work.begun[item] < asked] == []
