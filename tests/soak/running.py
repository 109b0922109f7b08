"""A scenario from its beginning until the world is at rest, with everything on record.

The controller itself runs, on the API in memory and in virtual time: watches, store, queue, resolving,
deciding and writing are what they are in a cluster.
"""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from random import Random

from podgrouper.config.model import Config
from podgrouper.controller.run import Controller
from podgrouper.core.fields import ref_of, text
from podgrouper.core.model import POD, Json
from podgrouper.kube.transport import Transport
from podgrouper.memory.collector import Collector
from tests.roads import virtual_time
from tests.roads.disorder import DisorderlyTransport
from tests.roads.sandboxed import Sandbox, custom_owners
from tests.soak.past import Moment
from tests.soak.record import ELDER, SECOND_PASS, Record, RecordingApi, now
from tests.soak.scenarios import Scenario

AFTERMATH = 60.0
"""So long the network is odd after the last happening; then it is calm."""
QUIET, TRUCE = 250.0, 700.0
"""Nothing was written for so long: longer than any retry waits; longer than the truce with somebody who takes
back what we write."""
PATIENCE = 8 * TRUCE
"""A world that is not at rest by then never will be."""
SECOND_LOOK = 60.0
COLLECTED = (0.0, 0.1, 2.0, 15.0)
"""Seconds from garbage to its collection, and from a pod's end to its kubelet's word."""
Way = Callable[[Transport], Transport]
"""What lies between a controller and the network, where a test puts something there."""


def run(scenario: Scenario, way: Way = lambda transport: transport) -> Record:
    """Never raises for what a controller does; that is on record too."""
    record = Record(scenario)
    random.seed(scenario.seed)
    with _errors_noted(record):
        try:
            virtual_time.run(_Run(scenario, record, way).all_of_it())
        except Exception as error:
            record.faults.append(f"raised: {error!r}")
    return record


class _Run:
    def __init__(self, scenario: Scenario, record: Record, way: Way) -> None:
        self._scenario = scenario
        self._record = record
        self._way = way
        self._luck = Random(scenario.seed)
        self._calm = asyncio.Event()
        self._sandbox = Sandbox(scenario.ground)
        objects = [obj for workload in scenario.workloads for obj in workload.objects]
        self._sandbox.serve(custom_owners(objects))

    async def all_of_it(self) -> None:
        self._sandbox.store.subscribe(lambda event: self._record.moments.append(Moment(now(), event)))
        if self._scenario.calm:
            self._calm.set()
        collecting = asyncio.create_task(self._collect())
        story = asyncio.create_task(self._tell())
        others = [asyncio.create_task(other) for other in self._others(story)]
        try:
            async with asyncio.timeout(PATIENCE + 2 * sum(one.after for one in self._scenario.story)):
                await self._lives(story)
        except TimeoutError:
            self._record.faults.append("the world never comes to rest")
        await asyncio.gather(*others)
        async with self._controller(SECOND_PASS, self._scenario.config, None):
            await asyncio.sleep(SECOND_LOOK)
        collecting.cancel()
        self._record.objects = [obj for _, obj in self._sandbox.store.everything()]

    async def _lives(self, story: "asyncio.Task[None]") -> None:
        for number, writes in enumerate((*self._scenario.crashes, None), 1):
            life = self._controller(f"life {number}", self._scenario.config, writes)
            async with life as (controller, dead):
                rest = asyncio.create_task(self._rest(story))
                death = asyncio.create_task(dead.wait())
                done, pending = await asyncio.wait((rest, death), return_when=asyncio.FIRST_COMPLETED)
                for task in pending:
                    task.cancel()
                if rest in done:
                    rest.result()
                    self._record.misbelieved = list(_misbelieved(controller, self._sandbox))
                    return

    async def _rest(self, story: "asyncio.Task[None]") -> None:
        await asyncio.wait((story,))
        story.result()
        await asyncio.sleep(AFTERMATH)
        self._calm.set()
        await self._sandbox.quiet(TRUCE if self._scenario.contested else QUIET)

    def _others(self, story: "asyncio.Task[None]") -> Iterator[Coroutine[object, object, None]]:
        if self._scenario.twin:
            yield self._other("the twin", self._scenario.config, story)
        if self._scenario.elder:
            yield self._other(ELDER, self._scenario.elders_config, story)

    async def _other(self, who: str, config: Config, story: "asyncio.Task[None]") -> None:
        """It goes before the world comes to rest."""
        await asyncio.sleep(self._luck.choice(COLLECTED))
        async with self._controller(who, config, None):
            await asyncio.wait((story,), timeout=self._luck.choice((10.0, 100.0, 1000.0)))

    @asynccontextmanager
    async def _controller(
        self, who: str, config: Config, writes: int | None
    ) -> AsyncIterator[tuple[Controller, asyncio.Event]]:
        api = RecordingApi(self._sandbox.store, who, self._record)
        line = DisorderlyTransport(api, self._luck, writes, self._calm)
        async with self._sandbox.controller(config, self._way(line)) as controller:
            yield controller, line.dead
        self._record.oddities += line.oddities

    async def _tell(self) -> None:
        for happening in self._scenario.story:
            await asyncio.sleep(happening.after)
            happening.deed.do(self._sandbox.store)

    async def _collect(self) -> None:
        """The garbage collector and the kubelets, in their own time."""
        collector, store = Collector(self._sandbox.store), self._sandbox.store
        changed = asyncio.Event()
        store.subscribe(lambda _: changed.set())
        while True:
            await changed.wait()
            changed.clear()
            await asyncio.sleep(self._luck.choice(COLLECTED))
            collector.collect()
            for pod in store.list(POD):
                if text(pod, "metadata.deletionTimestamp"):
                    store.delete(ref_of(pod), grace=0)


