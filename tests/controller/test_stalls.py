"""Whoever holds up the loop is seen, and nobody else."""

import asyncio

import pytest

from podgrouper.controller.stalls import TICK_SECONDS, longest_stall
from tests.roads.virtual_time import in_virtual_time


@pytest.mark.parametrize(
    ("computed", "told"),
    [
        pytest.param([], [], id="a loop that waits has no stalls"),
        pytest.param([0.5], [0.5], id="one stall"),
        pytest.param([0.5, 0.1, 0.4], [0.5], id="shorter ones are no news"),
        pytest.param([0.1, 0.5], [0.1, 0.5], id="a longer one is"),
    ],
)
@in_virtual_time
async def test_the_longest_stall_is_told(computed, told):
    loop, heard = asyncio.get_running_loop(), []
    with longest_stall(heard.append, loop.time):
        for seconds in computed:
            await asyncio.sleep(1)
            loop.spend(seconds)
        await asyncio.sleep(1)

    assert heard == pytest.approx(told, abs=1.01 * TICK_SECONDS)


@in_virtual_time
async def test_afterwards_nobody_listens():
    loop, heard = asyncio.get_running_loop(), []
    with longest_stall(heard.append, loop.time):
        pass
    loop.spend(1.0)
    await asyncio.sleep(1)

    assert heard == []
