"""What is kept is not looked through again and again, and garbage goes all the same."""

import asyncio
import gc
import weakref

from podgrouper.controller.garbage import FILLING_SECONDS, MANY, NEVER, PAUSE_SECONDS, calm
from tests.roads.virtual_time import in_virtual_time


class Circle:
    """Goes only when a collector finds it."""

    def __init__(self):
        self.itself = self


@in_virtual_time
async def test_what_is_listed_is_looked_at_no_more():
    with calm(lambda: False):
        before = gc.get_freeze_count()
        listed = [[number] for number in range(MANY)]
        await asyncio.sleep(FILLING_SECONDS)

        assert gc.get_freeze_count() >= before + len(listed)


@in_virtual_time
async def test_where_nothing_is_listed_for_ever_nothing_is_kept():
    with calm(lambda: False):
        before = gc.get_freeze_count()
        await asyncio.sleep(100 * FILLING_SECONDS)

        assert gc.get_freeze_count() <= before


@in_virtual_time
async def test_garbage_of_any_age_goes_by_our_clock():
    with calm(lambda: True):
        circle = Circle()
        gc.collect()
        gone = weakref.ref(circle)
        del circle
        await asyncio.sleep(FILLING_SECONDS + PAUSE_SECONDS)

        assert gone() is None


@in_virtual_time
async def test_no_full_collection_begins_by_itself_and_afterwards_all_is_as_it_was():
    before = gc.get_threshold()
    with calm(lambda: True):
        during = gc.get_threshold()

    assert (during[-1], gc.get_threshold(), gc.get_freeze_count()) == (NEVER, before, 0)
