"""Several candidates, one lease: at most one of them may write at any moment, and soon somebody may."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from podgrouper.controller.election import LEASE, Terms, record_of
from podgrouper.controller.leadership import Candidacy, Leadership, LostLease
from podgrouper.core.fields import ref_of
from podgrouper.kube.client import Client
from podgrouper.kube.errors import unreachable
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer
from podgrouper.sandbox.transport import MemoryTransport
from tests.roads import virtual_time
from tests.roads.sandboxed import BIRTH, Sandbox

TERMS = Terms(lease_seconds=15, renew_seconds=10, retry_seconds=2)
NAMESPACE = "default"


class Line(MemoryTransport):
    """The way of one candidate to the API server; it can be cut, or take a request and never answer."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox.api)
        self.cut = False
        self.hangs = False
        self.delay = 0.0

    async def send(self, request: Request) -> Answer:
        if self.cut:
            raise unreachable(request.asked, "no route", sent=False)
        await asyncio.sleep(self.delay)
        answer = await super().send(request)
        if self.hangs:
            await asyncio.Event().wait()
        return answer


@dataclass
class Candidate:
    """One replica: waits for the lease, then keeps it until it is lost or told to stop."""

    sandbox: Sandbox
    name: str
    off_by: timedelta = timedelta()
    stopped_for: float = 0.0
    lost: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.line = Line(self.sandbox)
        candidacy = Candidacy(NAMESPACE, "podgrouper", self.name, TERMS)
        self.leadership = Leadership(
            Client(self.line), candidacy, clock=lambda: now() + self.stopped_for, now=self._clock
        )

    async def run(self) -> None:
        await self.leadership.win()
        try:
            await self.leadership.keep()
        except LostLease as error:
            self.lost.append(str(error))

    def _clock(self):
        return BIRTH + timedelta(seconds=now()) + self.off_by


def now() -> float:
    return asyncio.get_running_loop().time()


def writers(*candidates: Candidate) -> str:
    return "".join(one.name for one in candidates if one.leadership.may_write())


async def until(condition: Callable[[], bool], within: float) -> float:
    """Seconds until it holds, looked at ten times a second."""
    begun = now()
    while not condition():
        assert now() - begun < within, "it took too long"
        await asyncio.sleep(0.1)
    return now() - begun


def play(scene: Coroutine[object, object, None]) -> None:
    virtual_time.run(scene)


@pytest.mark.parametrize(
    "off_by",
    [
        pytest.param(timedelta(), id="clocks agree"),
        pytest.param(timedelta(hours=-5), id="the holder's clock is hours late"),
        pytest.param(timedelta(hours=5), id="the holder's clock is hours early"),
    ],
)
def test_there_is_one_writer_and_it_stays_the_same(off_by):
    sandbox = Sandbox()
    first, second = Candidate(sandbox, "a", off_by), Candidate(sandbox, "b")
    seen: set[str] = set()

    async def two_minutes() -> None:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(first.run())]
            await until(lambda: writers(first) == "a", within=1)
            running.append(tasks.create_task(second.run()))
            for _ in range(1200):
                seen.add(writers(first, second))
                await asyncio.sleep(0.1)
            for task in running:
                task.cancel()

    play(two_minutes())

    assert seen == {"a"}


def test_whoever_may_not_renew_stops_writing_and_waits_until_it_may_again(caplog):
    sandbox = Sandbox()
    holder, later = Candidate(sandbox, "a"), Candidate(sandbox, "b")
    took: list[float] = []

    async def without_the_right() -> None:
        async with asyncio.TaskGroup() as tasks:
            leading = tasks.create_task(holder.run())
            await until(lambda: writers(holder) == "a", within=1)
            sandbox.api.denied |= {("patch", LEASE)}
            await leading
            waiting = tasks.create_task(later.run())
            await asyncio.sleep(600)
            assert writers(holder, later) == ""
            sandbox.api.denied.clear()
            took.append(await until(lambda: writers(later) == "b", within=5))
            waiting.cancel()

    play(without_the_right())

    assert (len(holder.lost), len(took)) == (1, 1)
    assert len([line for line in caplog.messages if "cannot patch" in line]) == 2


