"""Stage 6 of the road, its impure part: the only place that writes.

A group is written before its pods are; groups, and the pods of one, are written side by side.
Every write is conditional on what was seen (uid, resourceVersion). The answer of a write stands in the
store until the watch brings the same.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass, field, replace

from podgrouper.controller.blocking import Blocking, refuses_blocking
from podgrouper.controller.linking import link_operations
from podgrouper.controller.meanings import meaning_of
from podgrouper.controller.outcomes import Failure, Outcome
from podgrouper.controller.reverts import Reverts
from podgrouper.controller.roster import Item
from podgrouper.controller.shapes import pod_shape
from podgrouper.controller.store import Store
from podgrouper.controller.triggers import Triggers
from podgrouper.core.changes import patch_of
from podgrouper.core.fields import being_deleted, kind_of, ref_of, uid
from podgrouper.core.groups import Group
from podgrouper.core.model import POD, Json, Key, Ref
from podgrouper.core.plans import (
    Change,
    CreateGroup,
    DeleteGroup,
    EvictPod,
    KeyPlan,
    LinkPod,
    Report,
    UpdateGroup,
    WriteStatus,
)
from podgrouper.kube.client import Client
from podgrouper.kube.decoding import Decoder
from podgrouper.kube.errors import AlreadyExists, ApiError, Conflict, Forbidden, NotFound

SIDE_BY_SIDE = 16
"""Writes of one key under way at once: more only wait in the server, and others want a turn too."""


@dataclass(slots=True)
class _Section:
    """A group and its pods: those that are to point at it, those that are to go."""

    group: CreateGroup | UpdateGroup | WriteStatus | None = None
    pods: list[LinkPod | EvictPod] = field(default_factory=list)


class Writer:
    """Carries out plans."""

    def __init__(self, client: Client, triggers: Triggers) -> None:
        self._client = client
        self._triggers = triggers
        self._store: Store = triggers.store
        self._reverts = Reverts()
        self._blocking = Blocking()
        self._pod_decoder = Decoder(pod_shape(triggers.store.reads))

    async def carry_out(self, plan: KeyPlan, groups: tuple[Group, ...] = ()) -> Outcome:
        """Makes the changes of one plan. Never raises ApiError: what failed is in the outcome."""
        reports = [change for change in plan.changes if isinstance(change, Report)]
        outcome = Outcome(groups, reports=reports, item=plan.key)
        sections, deletions = _sections(plan.changes)
        if len(sections) == 1:
            await self._section(sections[0], outcome)
        else:
            await _side_by_side((self._section(section, outcome) for section in sections), len(sections))
        for deletion in deletions:
            await self._attempt(deletion, outcome)
        return outcome

    async def _section(self, section: _Section, outcome: Outcome) -> None:
        if section.group and not await self._attempt(section.group, outcome):
            return
        await _side_by_side((self._attempt(pod, outcome) for pod in section.pods), len(section.pods))

    async def _attempt(self, change: Change, outcome: Outcome) -> bool:
        """Makes one change. True when whatever depends on it may go on."""
        place, meaning = meaning_of(change)
        truce = self._reverts.truce(place, meaning, _now())
        if truce:
            outcome.held_back(change, truce)
            return False
        try:
            made = await self._make(change, outcome)
        except ApiError as error:
            outcome.failures.append(Failure(change, error))
            await self._look_again(change, error)
            return False
        self._reverts.note(place, meaning, _now())
        outcome.done.append(made)
        return True

    def forget(self, item: Item) -> None:
        """There is nothing to forget: what was written lately is remembered by place, for a minute."""

    def forget_old(self) -> None:
        """What was written more than a minute ago is no reason to hold anything back."""
        self._reverts.forget_old(_now())

    async def _make(self, change: Change, outcome: Outcome) -> Change:
        """The change as it was made: a group that was created has got a uid."""
        match change:
            case CreateGroup():
                return replace(change, ref=ref_of(await self._write_group(change, outcome)))
            case UpdateGroup():
                await self._write_group(change, outcome)
            case DeleteGroup(ref, version):
                self._group_deleted(ref, await self._client.delete(ref, version=version))
            case LinkPod():
                await self._link(change)
            case WriteStatus(ref, version, patch, subresource):
                body = _guarded(patch, ref.uid, version)
                self._group_answered(ref, await self._client.merge_patch(ref, body, subresource=subresource))
            case EvictPod(pod):
                await self._client.evict(pod.ref)
            case Report():
                pass
        return change

    async def _link(self, change: LinkPod) -> None:
        pod = change.pod
        whole = self._store.table(POD).here(pod.namespace, pod.name) is not None
        read = None if whole else self._pod_decoder
        answer = await self._client.json_patch(pod.ref, link_operations(change), read)
        self._triggers.pod_linked(answer, change.patch)

    async def _write_group(self, change: CreateGroup | UpdateGroup, outcome: Outcome) -> Json:
        wanted = change.object if isinstance(change, CreateGroup) else change.patch
        permitted = self._blocking.permitted(wanted, _now())
        try:
            answer = await self._written(change, permitted)
        except Forbidden as error:
            if not refuses_blocking(error) or permitted is not wanted:
                raise
            self._blocking.refused(wanted, _now())
            permitted = self._blocking.permitted(wanted, _now())
            answer = await self._written(change, permitted)
        if permitted is not wanted:
            outcome.made_without_blocking(change)
        expected = isinstance(change, CreateGroup) and self._as_expected(permitted, answer, outcome.item)
        self._group_answered(change.ref, answer, expected_by=outcome.item if expected else None)
        return answer

    def _as_expected(self, body: Json, answer: Json, item: Item | None) -> bool:
        """Whoever asked for the group would change nothing of what came out."""
        return isinstance(item, Key) and not patch_of(
            body, answer, self._triggers.profile(item.profile).dialect
        )

    async def _written(self, change: CreateGroup | UpdateGroup, body: Json) -> Json:
        ref = change.ref
        if isinstance(change, CreateGroup):
            return await self._client.create(ref.kind, ref.namespace, body)
        return await self._client.merge_patch(ref, _guarded(body, ref.uid, change.version))

    async def _look_again(self, change: Change, error: ApiError) -> None:
        """What is there now decides the next try, not what we remember: somebody was quicker, or we were
        and did not hear of it."""
        quicker = isinstance(error, AlreadyExists | Conflict | NotFound) or error.wrong_uid
        if not quicker and not error.maybe_done:
            return
        try:
            await self._read(change)
        except ApiError:
            return  # the next try says so itself, if it still matters

    async def _read(self, change: Change) -> None:
        match change:
            case CreateGroup(ref) | UpdateGroup(ref) | DeleteGroup(ref) | WriteStatus(ref):
                table = self._store.table(ref.kind)
                try:
                    found = await self._client.get(ref.kind, ref.namespace, ref.name)
                except NotFound:
                    self._triggers.object_dropped(table, (ref.namespace, ref.name))
                else:
                    self._triggers.object_answered(table, found)
            case LinkPod(pod) | EvictPod(pod):
                try:
                    found = await self._client.get(POD, pod.namespace, pod.name)
                except NotFound:
                    self._triggers.pod_removed(pod.namespace, pod.name, uid=pod.uid)
                else:
                    self._triggers.pod_answered(found)
            case Report():
                pass

    def _group_deleted(self, ref: Ref, answer: Json) -> None:
        """The answer is the object as long as a finalizer holds it."""
        table = self._store.table(ref.kind)
        found = table.here(ref.namespace, ref.name)
        if kind_of(answer) == ref.kind and being_deleted(answer):
            self._group_answered(ref, answer)
        elif found is not None and uid(found) == ref.uid:
            self._triggers.object_dropped(table, (ref.namespace, ref.name))

    def _group_answered(self, ref: Ref, answer: Json, expected_by: Item | None = None) -> None:
        self._triggers.object_answered(self._store.table(ref.kind), answer, expected_by)


def _sections(changes: Sequence[Change]) -> tuple[list[_Section], list[DeleteGroup]]:
    """The changes by group, in the order of the plan."""
    sections: dict[tuple[str, str], _Section] = {}
    deletions: list[DeleteGroup] = []
    for change in changes:
        match change:
            case CreateGroup(ref) | UpdateGroup(ref) | WriteStatus(ref):
                sections.setdefault((ref.namespace, ref.name), _Section()).group = change
            case LinkPod(pod, group) | EvictPod(pod, group):
                sections.setdefault((pod.namespace, group), _Section()).pods.append(change)
            case DeleteGroup():
                deletions.append(change)
            case Report():
                pass
    return list(sections.values()), deletions


async def _side_by_side(works: Iterable[Coroutine[None, None, object]], count: int) -> None:
    """All of them, some at a time; none is begun before it is its turn."""
    waiting = iter(works)

    async def some() -> None:
        for work in waiting:
            await work

    async with asyncio.TaskGroup() as tasks:
        for _ in range(min(count, SIDE_BY_SIDE)):
            tasks.create_task(some())


def _guarded(patch: Json, uid: str, version: str) -> Json:
    """The patch with its preconditions: that life of the object, unchanged since we looked."""
    metadata = patch.get("metadata")
    guards: dict[str, object] = {"uid": uid, "resourceVersion": version}
    return {**patch, "metadata": {**(metadata if isinstance(metadata, dict) else {}), **guards}}


def _now() -> float:
    return asyncio.get_running_loop().time()
