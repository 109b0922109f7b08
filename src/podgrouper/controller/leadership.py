"""Holding the Lease: waiting for it, keeping it, giving it back.

Whoever holds it writes; whoever waits keeps its view of the cluster warm, and writes nothing. The right to
write ends by itself: `may_write` looks at the clock, so that a process that was stopped for a while, and
goes on in the middle of its work, starts no request any more.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from podgrouper.controller.election import (
    LEASE,
    NOBODY,
    Observed,
    Record,
    Terms,
    claimed,
    given_back,
    lease_of,
    observed,
    patch_of,
    record_of,
)
from podgrouper.core.fields import ref_of
from podgrouper.core.model import Json
from podgrouper.kube.client import Client
from podgrouper.kube.errors import ApiError, NotFound

log = logging.getLogger(__name__)

GIVING_BACK_SECONDS = 1.0


class LostLease(Exception):
    """It could not be renewed in time, or somebody else holds it: others may write now."""


def since_boot() -> float:
    """Seconds that also pass while the machine sleeps and while this process is stopped."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


@dataclass(frozen=True, slots=True)
class Candidacy:
    """Which lease, and under what name we ask for it. A name belongs to one life of one process."""

    namespace: str
    lease: str
    name: str
    terms: Terms

    def __str__(self) -> str:
        return f"Lease {self.namespace}/{self.lease}"


class Leadership:
    """One candidate for one lease.

    Its client is its own: a renewal waits behind no other request.
    """

    def __init__(
        self,
        client: Client,
        candidacy: Candidacy,
        *,
        clock: Callable[[], float] = since_boot,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.client = client
        self._candidacy = candidacy
        self._terms = candidacy.terms
        self._clock = clock
        self._now = now
        self._seen: Observed | None = None
        self._mine: Json | None = None
        """The lease as our last write left it: renewed without reading it, as long as that goes well."""
        self._until = 0.0
        self._leaving = False
        self._told = ""
        self._one_write = asyncio.Lock()
        """A renewal that is under way would make giving it back a conflict."""

    def may_write(self) -> bool:
        """Nobody else can hold the lease at this moment, and not for a while."""
        return not self._leaving and self._clock() < self._until

    async def win(self) -> None:
        """Comes back when the lease is ours."""
        told = ""
        while not await self._attempt():
            holder = self._seen.record.holder if self._seen else ""
            if holder != told:
                log.info("%s is held by %s: waiting", self._candidacy, holder)
                told = holder
            await asyncio.sleep(self._terms.retry_seconds / 2)
        log.info("%s is ours, as %s", self._candidacy, self._candidacy.name)

    async def keep(self) -> None:
        """Renews until it is given back. Raises `LostLease` when that does not go well any more."""
        while True:
            await asyncio.sleep(self._terms.retry_seconds)
            if not self._leaving and not self.may_write():
                raise LostLease(f"{self._candidacy} could not be renewed in time")
            async with self._one_write:
                if self._leaving:
                    return
                await self._attempt()
            if self._seen and self._seen.record.holder != self._candidacy.name:
                raise LostLease(f"{self._candidacy} is held by {self._seen.record.holder or 'nobody'} now")

    async def give_back(self) -> None:
        """Those who wait need not wait until the lease is old. Best effort, and quick."""
        if not self.may_write():
            return
        self._leaving = True
        try:
            async with asyncio.timeout(GIVING_BACK_SECONDS), self._one_write:
                lease = self._mine or await self._lease()
                if lease and record_of(lease).holder == self._candidacy.name:
                    record = given_back(record_of(lease), self._now())
                    await self.client.merge_patch(ref_of(lease), patch_of(lease, record))
        except (ApiError, TimeoutError) as error:
            log.warning("%s was not given back, others wait until it is old: %s", self._candidacy, error)

    async def _attempt(self) -> bool:
        """Takes or renews the lease if that can be done now. A request that hangs ends before it matters."""
        asked = self._clock()
        try:
            async with asyncio.timeout(self._terms.renew_seconds / 2):
                return await self._claim(asked)
        except TimeoutError:
            self._tell("no answer in time")
        except ApiError as error:
            self._tell(str(error))
        return False

    def _tell(self, trouble: str) -> None:
        """Once, as long as it is the same one."""
        if trouble != self._told:
            log.warning("%s: %s", self._candidacy, trouble)
        self._told = trouble

    async def _claim(self, asked: float) -> bool:
        lease, self._mine = self._mine or await self._lease(), None
        self._see(record_of(lease) if lease else NOBODY)
        assert self._seen is not None
        if not self._seen.free_for(self._candidacy.name, self._clock(), self._terms):
            return False
        wanted = claimed(self._seen.record, self._candidacy.name, self._terms, self._now())
        self._mine = await self._write(lease, wanted)
        self._see(record_of(self._mine))
        self._until = asked + self._terms.renew_seconds
        self._told = ""
        return True

    async def _lease(self) -> Json | None:
        try:
            return await self.client.get(LEASE, self._candidacy.namespace, self._candidacy.lease)
        except NotFound:
            return None

    async def _write(self, lease: Json | None, record: Record) -> Json:
        if lease is None:
            namespace, name = self._candidacy.namespace, self._candidacy.lease
            return await self.client.create(LEASE, namespace, lease_of(namespace, name, record))
        return await self.client.merge_patch(ref_of(lease), patch_of(lease, record))

    def _see(self, record: Record) -> None:
        self._seen = observed(self._seen, record, self._clock())
