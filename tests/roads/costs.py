"""The road stage by stage as the controller walks it, and how long each stage takes for one object.

In seconds of the processor, for other things run beside the tests; and as a usual machine would take, by
what the same machine takes at the same time for something known.
"""

import gc
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

import msgspec

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.controller.shapes import pod_shape
from podgrouper.controller.tables import Table
from podgrouper.core.fields import kind_of
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import Ending, Json, Kind, Ref
from podgrouper.core.owners import chain_of
from podgrouper.core.plans import CreateGroup
from podgrouper.core.pods import PodRows
from podgrouper.core.road import Claims, boundary_of, plan_changes, walk
from podgrouper.core.workloads import Unseen
from podgrouper.kube.decoding import Decoder, object_of
from podgrouper.memory.world import World
from podgrouper.wiring import wire

T = TypeVar("T")

LONGEST = 0.05
"""Seconds that one object may hold up all others."""
SHARED = 2.0
"""Who runs beside the tests shares the caches of the processor, and makes everything so much slower."""
TRIES = 3
_USUAL = 0.006
_KNOWN = json.dumps([{"name": f"name-{n}", "uid": f"uid-{n}", "controller": False} for n in range(22_000)])


class Stopwatch:
    """What every stage took, at best of some tries."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, stage: str, work: Callable[[], T]) -> T:
        for _ in range(TRIES):
            started = time.thread_time()
            found = work()
            taken = time.thread_time() - started
            self.seconds[stage] = min(taken, self.seconds.get(stage, taken))
        return found


class SeenOnce(World):
    """Trims each object once, as the controller does when it arrives."""

    def __init__(self, objects: Iterable[Json], unreadable: Mapping[Kind, Ending]) -> None:
        super().__init__(objects, unreadable)
        self._seen: dict[tuple[Kind, str, str, str], Json | Ending] = {}

    def object(self, kind: Kind, namespace: str, name: str, uid: str = "", /) -> Json | Ending:
        asked = (kind, namespace, name, uid)
        if asked not in self._seen:
            self._seen[asked] = super().object(*asked)
        return self._seen[asked]


def too_slow(seconds: Mapping[str, float]) -> Mapping[str, float]:
    """The stages that hold up others."""
    return {stage: taken for stage, taken in seconds.items() if taken > LONGEST * SHARED * slowness()}


@cache
def slowness() -> float:
    """How much slower this machine is than a usual one; never faster."""
    watch = Stopwatch()
    watch("known", lambda: json.loads(_KNOWN))
    return max(1.0, watch.seconds["known"] / _USUAL)


@cache
def profile_called(name: str) -> Profile:
    """As it is built in."""
    profiles = wire(Config(profiles=BUILT_IN), {}).profiles
    return next(profile for profile in profiles if profile.name == name)


def costs_of_pod(data: bytes, profile: Profile) -> Mapping[str, float]:
    """From the line of a watch to the request that makes its group."""
    watch = Stopwatch()
    with _collector_away():
        pod = _decoded(data, Decoder(pod_shape(profile.reads)), watch)
        if pod is not None:
            watch("keep", lambda: _kept(object_of(data), profile))
            _walked(pod, (object_of(data),), profile, watch)
    return watch.seconds


def costs_of_owner(data: bytes, member: Json, profile: Profile) -> Mapping[str, float]:
    """Of an owner of that pod, and what it makes of the pod's group."""
    watch = Stopwatch()
    with _collector_away():
        owner = _decoded(data, Decoder(), watch)
        if owner is not None:
            watch("keep", lambda: _kept(owner, profile))
            _walked(member, (owner, member), profile, watch)
    return watch.seconds


def _decoded(data: bytes, decoder: Decoder, watch: Stopwatch) -> Json | None:
    """None where the decoder passes it over."""
    line = b'{"type":"ADDED","object":' + data + b"}\n"
    return watch("decode", lambda: decoder.lines(line)).lines[0].object


def _kept(obj: Json, profile: Profile) -> None:
    kind = kind_of(obj)
    Table(kind, profile.reads.paths.get(kind, ())).put(obj)


def _walked(pod: Json, objects: tuple[Json, ...], profile: Profile, watch: Stopwatch) -> None:
    world = SeenOnce(objects, {})
    world.see((profile,))
    row = watch("row", lambda: PodRows(profile.reads).row(pod))
    boundary = watch("boundary", lambda: boundary_of(row, chain_of(row, world.object), profile, world))
    if not isinstance(boundary, Ref):
        return
    decision = watch("walk", lambda: walk(boundary, [row], profile, world))
    assert not isinstance(decision, Unseen)
    claims = Claims()
    claims.stake(decision)
    plan = watch("changes", lambda: plan_changes(decision, profile.dialect, world.group, claims))
    made = [change.object for change in plan.changes if isinstance(change, CreateGroup)]
    watch("encode", lambda: msgspec.json.encode(made))


@contextmanager
def _collector_away() -> Iterator[None]:
    """What a pass of Python's garbage collector costs depends on all that the test process holds."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
