"""The controller as a whole: its parts, the order in which they start, and how they stop."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Protocol

from podgrouper.controller.carry_out import Writer
from podgrouper.controller.ground import Ground, Lives, TextSource
from podgrouper.controller.keeping import Keeper
from podgrouper.controller.kinds import Kinds
from podgrouper.controller.metrics import Metrics
from podgrouper.controller.observing import Observer
from podgrouper.controller.queue import Queue
from podgrouper.controller.reconcile import Reconciler
from podgrouper.controller.rights import Rights
from podgrouper.controller.roster import Item
from podgrouper.controller.store import Store
from podgrouper.controller.telling import Recorder
from podgrouper.controller.triggers import Triggers
from podgrouper.controller.turns import Turns
from podgrouper.core.changes import MANAGER
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import Pod, Skip
from podgrouper.core.plans import Report
from podgrouper.core.reasons import QUIET
from podgrouper.kube.client import Client

log = logging.getLogger(__name__)

WORKERS = 32
"""Keys under way at once. Most of them wait for answers; how many requests go out is the client's pace."""
PLACING_SECONDS = 20.0
"""So long the first keys wait until pods found their places; an unreadable owner holds up no more."""
DRAIN_SECONDS = 3.0
"""Requests under way may end by themselves when we are asked to stop."""


STANDBY_SECONDS = 1.0
"""How often a replica that waits for its turn gives new pods their place; only new owners cost requests."""


class Turn(Protocol):
    """The right to write, of which there is one."""

    async def win(self) -> None:
        """Comes back when it is ours."""

    async def keep(self) -> None:
        """Keeps it. Ends by raising, when it is lost."""

    async def give_back(self) -> None: ...


class Always:
    """The only replica: to write is always its task."""

    async def win(self) -> None:
        return

    async def keep(self) -> None:
        return

    async def give_back(self) -> None:
        return


class Rules(Protocol):
    """The profiles in force, and what a person should know about the texts they were made of."""

    @property
    def profiles(self) -> tuple[Profile, ...]: ...
    @property
    def reports(self) -> tuple[Report, ...]: ...


@dataclass(frozen=True, slots=True)
class Setup:
    """What the controller is told about its task."""

    wire: Callable[[Mapping[TextSource, str]], Rules]
    """From the texts in ConfigMaps to profiles. Their names, schedulers and `Reads` never change."""
    texts: Sequence[TextSource] = ()
    namespaces: Sequence[str] = ()
    """Only these; empty means all of them."""
    observe: bool = False
    """Nothing is written, events included: what would be is told in the log and in the metrics."""


class Controller:
    """Watches, decides and writes until it is asked to stop."""

    def __init__(
        self,
        client: Client,
        setup: Setup,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        turn: Turn | None = None,
    ) -> None:
        self._client = client
        self._setup = setup
        self._turn = turn or Always()
        self.rights = Rights(monotonic, in_namespaces=bool(setup.namespaces))
        client.report_to(self.rights)
        self.metrics = Metrics(now, self.rights.missing)
        profiles = setup.wire({}).profiles
        predecessors = frozenset[str]().union(*(profile.dialect.predecessors for profile in profiles))
        self.store = Store(profiles, predecessors | {MANAGER})
        self.queue: Queue[Item] = Queue()
        self.triggers = Triggers(self.store, self.queue, profiles, self._skipped)
        self._recorder = Recorder(client, now)
        self._keeper = Keeper(self.triggers, now)
        self._ground: Ground | None = None
        self._rules_changed = asyncio.Event()
        self._rewiring: Iterator[None] = iter(())
        self.metrics.pods.set_function(self.store.pod_count)

    @property
    def ready(self) -> bool:
        """The ground is known, so decisions are made."""
        return self._ground is not None and self._ground.known

    async def run(self, stop: asyncio.Event) -> None:
        """Works until `stop` is set, then lets what is under way end and comes back within five seconds.

        Raises what ends its turn to write: then nothing is under way any more, and nothing is given back.
        """
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._start(tasks))
                await stop.wait()
                await self._drain()
                await self._turn.give_back()
                tasks.create_task(_end())
        except* _Stopped:
            log.info("stopped")

    async def _start(self, tasks: asyncio.TaskGroup) -> None:
        kinds = Kinds(self._client, self.triggers, self._setup.namespaces, tasks)
        self._ground = Ground(self._client, self.triggers, kinds, self._setup.namespaces, tasks)
        await self._ground.settle(self._setup.texts, self._texts_changed)
        self.metrics.ready.set(1)
        log.info("ready: %d pods, %d keys", self.store.pod_count(), len(self.queue))
        tasks.create_task(kinds.keep_trying())
        writer = Observer(self.metrics) if self._setup.observe else Writer(self._client, self.triggers)
        reconciler = Reconciler(self.triggers, kinds, self._keeper, writer, self._recorder, self.metrics)
        tasks.create_task(self._follow_rules())
        tasks.create_task(reconciler.tidy())
        placing = tasks.create_task(reconciler.place_all(WORKERS))
        await asyncio.wait((placing,), timeout=PLACING_SECONDS)
        won = asyncio.Event()
        tasks.create_task(self._stand_by(reconciler, won))
        tasks.create_task(self._hold_turn(won))
        await won.wait()
        self.metrics.leading.set(not self._setup.observe)
        if not self._setup.observe:
            tasks.create_task(self._recorder.write())
        for _ in range(WORKERS):
            tasks.create_task(reconciler.work())

    async def _hold_turn(self, won: asyncio.Event) -> None:
        """Nothing comes between winning the turn and keeping it: whatever else is slow may not cost it."""
        await self._turn.win()
        won.set()
        await self._turn.keep()

    async def _stand_by(self, reconciler: Reconciler, won: asyncio.Event) -> None:
        """Until it is our turn, owners are read and pods get their places: only writing is left for then."""
        while not won.is_set():
            await reconciler.place_all(WORKERS)
            await asyncio.sleep(STANDBY_SECONDS)

    async def _drain(self) -> None:
        self.queue.close()
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                await self.queue.idle()
        except TimeoutError:
            log.warning("stopping with requests under way")

    def _texts_changed(self, texts: Mapping[TextSource, str], lives: Lives) -> None:
        rules = self._setup.wire(texts)
        self._recorder.tell("rules", (_in_this_life(report, lives) for report in rules.reports))
        self._rewiring = self.triggers.rewire(rules.profiles)
        self._rules_changed.set()

    async def _follow_rules(self) -> None:
        """What is to be looked at again after a change of the rules, a little at a time."""
        turns = Turns()
        while True:
            self._rules_changed.clear()
            for _ in self._rewiring:
                await turns.give()
            await self._rules_changed.wait()

    def _skipped(self, pod: Pod, skip: Skip | None) -> None:
        if skip is None or skip.reason in QUIET:
            self._recorder.forget(pod.uid)
            return
        for report in self._recorder.tell(pod.uid, [Report(pod.ref, skip.reason, skip.message)]):
            self.metrics.warned(report)


def _in_this_life(report: Report, lives: Lives) -> Report:
    """With the uid by which `kubectl describe` finds the events of a ConfigMap."""
    about = report.about
    return replace(report, about=about._replace(uid=lives.get((about.namespace, about.name), "")))


class _Stopped(Exception):
    """Ends the task group."""


async def _end() -> None:
    raise _Stopped