@pytest.mark.parametrize("who", [pytest.param("a", id="the holder's"), pytest.param("b", id="the other's")])
@pytest.mark.parametrize(
    "jumps",
    [
        pytest.param([timedelta(days=1)], id="ahead"),
        pytest.param([timedelta(days=-1)], id="back"),
        pytest.param([timedelta(hours=3), timedelta(hours=-3)] * 5, id="to and fro"),
    ],
)
def test_a_wall_clock_that_jumps_costs_nobody_the_lease(who, jumps):
    sandbox = Sandbox()
    candidates = {name: Candidate(sandbox, name) for name in "ab"}
    seen: set[str] = set()

    async def five_minutes() -> None:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(candidates["a"].run())]
            await until(lambda: writers(candidates["a"]) == "a", within=1)
            running.append(tasks.create_task(candidates["b"].run()))
            for second in range(300):
                candidates[who].off_by = jumps[second // 10 % len(jumps)]
                seen.add(writers(*candidates.values()))
                await asyncio.sleep(1)
            for task in running:
                task.cancel()

    play(five_minutes())

    assert seen == {"a"}


def test_what_is_given_back_is_taken_within_two_seconds():
    sandbox = Sandbox()
    first, second = Candidate(sandbox, "a"), Candidate(sandbox, "b")
    took: list[float] = []

    async def handed_over() -> None:
        async with asyncio.TaskGroup() as tasks:
            leading = tasks.create_task(first.run())
            await until(lambda: writers(first) == "a", within=1)
            waiting = tasks.create_task(second.run())
            await asyncio.sleep(30)
            leading.cancel()
            await first.leadership.give_back()
            took.append(await until(lambda: writers(first, second) == "b", within=20))
            waiting.cancel()

    play(handed_over())

    assert took[0] <= 2


def test_who_dies_is_followed_within_the_lease_and_five_seconds():
    sandbox = Sandbox()
    first, second = Candidate(sandbox, "a"), Candidate(sandbox, "b")
    took: list[float] = []

    async def killed() -> None:
        async with asyncio.TaskGroup() as tasks:
            leading = tasks.create_task(first.run())
            await until(lambda: writers(first) == "a", within=1)
            waiting = tasks.create_task(second.run())
            await asyncio.sleep(31)
            leading.cancel()
            took.append(await until(lambda: writers(second) == "b", within=60))
            waiting.cancel()

    play(killed())

    assert TERMS.lease_seconds - TERMS.retry_seconds <= took[0] <= TERMS.lease_seconds + 5


@pytest.mark.parametrize("how", ["cut", "hangs"])
def test_who_cannot_renew_stops_writing_before_somebody_else_begins(how):
    sandbox = Sandbox()
    first, second = Candidate(sandbox, "a"), Candidate(sandbox, "b")
    seen: list[str] = []

    async def partitioned() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(first.run())
            await until(lambda: writers(first) == "a", within=1)
            waiting = tasks.create_task(second.run())
            await asyncio.sleep(20)
            setattr(first.line, how, True)
            for _ in range(1000):
                seen.append(writers(first, second))
                await asyncio.sleep(0.1)
            waiting.cancel()

    play(partitioned())

    assert list(dict.fromkeys(seen)) == ["a", "", "b"]
    assert len(first.lost) == 1


def test_a_process_that_was_stopped_may_not_write_when_it_goes_on():
    """Its own clock tells it: no timer of it has rung yet, and no answer has come."""
    sandbox = Sandbox()
    first = Candidate(sandbox, "a")
    may: list[bool] = []

    async def stopped() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(first.run())
            await until(lambda: writers(first) == "a", within=1)
            await asyncio.sleep(5)
            first.stopped_for = TERMS.lease_seconds + 1
            may.append(first.leadership.may_write())

    play(stopped())

    assert may == [False]
    assert len(first.lost) == 1


def test_a_lease_that_somebody_deletes_is_made_again():
    sandbox = Sandbox()
    first = Candidate(sandbox, "a")

    async def deleted() -> None:
        async with asyncio.TaskGroup() as tasks:
            leading = tasks.create_task(first.run())
            await until(lambda: writers(first) == "a", within=1)
            (lease,) = sandbox.store.list(LEASE)
            sandbox.store.delete(ref_of(lease))
            await asyncio.sleep(20)
            leading.cancel()

    play(deleted())

    (lease,) = sandbox.store.list(LEASE)
    assert record_of(lease).holder == "a"
    assert first.lost == []


def test_a_renewal_is_one_request():
    sandbox = Sandbox()
    first = Candidate(sandbox, "a")

    async def a_minute() -> None:
        async with asyncio.TaskGroup() as tasks:
            leading = tasks.create_task(first.run())
            await until(lambda: writers(first) == "a", within=1)
            sandbox.asked.clear()
            await asyncio.sleep(60)
            leading.cancel()

    play(a_minute())

    assert {request.method for request in sandbox.asked} == {"PATCH"}
    assert len(sandbox.asked) in (29, 30)


def test_whoever_stops_without_the_lease_leaves_it_alone():
    sandbox = Sandbox()
    first, second = Candidate(sandbox, "a"), Candidate(sandbox, "b")

    async def stood_by() -> None:
        async with asyncio.TaskGroup() as tasks:
            leading = tasks.create_task(first.run())
            await until(lambda: writers(first) == "a", within=1)
            waiting = tasks.create_task(second.run())
            await asyncio.sleep(3)
            waiting.cancel()
            await second.leadership.give_back()
            leading.cancel()

    play(stood_by())

    (lease,) = sandbox.store.list(LEASE)
    assert record_of(lease).holder == "a"


@pytest.mark.parametrize("after", [0.0, 0.5, 1.0, 1.3, 1.6, 1.9])
def test_what_is_given_back_is_not_lost_however_long_that_takes(after):
    """It is renewed every two seconds; giving it back takes two requests, and somebody looks meanwhile."""
    sandbox = Sandbox()
    first = Candidate(sandbox, "a")

    async def given_back_slowly() -> None:
        async with asyncio.TaskGroup() as tasks:
            leading = tasks.create_task(first.run())
            await until(lambda: writers(first) == "a", within=1)
            first.line.delay = 0.4
            await asyncio.sleep(after)
            await first.leadership.give_back()
            await asyncio.sleep(10)
            leading.cancel()

    play(given_back_slowly())

    (lease,) = sandbox.store.list(LEASE)
    assert (record_of(lease).holder, first.lost) == ("", [])
