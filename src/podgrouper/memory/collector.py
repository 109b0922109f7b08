"""Garbage collection: what goes when its owners go, and what a finalizer of the collector waits for.

In a real cluster kube-controller-manager does this, some moments later. Here it is a step that
somebody takes: the sandbox after every write, a test whenever it likes. It looks only at objects that
something happened to, so it costs the same in a small store and in a large one.
"""

from contextlib import suppress

from podgrouper.core.fields import being_deleted, items, mapping, owner_refs, ref_of, text, uid
from podgrouper.core.model import Json, OwnerRef, Ref
from podgrouper.memory.builtins import NAMESPACE
from podgrouper.memory.deletion import FOREGROUND, ORPHAN
from podgrouper.memory.history import Change, Event
from podgrouper.memory.patches import MERGE
from podgrouper.memory.refusals import Refused
from podgrouper.memory.resources import Resource
from podgrouper.memory.store import Store

MANAGER = "kube-controller-manager"
Found = tuple[Resource, Json]


class Collector:
    """Watches a store and takes its garbage away when told to."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._alive: dict[str, Found] = {}
        self._below: dict[str, dict[str, None]] = {}
        """Owner's uid -> uids of what refers to it, in the order in which it came."""
        self._touched: dict[str, None] = {}
        for resource, obj in store.everything():
            self._see(resource, obj)
        self.close = store.subscribe(self._on)

    @property
    def idle(self) -> bool:
        """Nothing happened since the last `collect` that could make garbage."""
        return not self._touched

    def collect(self) -> int:
        """Takes garbage away until there is none. Gives the number of writes. Idempotent."""
        before = self._store.version
        while self._touched:
            found = self._alive.get(next(iter(self._touched)))
            del self._touched[next(iter(self._touched))]
            if found:
                self._look_at(*found)
        return self._store.version - before

    def _on(self, event: Event) -> None:
        if event.previous is not None:
            for owner in owner_refs(event.previous):
                self._below.get(owner.uid, {}).pop(uid(event.previous), None)
        if event.change is not Change.DELETED:
            self._see(event.resource, event.object)
            return
        gone = uid(event.object)
        self._alive.pop(gone, None)
        self._touched |= self._below.get(gone, {})
        self._touched |= {owner.uid: None for owner in owner_refs(event.object)}
        self._touch_namespace(text(event.object, "metadata.namespace"))

    def _see(self, resource: Resource, obj: Json) -> None:
        owners = owner_refs(obj)
        self._alive[uid(obj)] = (resource, obj)
        for owner in owners:
            self._below.setdefault(owner.uid, {})[uid(obj)] = None
        if owners or being_deleted(obj):
            self._touched[uid(obj)] = None
        if being_deleted(obj):
            self._touched |= {owner.uid: None for owner in owners}
            self._touch_namespace(text(obj, "metadata.namespace"))

    def _touch_namespace(self, name: str) -> None:
        namespace = self._store.find(NAMESPACE, "", name) if name else None
        if namespace is not None and being_deleted(namespace):
            self._touched[uid(namespace)] = None

    def _look_at(self, resource: Resource, obj: Json) -> None:
        if _waits(obj, ORPHAN):
            self._orphan(resource, obj)
        elif _waits(obj, FOREGROUND):
            self._delete_below(resource, obj)
        elif resource.kind == NAMESPACE and being_deleted(obj):
            self._empty(obj)
        elif not being_deleted(obj) and self._ownerless(obj):
            self._delete(resource, obj, "Background")

    def _orphan(self, resource: Resource, obj: Json) -> None:
        """`orphan`: the dependents lose the reference, then the owner loses the finalizer."""
        for kind, dependent in self._dependents(obj):
            references = items(dependent, "metadata.ownerReferences")
            kept = [entry for entry in references if entry.get("uid") != uid(obj)]
            self._patch(kind, dependent, {"ownerReferences": kept})
        self._take_finalizer(resource, obj, ORPHAN)

    def _delete_below(self, resource: Resource, obj: Json) -> None:
        """`foregroundDeletion`: the dependents go first, and those that block hold their owner."""
        for kind, dependent in self._dependents(obj):
            others = [owner for owner in owner_refs(dependent) if owner.uid != uid(obj)]
            if not being_deleted(dependent) and not any(self._stays(owner, dependent) for owner in others):
                self._delete(kind, dependent, "Foreground")
        if not any(_blocks(dependent, obj) for _, dependent in self._dependents(obj)):
            self._take_finalizer(resource, obj, FOREGROUND)

    def _empty(self, namespace: Json) -> None:
        """What the namespace controller does: contents first, then the namespace."""
        name = text(namespace, "metadata.name")
        inside = [found for found in self._alive.values() if text(found[1], "metadata.namespace") == name]
        for kind, obj in inside:
            self._delete(kind, obj, "Background", grace=0)
        left = any(text(obj, "metadata.namespace") == name for _, obj in self._alive.values())
        latest = self._store.find(NAMESPACE, "", name)
        if not left and latest is not None:
            emptied = {**latest, "spec": {**mapping(latest, "spec"), "finalizers": []}}
            self._store.update(emptied, manager=MANAGER, subresource="finalize")

    def _ownerless(self, obj: Json) -> bool:
        """Garbage: there are owners, and none of them exists any more under its uid."""
        owners = owner_refs(obj)
        return bool(owners) and not any(self._exists(owner, obj) for owner in owners)

    def _exists(self, owner: OwnerRef, dependent: Json) -> bool:
        """An owner lives in the same namespace or in none: a reference to elsewhere counts as absent."""
        found = self._alive.get(owner.uid)
        where = text(found[1], "metadata.namespace") if found else ""
        return found is not None and where in ("", text(dependent, "metadata.namespace"))

    def _stays(self, owner: OwnerRef, dependent: Json) -> bool:
        """An owner that is there and is not itself waiting for its dependents to go."""
        found = self._alive.get(owner.uid)
        return found is not None and self._exists(owner, dependent) and not _waits(found[1], FOREGROUND)

    def _dependents(self, obj: Json) -> list[Found]:
        return [self._alive[below] for below in self._below.get(uid(obj), {}) if below in self._alive]

    def _take_finalizer(self, resource: Resource, obj: Json, finalizer: str) -> None:
        there = mapping(obj, "metadata").get("finalizers")
        kept = [entry for entry in there if entry != finalizer] if isinstance(there, list) else []
        self._patch(resource, obj, {"finalizers": kept})

    def _patch(self, resource: Resource, obj: Json, metadata: Json) -> None:
        """On the condition that it is still that object; one that went meanwhile needs nothing."""
        ref = _ref(resource, obj)
        with suppress(Refused):
            patch = {"metadata": {"uid": ref.uid, **metadata}}
            self._store.patch(ref, MERGE, patch, manager=MANAGER)

    def _delete(self, resource: Resource, obj: Json, policy: str, grace: int | None = None) -> None:
        ref = _ref(resource, obj)
        with suppress(Refused):
            self._store.delete(ref, uid=ref.uid, propagation=policy, grace=grace)


def collect(store: Store) -> int:
    """Takes all garbage of a store away, once. Gives the number of writes."""
    collector = Collector(store)
    try:
        return collector.collect()
    finally:
        collector.close()


def _waits(obj: Json, finalizer: str) -> bool:
    there = mapping(obj, "metadata").get("finalizers")
    return being_deleted(obj) and isinstance(there, list) and finalizer in there


def _blocks(dependent: Json, owner: Json) -> bool:
    return any(entry.uid == uid(owner) and entry.block_owner_deletion for entry in owner_refs(dependent))


def _ref(resource: Resource, obj: Json) -> Ref:
    ref = ref_of(obj)
    return Ref(resource.kind, ref.namespace, ref.name, ref.uid)
