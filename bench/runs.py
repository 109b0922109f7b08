"""One run of one contender: with pods that were there before it, or with pods that come while it runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import msgspec

from bench.asked import asked_between
from bench.contenders import Contender, Starter, running
from bench.harness import CONTENDER, SERVER, Bench, Look
from bench.machine import between
from bench.observations import Observation, Start, middle
from bench.orders import Linked, Make

STARTS = 3


def cost_of_start(bench: Bench, start: Starter) -> Start:
    """Of a contender that finds an empty cluster: the median of a few."""
    starts = [_start(bench, start) for _ in range(STARTS)]
    return Start(
        middle([one.seconds for one in starts]),
        middle([one.cpu for one in starts]),
        middle([one.server_cpu for one in starts]),
    )


def backlog(bench: Bench, start: Starter, order: Make, cost: Start) -> Observation:
    """All pods are there before the contender is. What its start costs anyway is taken off."""
    with bench.plane.namespace() as namespace:
        bench.loading.make(msgspec.structs.replace(order, namespace=namespace))
        bench.be_still()
        before = bench.look_before()
        with running(start) as contender:
            seen = bench.loading.linked(Linked(namespace, order.gangs * order.members))
            bench.be_still(contender)
            after = bench.look_after(contender)
        found = observed(before, after, order.gangs * order.members)
    return replace(
        found,
        seconds=seen.last - before.use.at - cost.seconds,
        cpu=found.cpu - cost.cpu,
        server_cpu=found.server_cpu - cost.server_cpu,
    )


def live(bench: Bench, start: Starter, order: Make) -> Observation:
    """The contender is there before the pods are."""
    with bench.plane.namespace() as namespace, ready(bench, start) as contender:
        before = bench.look_before(contender)
        made = bench.loading.make(msgspec.structs.replace(order, namespace=namespace))
        seen = bench.loading.linked(Linked(namespace, made.count))
        bench.be_still(contender)
        found = observed(before, bench.look_after(contender), made.count)
    return replace(found, seconds=seen.last - made.began, waits=seen.waits)


@contextmanager
def ready(bench: Bench, start: Starter) -> Iterator[Contender]:
    """A contender that has seen what there is, and rests."""
    with running(start) as contender:
        contender.wait_until_ready()
        bench.be_still(contender)
        yield contender


def observed(before: Look, after: Look, pods: int) -> Observation:
    """What lies between two looks, per contender that did it."""
    spent = between(before.use, after.use)
    grown = {ask: count - before.known.get(ask, 0) for ask, count in after.known.items()}
    return Observation(
        pods=pods,
        seconds=spent.seconds,
        cpu=spent.cpu[CONTENDER],
        server_cpu=spent.cpu[SERVER],
        others=spent.others,
        asked=asked_between(before.asked, after.asked, grown),
    )


def _start(bench: Bench, start: Starter) -> Start:
    bench.be_still()
    before = bench.look_before()
    with running(start) as contender:
        contender.wait_until_ready()
        seconds = bench.look_after(contender).use.at - before.use.at
        bench.be_still(contender)
        found = observed(before, bench.look_after(contender), pods=1)
    return Start(seconds, found.cpu, found.server_cpu)
