"""One run of one contender: with pods that were there before it, or with pods that come while it runs."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import msgspec

from bench.asked import asked_between
from bench.contenders import Contender, Entry, running
from bench.harness import CONTENDER, SERVER, Bench, Look
from bench.machine import between
from bench.observations import Beside, Observation, Start, beside_each_other, middle
from bench.orders import Kubelet, Linked, Make, Seen

STARTS = 3
_PATIENCE = 300
"""Looks at a contender that has not linked everything yet."""


class NotLinked(Exception):
    """A contender runs and does not do its work."""


def backlog(bench: Bench, entry: Entry, order: Make) -> Observation:
    """All pods are there before the contender is. What its start costs anyway is taken off."""
    meet(bench, entry, order)
    cost = cost_of_start(bench, entry)
    with bench.namespace() as namespace:
        made = bench.loading.make(placed(namespace, order))
        bench.be_still()
        before = bench.look_before()
        with running(entry) as contender:
            seen = until_linked(bench, contender, Linked(namespace, made.count))
            bench.be_still(contender)
            found = observed(before, bench.look_after(contender), made.count)
    return replace(found, seconds=max(seen.linked) - before.use.at).without(cost)


def live(bench: Bench, entry: Entry, order: Make) -> Observation:
    """Pods come to a contender that has met one such workload already."""
    meet(bench, entry, order)
    with bench.namespace() as namespace, ready(bench, entry) as contender:
        link_one(bench, contender, namespace, order)
        before = bench.look_before(contender)
        made = bench.loading.make(placed(namespace, order))
        seen = until_linked(bench, contender, Linked(namespace, made.count, order.name))
        bench.be_still(contender)
        found = observed(before, bench.look_after(contender), made.count)
    return replace(found, seconds=max(seen.linked) - made.began, waits=seen.waits)


def churn(bench: Bench, entry: Entry, order: Make) -> Observation:
    """The status of linked pods changes as it does when they start: per change, not per pod."""
    with bench.namespace() as namespace, ready(bench, entry) as contender:
        made = bench.loading.make(placed(namespace, order))
        until_linked(bench, contender, Linked(namespace, made.count))
        bench.be_still(contender)
        before = bench.look_before(contender)
        changed = bench.loading.play_kubelet(Kubelet(namespace))
        bench.be_still(contender)
        return observed(before, bench.look_after(contender), changed.count)


def restart(bench: Bench, entry: Entry, order: Make) -> Observation:
    """Everything was linked by an earlier life of the contender."""
    cost = cost_of_start(bench, entry)
    with bench.namespace() as namespace:
        with ready(bench, entry) as contender:
            made = bench.loading.make(placed(namespace, order))
            until_linked(bench, contender, Linked(namespace, made.count))
            bench.be_still(contender)
        bench.be_still()
        before = bench.look_before()
        with running(entry) as contender:
            contender.wait_until_ready()
            bench.be_still(contender)
            return observed(before, bench.look_after(contender), made.count).without(cost)


def beside(bench: Bench, entry: Entry, order: Make, small: Make) -> Beside:
    """A small workload comes when a twentieth of a big one is linked."""
    with bench.namespace() as namespace:
        made = bench.loading.make(placed(namespace, order))
        bench.be_still()
        before = bench.look_before()
        with running(entry) as contender:
            until_linked(bench, contender, Linked(namespace, made.count // 20, order.name))
            bench.loading.make(placed(namespace, small))
            small_one = until_linked(bench, contender, Linked(namespace, small.members, small.name))
            big_one = until_linked(bench, contender, Linked(namespace, made.count, order.name))
            others = between(before.use, bench.look_after(contender).use).others
    return beside_each_other(small_one, big_one, others)


def until_linked(bench: Bench, contender: Contender, order: Linked) -> Seen:
    """Waits. Raises when the contender has ended, and when it is not done after ten minutes."""
    for _ in range(_PATIENCE):
        contender.expect_running()
        if (seen := bench.loading.linked(order)) is not None:
            return seen
    raise NotLinked(f"{order}: not within {_PATIENCE * order.within:g} s")


def meet(bench: Bench, entry: Entry, order: Make) -> None:
    """The first workload of a kind costs the server more than all others, so it counts for nobody."""
    if order.shape in bench.met:
        return
    bench.met.add(order.shape)
    with bench.namespace() as namespace, ready(bench, entry) as contender:
        link_one(bench, contender, namespace, order)


def link_one(bench: Bench, contender: Contender, namespace: str, order: Make) -> None:
    """A first workload: whatever is looked for once per kind has been."""
    first = msgspec.structs.replace(placed(namespace, order), name="first", gangs=1, members=1, rate=0.0)
    bench.loading.make(first)
    until_linked(bench, contender, Linked(namespace, 1, first.name))
    bench.be_still(contender)


def cost_of_start(bench: Bench, entry: Entry) -> Start:
    """Of a contender that finds an empty cluster: the median of a few, measured once."""
    if entry.name not in bench.costs:
        starts = [_start(bench, entry) for _ in range(STARTS)]
        bench.costs[entry.name] = Start(
            middle([one.seconds for one in starts]),
            middle([one.cpu for one in starts]),
            middle([one.server_cpu for one in starts]),
        )
    return bench.costs[entry.name]


@contextmanager
def ready(bench: Bench, entry: Entry) -> Iterator[Contender]:
    """A contender that has seen what there is, and rests."""
    with running(entry) as contender:
        contender.wait_until_ready()
        bench.be_still(contender)
        yield contender


def observed(before: Look, after: Look, pods: int) -> Observation:
    """What lies between two looks."""
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


def _start(bench: Bench, entry: Entry) -> Start:
    bench.be_still()
    before = bench.look_before()
    with running(entry) as contender:
        contender.wait_until_ready()
        seconds = time.monotonic() - before.use.at
        bench.be_still(contender)
        found = observed(before, bench.look_after(contender), pods=1)
    return Start(seconds, found.cpu, found.server_cpu)


def placed(namespace: str, order: Make) -> Make:
    """The same in a namespace."""
    return msgspec.structs.replace(order, namespace=namespace)