def _misbelieved(controller: Controller, sandbox: Sandbox) -> Iterator[str]:
    """What the controller knows of pods and groups, against what there is."""
    store, api = controller.store, sandbox.store
    schedulers = {name for profile in controller.triggers.profiles for name in profile.schedulers}
    pods = [pod for pod in api.list(POD) if text(pod, "spec.schedulerName") in schedulers]
    for pod in pods:
        row = store.pod(ref_of(pod).namespace, ref_of(pod).name)
        if row is None or (row.namespace, row.name, row.uid, row.version) != _life(pod):
            yield f"{ref_of(pod)} is known as {row}"
    if store.pod_count() != len(pods):
        yield f"{store.pod_count()} pods are known, {len(pods)} are there"
    for kind in store.group_kinds:
        there = {_life(group) for group in api.list(kind)}
        table = store.table(kind)
        known = {_life(group) for spot in table.spots() if (group := table.here(*spot)) is not None}
        yield from (f"group {one}" for one in sorted(there ^ known))


def _life(obj: Json) -> tuple[str, str, str, str]:
    ref = ref_of(obj)
    return ref.namespace, ref.name, ref.uid, text(obj, "metadata.resourceVersion")


@contextmanager
def _errors_noted(record: Record) -> Iterator[None]:
    """What a controller logs as an error nobody expected."""
    log = logging.getLogger("podgrouper")
    noting = _Noting(record)
    log.addHandler(noting)
    level, propagates = log.level, log.propagate
    log.propagate = False
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.removeHandler(noting)
        log.propagate = propagates
        log.setLevel(level)


class _Noting(logging.Handler):
    def __init__(self, record: Record) -> None:
        super().__init__(logging.ERROR)
        self._record = record

    def emit(self, record: logging.LogRecord) -> None:
        trace = f": {record.exc_info[1]!r}" if record.exc_info else ""
        self._record.faults.append(f"logged: {record.getMessage()}{trace}")
