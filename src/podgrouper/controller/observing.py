"""`run --observe`: the end of the road without a pen. What would be written is told, and nothing is written.

It stands where `carry_out.Writer` stands otherwise, and gets the same plans.
"""

import asyncio
import logging
from typing import Protocol

from podgrouper.controller.intents import Intents
from podgrouper.controller.metrics import Metrics
from podgrouper.controller.outcomes import Outcome
from podgrouper.controller.roster import Item
from podgrouper.controller.wording import described
from podgrouper.core.groups import Group
from podgrouper.core.plans import KeyPlan, Report

log = logging.getLogger(__name__)


class Writes(Protocol):
    """Who gets the plans: one that writes, or one that tells what would be written."""

    async def carry_out(self, plan: KeyPlan, groups: tuple[Group, ...] = ()) -> Outcome: ...
    def forget(self, item: Item) -> None: ...
    def forget_old(self) -> None: ...


class Observer:
    """Tells every change that it would make once, after it has been due for some seconds."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._intents = Intents()

    async def carry_out(self, plan: KeyPlan, groups: tuple[Group, ...] = ()) -> Outcome:
        """Makes none of the changes. What people should know is in the outcome as always."""
        news = self._intents.look(plan.key, plan.changes, _now())
        for change in news.lasting:
            log.info("would %s", described(change))
        self._metrics.intend(self._intents.lasting)
        reports = [change for change in plan.changes if isinstance(change, Report)]
        return Outcome(groups, reports=reports, again_in=news.again_in)

    def forget(self, item: Item) -> None:
        """The item is no more, so nothing would be done for it."""
        self._intents.forget(item)
        self._metrics.intend(self._intents.lasting)

    def forget_old(self) -> None:
        """Nothing here grows old: what is intended is what stands."""


def _now() -> float:
    return asyncio.get_running_loop().time()
