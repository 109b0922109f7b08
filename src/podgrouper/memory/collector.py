"""Garbage collection: what goes when its owners go, and what a finalizer of the collector waits for.

In a real cluster kube-controller-manager does this, some moments later. Here it is one step that
somebody takes: the sandbox after every write, a test whenever it likes.
"""

from collections.abc import Iterable
from contextlib import suppress

from podgrouper.core.fields import being_deleted, mapping, owner_refs, ref_of, text, uid
from podgrouper.core.model import Json, OwnerRef, Ref
from podgrouper.memory.builtins import NAMESPACE
from podgrouper.memory.deletion import FOREGROUND, ORPHAN
from podgrouper.memory.patches import MERGE
from podgrouper.memory.refusals import Refused
from podgrouper.memory.resources import Resource
from podgrouper.memory.store import Store

_MANAGER = "kube-controller-manager"
_ROUNDS = 1000
"""Deeper than any chain of owners; a store that never comes to rest is a fault, not a wait."""


def collect(store: Store) -> int:
    """Takes garbage away until there is none. Gives the number of writes. Idempotent."""
    writes = 0
    for _ in range(_ROUNDS):
        done = _one_round(store)
        if not done:
            return writes
        writes += done
    raise AssertionError("garbage collection never comes to rest: is something created without end?")


def _one_round(store: Store) -> int:
    found = tuple(store.everything())
    alive = {uid(obj): obj for _, obj in found}
    dependents: dict[str, list[tuple[Resource, Json]]] = {}
    for resource, obj in found:
        for owner in owner_refs(obj):
            dependents.setdefault(owner.uid, []).append((resource, obj))
    return (
        sum(_orphaned(store, resource, obj, dependents.get(uid(obj), ())) for resource, obj in found)
        + sum(_foreground(store, resource, obj, dependents.get(uid(obj), ())) for resource, obj in found)
        + sum(_ownerless(store, resource, obj, alive) for resource, obj in found)
        + sum(_namespace(store, obj, found) for resource, obj in found if resource.kind == NAMESPACE)
    )


def _orphaned(store: Store, resource: Resource, obj: Json, below: Iterable[tuple[Resource, Json]]) -> int:
    """`orphan`: the dependents lose the reference, then the owner loses the finalizer."""
    if not _waits(obj, ORPHAN):
        return 0
    writes = 0
    for kind, dependent in below:
        kept = [entry for entry in _references(dependent) if entry.get("uid") != uid(obj)]
        writes += _patch(store, kind, dependent, {"ownerReferences": kept})
    return writes + _without_finalizer(store, resource, obj, ORPHAN)


def _foreground(store: Store, resource: Resource, obj: Json, below: Iterable[tuple[Resource, Json]]) -> int:
    """`foregroundDeletion`: the dependents go first; only those that block hold the owner."""
    if not _waits(obj, FOREGROUND):
        return 0
    below = tuple(below)
    gone = sum(
        _delete(store, kind, dependent, "Foreground")
        for kind, dependent in below
        if not being_deleted(dependent) and not _other_owners(store, dependent, obj)
    )
    if any(_blocks(dependent, obj) for _, dependent in below):
        return gone
    return gone + _without_finalizer(store, resource, obj, FOREGROUND)


def _ownerless(store: Store, resource: Resource, obj: Json, alive: dict[str, Json]) -> int:
    """Garbage: there are owners, and none of them exists any more under its uid."""
    owners = owner_refs(obj)
    if not owners or being_deleted(obj) or any(_exists(owner, obj, alive) for owner in owners):
        return 0
    return _delete(store, resource, obj, "Background")


def _exists(owner: OwnerRef, dependent: Json, alive: dict[str, Json]) -> bool:
    """An owner lives in the same namespace or in none: a reference to elsewhere counts as absent."""
    found = alive.get(owner.uid)
    if found is None:
        return False
    where = text(found, "metadata.namespace")
    return where in ("", text(dependent, "metadata.namespace"))


def _namespace(store: Store, obj: Json, found: Iterable[tuple[Resource, Json]]) -> int:
    """What the namespace controller does: contents first, then the namespace."""
    if not being_deleted(obj):
        return 0
    name = text(obj, "metadata.name")
    inside = [(kind, entry) for kind, entry in found if text(entry, "metadata.namespace") == name]
    writes = sum(_delete(store, kind, entry, "Background", grace=0) for kind, entry in inside)
    empty = not any(text(entry, "metadata.namespace") == name for _, entry in store.everything())
    latest = store.find(NAMESPACE, "", name)
    if latest is None or not empty:
        return writes
    emptied = {**latest, "spec": {**mapping(latest, "spec"), "finalizers": []}}
    store.update(emptied, manager=_MANAGER, subresource="finalize")
    return writes + 1


def _waits(obj: Json, finalizer: str) -> bool:
    finalizers = mapping(obj, "metadata").get("finalizers")
    return being_deleted(obj) and isinstance(finalizers, list | tuple) and finalizer in finalizers


def _blocks(dependent: Json, owner: Json) -> bool:
    return any(entry.uid == uid(owner) and entry.block_owner_deletion for entry in owner_refs(dependent))


def _other_owners(store: Store, dependent: Json, owner: Json) -> bool:
    """Somebody else who is there and stays still wants it."""
    for entry in owner_refs(dependent):
        if entry.uid == uid(owner):
            continue
        namespace = text(dependent, "metadata.namespace")
        other = store.find(entry.kind, namespace, entry.name)
        if other is not None and uid(other) == entry.uid and not _waits(other, FOREGROUND):
            return True
    return False


def _references(obj: Json) -> list[Json]:
    value = mapping(obj, "metadata").get("ownerReferences")
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list | tuple) else []


def _without_finalizer(store: Store, resource: Resource, obj: Json, finalizer: str) -> int:
    finalizers = mapping(obj, "metadata").get("finalizers")
    kept = (
        [entry for entry in finalizers if entry != finalizer] if isinstance(finalizers, list | tuple) else []
    )
    return _patch(store, resource, obj, {"finalizers": kept})


def _patch(store: Store, resource: Resource, obj: Json, metadata: Json) -> int:
    ref = _ref(resource, obj)
    before = store.version
    patch = {"metadata": {"uid": ref.uid, **metadata}}
    with suppress(Refused):
        store.patch(ref, MERGE, patch, manager=_MANAGER)
    return store.version - before


def _delete(store: Store, resource: Resource, obj: Json, policy: str, grace: int | None = None) -> int:
    """Counts only what changed something: a pod on its way out stays until its kubelet lets it go."""
    ref = _ref(resource, obj)
    before = store.version
    with suppress(Refused):
        store.delete(ref, uid=ref.uid, propagation=policy, grace=grace)
    return store.version - before


def _ref(resource: Resource, obj: Json) -> Ref:
    ref = ref_of(obj)
    return Ref(resource.kind, ref.namespace, ref.name, ref.uid)
