"""Workloads and pods that come and go, a few each second: a cluster in which something always happens.

Speaks with the API server itself, not through the proxy. The same seed makes the same choices.
"""

import itertools
import random
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from podgrouper.core.model import POD, Kind
from tests.cluster import objects
from tests.cluster.api import Api, Object, Refused, Unreachable, kind_of
from tests.cluster.scenes import KAI, VOLCANO

THING = Kind("tests.example.com/v1", "Thing")
THINGS = objects.crd(THING, "things")
MEMBERS = 3
ALIVE = 12
"""So many workloads there are, more or less, after some seconds."""
PAUSE_SECONDS = 0.1
_SCHEDULERS = (VOLCANO.scheduler, KAI.scheduler)
_FAILED = (Refused, Unreachable)


@dataclass(slots=True)
class Workload:
    """An owner and its pods, as far as they were made."""

    scheduler: str
    owner: Object
    pods: list[str] = field(default_factory=list)


class Load:
    """From `with` to its end one thing after the other happens in a namespace, unless it is `paused`.

    What fails, because the server is not there, is not tried again: users do not either.
    """

    def __init__(self, api: Api, namespace: str, seed: int) -> None:
        self._api = api
        self._namespace = namespace
        self._random = random.Random(seed)
        self._number = itertools.count()
        self._workloads: list[Workload] = []
        self._going = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="load")
        self._failure: Exception | None = None

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        if self._failure:
            raise self._failure

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The world stands still, and what was left behind by workloads that went is collected."""
        with self._going:
            self._collect()
            yield

    def add_one_of_each(self) -> None:
        """A workload for each scheduler, while it is paused: whoever still sees news has got news to see."""
        for scheduler in _SCHEDULERS:
            self._comes(scheduler)

    def _run(self) -> None:
        while not self._over.wait(PAUSE_SECONDS):
            try:
                with self._going:
                    self._something()
            except _FAILED:
                continue
            except Exception as failure:
                self._failure = failure
                return

    def _something(self) -> None:
        chance = self._random.random() * ALIVE * 2
        if chance >= len(self._workloads):
            self._comes(self._random.choice(_SCHEDULERS))
        elif chance < len(self._workloads) / 3:
            self._add_pod(self._random.choice(self._workloads))
        else:
            self._goes(self._workloads.pop(0))

    def _comes(self, scheduler: str) -> None:
        make = self._random.choice((_job, _replica_set, _thing))
        owner = self._api.create(make(self._namespace, f"w-{next(self._number)}", scheduler))
        workload = Workload(scheduler, owner)
        self._workloads.append(workload)
        for _ in range(MEMBERS):
            self._add_pod(workload)

    def _add_pod(self, workload: Workload) -> None:
        name = f"p-{next(self._number)}"
        workload.pods.append(name)
        self._api.create(objects.pod(self._namespace, name, workload.scheduler, workload.owner))

    def _goes(self, workload: Workload) -> None:
        self._delete(kind_of(workload.owner), workload.owner["metadata"]["name"])
        for pod in workload.pods:
            self._delete(POD, pod)

    def _delete(self, kind: Kind, name: str) -> None:
        try:
            self._api.delete(kind, self._namespace, name)
        except Refused as refused:
            if refused.status != 404:
                raise

    def _collect(self) -> None:
        """What the garbage collector of a cluster does: whatever is owned goes with its owner."""
        owners = {obj["metadata"]["uid"] for kind in OWNERS for obj in self._all_of(kind)}
        owners |= {pod["metadata"]["uid"] for pod in self._all_of(POD)}
        for kind in (POD, VOLCANO.group, KAI.group):
            for obj in self._all_of(kind):
                wanted = {owner["uid"] for owner in obj["metadata"].get("ownerReferences", ())}
                if wanted and not wanted & owners:
                    self._delete(kind, obj["metadata"]["name"])

    def _all_of(self, kind: Kind) -> list[Object]:
        return list(self._api.all_of(kind, self._namespace))


OWNERS = (Kind("batch/v1", "Job"), Kind("apps/v1", "ReplicaSet"), THING)


def _job(namespace: str, name: str, scheduler: str) -> Mapping[str, Any]:
    return objects.job(namespace, name, scheduler, MEMBERS)


def _replica_set(namespace: str, name: str, scheduler: str) -> Mapping[str, Any]:
    return objects.replica_set(namespace, name, scheduler, MEMBERS)


def _thing(namespace: str, name: str, _: str) -> Mapping[str, Any]:
    return objects.custom(THING, namespace, name)
