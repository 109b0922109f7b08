"""Whoever holds up the loop is seen, and watching for that costs little while nobody does."""

import asyncio

import pytest

from podgrouper.controller.stalls import LONG_SECONDS, SHORT_SECONDS, Clocks, longest_stall
from tests.roads.virtual_time import in_virtual_time


class Processor:
    """Its work takes time, as far as the clocks can tell."""

    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self.computed = 0.0
        self.looks = 0

    @property
    def clocks(self):
        return Clocks(self._now, lambda: self.computed)

    def work(self, seconds):
        self.computed += seconds
        self._loop.spend(seconds)

    async def work_in_turns(self, seconds, turns):
        for _ in range(turns):
            self.work(seconds)
            await asyncio.sleep(0.001)

    async def stall(self, each):
        """So long, each time in the middle of work that harms nobody."""
        for seconds in each:
            await self.work_in_turns(0.005, turns=50)
            self.work(seconds)
        await asyncio.sleep(1)

    def _now(self):
        self.looks += 1
        return self._loop.time()


@pytest.mark.parametrize(
    ("stalls", "told"),
    [
        pytest.param([], [], id="a loop that waits has no stalls"),
        pytest.param([0.5], [0.5], id="one stall"),
        pytest.param([0.5, 0.1, 0.4], [0.5], id="shorter ones are no news"),
        pytest.param([0.2, 0.5], [0.2, 0.5], id="a longer one is"),
    ],
)
@in_virtual_time
async def test_a_stall_is_told_when_it_is_the_longest_so_far(stalls, told):
    processor, heard = Processor(), []
    with longest_stall(heard.append, processor.clocks):
        await processor.stall(stalls)

    assert heard == pytest.approx(told, abs=1.01 * SHORT_SECONDS)


@pytest.mark.parametrize(
    ("seconds", "pause"),
    [pytest.param(0.004, SHORT_SECONDS, id="at work"), pytest.param(0.0, LONG_SECONDS, id="at rest")],
)
@in_virtual_time
async def test_ticks_are_as_frequent_as_there_is_work(seconds, pause):
    processor = Processor()
    with longest_stall([].append, processor.clocks):
        await processor.work_in_turns(seconds, turns=1000)

    assert processor.looks == pytest.approx(asyncio.get_running_loop().time() / pause, rel=0.2)


@in_virtual_time
async def test_afterwards_nobody_listens():
    processor, heard = Processor(), []
    with longest_stall(heard.append, processor.clocks):
        pass
    await processor.stall([1.0])

    assert heard == []
