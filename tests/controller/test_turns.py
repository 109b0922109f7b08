"""Long work lets others have a turn, often enough and not more often."""

import asyncio
import itertools

from podgrouper.controller.turns import SLICE_SECONDS, Turns
from tests.roads.virtual_time import in_virtual_time


class Work:
    """Takes so long for each piece without ever waiting, as far as the loop's clock can tell."""

    def __init__(self, turns, seconds):
        self._turns = turns
        self._seconds = seconds
        self.pieces = 0

    async def do(self, pieces):
        loop = asyncio.get_running_loop()
        for _ in range(pieces):
            await self._turns.give()
            loop.spend(self._seconds)
            self.pieces += 1


async def pieces_between_turns_of_others(*works):
    """How much was done each time that somebody else came to it."""
    tasks = [asyncio.create_task(work.do(100)) for work in works]
    seen = []
    while not all(task.done() for task in tasks):
        seen.append(sum(work.pieces for work in works))
        await asyncio.sleep(0)
    done = [*seen, sum(work.pieces for work in works)]
    return [later - earlier for earlier, later in itertools.pairwise(done)]


@in_virtual_time
async def test_nobody_waits_for_more_than_a_slice():
    work = Work(Turns(), SLICE_SECONDS / 3.5)

    assert max(await pieces_between_turns_of_others(work)) == 4


@in_virtual_time
async def test_the_slices_of_many_do_not_add_up():
    turns = Turns()
    works = [Work(turns, SLICE_SECONDS / 3.5) for _ in range(8)]

    assert max(await pieces_between_turns_of_others(*works)) == 4


@in_virtual_time
async def test_short_work_is_not_interrupted():
    work = Work(Turns(), SLICE_SECONDS / 200)

    assert max(await pieces_between_turns_of_others(work)) == 100


@in_virtual_time
async def test_one_that_is_cancelled_while_it_waits_takes_nobody_along():
    turns = Turns()
    works = [Work(turns, SLICE_SECONDS) for _ in range(3)]
    tasks = [asyncio.create_task(work.do(10)) for work in works]
    await asyncio.sleep(0)

    tasks[1].cancel()
    await asyncio.wait(tasks)

    assert [task.cancelled() for task in tasks] == [False, True, False]
    assert (works[0].pieces, works[2].pieces) == (10, 10)
