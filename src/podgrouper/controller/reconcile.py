"""The loop around the road: one item of the queue from its turn to its outcome.

family: find the chain and place the pods   key: 3 resolve, 4 group, 5 render, 6 change, 7 tell
group: see what is due for it once it is made, 6 change, 7 tell
"""

import asyncio
import logging
import random
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from podgrouper.controller.aside import Aside
from podgrouper.controller.census import sightings_of
from podgrouper.controller.keeping import Keeper
from podgrouper.controller.kinds import Kinds
from podgrouper.controller.metrics import Metrics
from podgrouper.controller.news import copies, happenings
from podgrouper.controller.observing import Writes
from podgrouper.controller.outcomes import Outcome
from podgrouper.controller.refusals import follow_queues
from podgrouper.controller.retries import Retries
from podgrouper.controller.rights import level_of
from podgrouper.controller.roster import Family, Item
from podgrouper.controller.store import Look
from podgrouper.controller.telling import Recorder
from podgrouper.controller.triggers import Triggers
from podgrouper.controller.turns import Turns
from podgrouper.core.faults import ExtensionFailed, Fault
from podgrouper.core.groups import Decision
from podgrouper.core.model import Key, Pod, Ref
from podgrouper.core.plans import DeleteGroup, KeyPlan, Report
from podgrouper.core.reasons import Reason
from podgrouper.core.road import Claims, plan_changes, walk
from podgrouper.core.workloads import Unseen
from podgrouper.kube.errors import ApiError, TooMany, Unavailable

log = logging.getLogger(__name__)

ROUNDS = 64
"""Reads that one look may need, one after the other: a chain of 16, the wants, and news meanwhile."""
PAUSE_PER_SECOND = 3.0
"""A key whose pods took a second to look at rests three: a huge gang does not starve small ones."""
SHORT = 0.005
HOMELESS_SECONDS = 1.0
"""How often a group that could go is looked at again while pods wait for their place. Costs no request."""
TIDY_SECONDS = 60.0
WRITTEN_SECONDS = 1.0
"""So long a group rests whose status was written: Volcano's scheduler too writes once a second."""


