"""How fast we may ask."""

import asyncio

import pytest

from podgrouper.kube.errors import Forbidden, TooMany, Unavailable
from podgrouper.kube.pace import Pace


class Time:
    """Passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self._waiting: list[tuple[float, asyncio.Future[None]]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((self.now + seconds, done))
        await done

    async def until(self, everything: "asyncio.Future[object]") -> None:
        """Lets time pass from one awakening to the next, until that is done."""
        for _ in range(1000):
            for _ in range(20):
                await asyncio.sleep(0)
            if everything.done():
                return
            self._waiting.sort(key=lambda entry: entry[0])
            self.now, done = self._waiting.pop(0)
            done.set_result(None)


@pytest.fixture
def time() -> Time:
    return Time()


async def moments(pace: Pace, time: Time, count: int, lasting: float = 0.0) -> list[float]:
    """When each of so many requests began that all come at once."""
    began: list[float] = []

    async def one() -> None:
        async with pace.turn():
            began.append(time.now)
            await time.sleep(lasting)

    everything = asyncio.gather(*(one() for _ in range(count)))
    await time.until(everything)
    return began


def paced(time: Time, **how: object) -> Pace:
    return Pace(**how, now=time, sleep=time.sleep)


async def test_no_more_than_so_many_are_in_flight(time):
    assert await moments(paced(time, in_flight=2), time, 5, lasting=1.0) == [0.0, 0.0, 1.0, 1.0, 2.0]


async def test_first_come_first_served(time):
    pace, order = paced(time, in_flight=1), []

    async def one(number: int) -> None:
        async with pace.turn():
            order.append(number)

    await asyncio.gather(*(one(number) for number in range(20)))

    assert order == list(range(20))


async def test_so_many_at_once_and_then_so_many_a_second(time):
    began = await moments(paced(time, qps=2.0, burst=3), time, 6)

    assert began == pytest.approx([0.0, 0.0, 0.0, 0.5, 1.0, 1.5])


async def test_without_a_burst_it_is_as_many_as_a_second_allows(time):
    assert await moments(paced(time, qps=2.0), time, 4) == pytest.approx([0.0, 0.0, 0.5, 1.0])


async def test_what_was_not_used_is_not_saved_up_beyond_the_burst(time):
    pace = paced(time, qps=2.0, burst=2)
    time.now = 100.0

    assert await moments(pace, time, 4) == pytest.approx([100.0, 100.0, 100.5, 101.0])


@pytest.mark.parametrize(
    ("error", "begins"),
    [
        pytest.param(TooMany("slow", retry_after=7.0), 7.0, id="429"),
        pytest.param(Unavailable("down", retry_after=3.0), 3.0, id="503"),
        pytest.param(TooMany("slow", retry_after=1e9), 60.0, id="for ever"),
        pytest.param(TooMany("slow"), 0.0, id="429 without a time"),
        pytest.param(Forbidden("no", retry_after=7.0), 0.0, id="403 asks for no patience"),
    ],
)
async def test_everybody_waits_while_the_server_asks_for_it(time, error, begins):
    pace = paced(time)
    pace.obey(error)

    assert await moments(pace, time, 2) == [begins, begins]


async def test_a_shorter_pause_does_not_shorten_a_longer_one(time):
    pace = paced(time)
    pace.obey(TooMany("slow", retry_after=7.0))
    pace.obey(TooMany("slow", retry_after=1.0))

    assert await moments(pace, time, 1) == [7.0]


async def test_an_overloaded_server_is_asked_half_as_much_at_once(time):
    pace = paced(time, in_flight=4)
    pace.obey(TooMany("slow"))

    assert await moments(pace, time, 5, lasting=1.0) == [0.0, 0.0, 1.0, 1.0, 2.0]


async def test_refusals_at_the_same_time_are_one_sign_of_overload(time):
    pace = paced(time, in_flight=16)
    for _ in range(16):
        pace.obey(TooMany("slow"))
    first = pace.in_flight
    time.now += 1.0
    pace.obey(TooMany("slow"))

    assert (first, pace.in_flight) == (8, 4)


async def test_one_request_is_always_allowed(time):
    pace = paced(time, in_flight=2)
    for second in range(10):
        time.now = float(second)
        pace.obey(TooMany("slow"))

    assert pace.in_flight == 1


async def test_what_goes_well_makes_room_again_but_not_beyond_the_limit(time):
    pace = paced(time, in_flight=4)
    pace.obey(TooMany("slow"))
    for _ in range(3):
        pace.went_well()
    after_a_round = pace.in_flight
    for _ in range(100):
        pace.went_well()

    assert (after_a_round, pace.in_flight) == (3, 4)


async def test_who_gives_up_waiting_takes_no_place(time):
    pace = paced(time, in_flight=1)
    async with pace.turn():
        waiting = [asyncio.ensure_future(raising(pace)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
    waiting[1].cancel()  # whose turn it has just become
    await asyncio.gather(*waiting, return_exceptions=True)

    assert await moments(pace, time, 1) == [0.0]


async def test_a_failed_request_gives_its_place_back(time):
    pace = paced(time, in_flight=1)
    with pytest.raises(ZeroDivisionError):
        await raising(pace)

    assert await moments(pace, time, 1) == [0.0]


async def raising(pace: Pace) -> None:
    async with pace.turn():
        raise ZeroDivisionError


@pytest.mark.parametrize("how", [{"in_flight": 0}, {"qps": 0.0}, {"qps": -1.0}, {"burst": 0}])
def test_a_pace_that_never_ends_is_refused(how):
    with pytest.raises(ValueError, match="never ends"):
        Pace(**how)