class Reconciler:
    """Turns items into outcomes. Knows how, not when: the queue says when."""

    def __init__(
        self,
        triggers: Triggers,
        kinds: Kinds,
        keeper: Keeper,
        writer: Writes,
        recorder: Recorder,
        metrics: Metrics,
    ) -> None:
        self._triggers = triggers
        self._queue = triggers.queue
        self._kinds = kinds
        self._keeper = keeper
        self._writer = writer
        self._recorder = recorder
        self._metrics = metrics
        self._retries: Retries[Item] = Retries(random.random)
        self._claims = Claims()
        self._turns = Turns()
        self._aside = Aside()

    async def tidy(self) -> None:
        """Lets go of what is too old to matter, now and then."""
        while True:
            await asyncio.sleep(TIDY_SECONDS)
            self._writer.forget_old()

    async def work(self) -> None:
        """Takes items from the queue until cancelled. Nothing that happens to one of them ends it."""
        async with asyncio.TaskGroup() as patient:
            while True:
                await self._turns.give()
                item = await self._queue.take()
                if self._takes_its_time(item):
                    patient.create_task(self._turn(item))
                else:
                    await self._turn(item)

    async def place_all(self, side_by_side: int) -> None:
        """Gives every family that waits one turn.

        Before the first key runs: as long as its pods have no place, a group looks like one that nobody
        needs, and a workload like a smaller one.
        """
        families = iter(self._queue.take_all(lambda item: isinstance(item, Family)))

        async def some() -> None:
            for family in families:
                await self._turns.give()
                await self._turn(family)

        async with asyncio.TaskGroup() as tasks:
            for _ in range(side_by_side):
                tasks.create_task(some())

    async def _turn(self, item: Item) -> None:
        started = _now()
        try:
            await self._one(item)
        except ApiError as error:
            self._metrics.failed(None, error)
            self._retry(item, error)
        except Exception as error:  # a fault of ours must not stop the others
            log.exception("%s", item)
            self._metrics.fault()
            self._retry(item, error)
        finally:
            self._queue.done(item)
            self._metrics.took(_now() - started)
            self._metrics.queue.set(self._queue.waiting)

    async def _one(self, item: Item) -> None:
        match item:
            case Family():
                await self._place(item)
            case Key():
                await self._reconcile(item)
            case Ref():
                await self._look_after(item)

    async def _place(self, family: Family) -> None:
        """Finds the boundary of every pod of a family, reading what is not known yet."""
        for _ in range(ROUNDS):
            self._queue.begin_anew(family)
            unseen = None
            for found in self._triggers.place_family(family):
                unseen = found
                await self._turns.give()
            if unseen is None:
                self._retries.forget(family)
                return
            await self._read(unseen)
        raise Unavailable(f"the owners of pods in {family.namespace!r} change faster than they are read")

    async def _reconcile(self, key: Key) -> None:
        decided = await self._decided(key)
        if decided is None:
            self._forget(key)
            return
        boundary, decision, look = decided
        self._triggers.queue_all(self._claims.stake(decision))
        dialect = self._triggers.profile(key.profile).dialect
        self._metrics.saw(key, sightings_of(decision, self._pods(key), dialect, look.group))
        plan = self._careful(key, plan_changes(decision, dialect, look.group, self._claims))
        self._triggers.dependencies.note(key, look)
        outcome = await self._writer.carry_out(plan, decision.grouping.groups)
        if outcome.done:
            self._metrics.saw(key, sightings_of(decision, self._pods(key), dialect, look.group))
        await follow_queues(self._triggers, self._kinds, key, look, outcome)
        self._tell(key, outcome, decision.fault, copies(outcome, boundary))
        self._recorder.announce(happenings(outcome, boundary))

    async def _look_after(self, group: Ref) -> None:
        started = _now()
        duty = self._keeper.duty(group)
        if duty is None:
            self._let_go(group)
            return
        self._rest(group, _now() - started)
        outcome = await self._writer.carry_out(KeyPlan(duty.changes, key=group))
        self._tell(group, outcome)
        if outcome.done:
            self._queue.rest(group, WRITTEN_SECONDS)
        if duty.again_in:
            self._queue.add_later(group, duty.again_in)

    def _careful(self, key: Key, plan: KeyPlan) -> KeyPlan:
        """Deletes nothing as long as some pod of the namespace has no place: it may need what would go."""
        if not self._triggers.roster.any_homeless(key.namespace):
            return plan
        kept = tuple(change for change in plan.changes if not isinstance(change, DeleteGroup))
        if len(kept) < len(plan.changes):
            self._queue.add_later(key, HOMELESS_SECONDS)
        return replace(plan, changes=kept)

    async def _decided(self, key: Key) -> tuple[Ref, Decision, Look] | None:
        """Stages 3 to 5, reading whatever is missing; None when there is nothing left to look after."""
        for _ in range(ROUNDS):
            self._queue.begin_anew(key)
            boundary = self._triggers.roster.boundary(key)
            if boundary is None or self._triggers.roster.idle(key):
                return None
            look = self._triggers.store.look()
            decision = await self._walked(key, boundary, look)
            if not isinstance(decision, Unseen):
                return boundary, decision, look
            self._triggers.dependencies.note(key, look)
            await self._read(decision)
        raise Unavailable(f"{key}: what it depends on changes faster than it is read")

    async def _walked(self, key: Key, boundary: Ref, look: Look) -> Decision | Unseen:
        profile = self._triggers.profile(key.profile)
        if profile.takes_its_time(boundary.kind):
            return await self._aside.decide(
                boundary.kind,
                lambda: partial(walk, boundary, self._pods(key), profile),
                look,
                lambda: self._triggers.dependencies.note(key, look),
            )
        started = _now()
        decision = walk(boundary, self._pods(key), profile, look)
        if not isinstance(decision, Unseen):
            self._rest(key, _now() - started)
        return decision

    def _takes_its_time(self, item: Item) -> bool:
        """Whether the worker that has this item goes on to the next one meanwhile."""
        if not isinstance(item, Key):
            return False
        boundary = self._triggers.roster.boundary(item)
        return boundary is not None and self._triggers.profile(item.profile).takes_its_time(boundary.kind)

    def _pods(self, key: Key) -> list[Pod]:
        names = self._triggers.roster.members(key)
        return [pod for pod in (self._triggers.store.pod(key.namespace, name) for name in names) if pod]

    async def _read(self, unseen: Unseen) -> None:
        if len(unseen.objects) == 1:
            await self._kinds.read(unseen.objects[0])
            return
        outcomes = await asyncio.gather(*map(self._kinds.read, unseen.objects), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    def _rest(self, item: Item, seconds: float) -> None:
        if seconds > SHORT:
            self._queue.rest(item, PAUSE_PER_SECOND * seconds)

    def _tell(
        self, item: Item, outcome: Outcome, fault: Fault | None = None, more: Iterable[Report] = ()
    ) -> None:
        """`more`: what is told to others once more, and counts no more."""
        for change in outcome.done:
            self._metrics.made(change)
        for failure in outcome.failures:
            self._metrics.failed(failure.change, failure.error)
        found = [*outcome.reports, *outcome.refusals()]
        for report in self._recorder.tell(item, [*found, *more]):
            if report in found:
                self._metrics.warned(report)
        if outcome.failures:
            self._retry(item, max((failure.error for failure in outcome.failures), key=_patience))
        elif fault:
            self._ask_again(item, fault)
        else:
            self._retries.forget(item)
        if outcome.again_in:
            self._queue.add_later(item, outcome.again_in)

    def _ask_again(self, item: Item, fault: Fault) -> None:
        """What hung is not asked earlier either, whatever happens to its workload."""
        self._metrics.extension_failed(fault)
        seconds = self._retry(item, ExtensionFailed(fault))
        if fault.reason is Reason.GROUPER_HUNG:
            self._queue.rest(item, seconds)

    def _retry(self, item: Item, error: Exception) -> float:
        seconds = self._retries.delay(item, error)
        log.log(level_of(error, logging.INFO), "%s: again in %.1f s: %s", item, seconds, error)
        self._queue.add_later(item, seconds)
        return seconds

    def _forget(self, key: Key) -> None:
        self._triggers.roster.drop(key)
        self._triggers.dependencies.forget(key)
        self._triggers.queue_all(self._claims.release(key))
        self._metrics.saw(key, ())
        self._let_go(key)

    def _let_go(self, item: Item) -> None:
        self._queue.forget(item)
        self._recorder.forget(item)
        self._writer.forget(item)
        self._retries.forget(item)


def _patience(error: ApiError) -> float:
    """The longer a failure takes to pass, the less sense it makes to come back early."""
    return error.retry_after + (1.0 if isinstance(error, TooMany) else 0.0)


def _now() -> float:
    return asyncio.get_running_loop().time()
