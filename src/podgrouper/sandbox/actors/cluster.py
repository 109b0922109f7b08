"""The cluster as an actor sees it: what belongs to whom, what time it is, and how to change things.

Every write is about the object that the actor looked at: one that went meanwhile, or that the API server
refuses, costs nothing but another look.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime

from podgrouper.core.fields import controller_ref, kind_of, owner_refs, ref_of, text, uid
from podgrouper.core.model import Json, Kind, Ref
from podgrouper.memory.builtins import EVENT
from podgrouper.memory.history import Change, Event
from podgrouper.memory.patches import MERGE
from podgrouper.memory.refusals import Refused
from podgrouper.memory.store import Store
from podgrouper.memory.writing import with_metadata

MANAGER = "kube-controller-manager"


class Cluster:
    """A store with a clock, and with an index from controllers to what they control."""

    def __init__(self, store: Store, now: Callable[[], datetime]) -> None:
        self.store = store
        self._now = now
        self._controlled: dict[str, dict[str, Json]] = {}
        self._refused = False
        for _, obj in store.everything():
            self._see(obj)
        self.close = store.subscribe(self._on)

    @property
    def now(self) -> datetime:
        return self._now()

    @property
    def time(self) -> str:
        """Now, as objects write it."""
        return self.now.strftime("%Y-%m-%dT%H:%M:%SZ")

    def controlled(self, owner: Json, kind: Kind) -> tuple[Json, ...]:
        """The objects of a kind that this owner controls, by name."""
        found = self._controlled.get(uid(owner), {}).values()
        return tuple(sorted((obj for obj in found if kind_of(obj) == kind), key=_name))

    def controller_of(self, obj: Json, kind: Kind) -> Json | None:
        """What controls the object, if it is of that kind and there."""
        reference = controller_ref(owner_refs(obj))
        if reference is None or reference.kind != kind:
            return None
        found = self.store.find(kind, text(obj, "metadata.namespace"), reference.name)
        return found if found is not None and uid(found) == reference.uid else None

    def create(self, obj: Json, owner: Json | None = None) -> Json | None:
        """The new object, controlled by its owner; None when it is refused, which the owner's events tell."""
        wanted = obj if owner is None else controlled_by(obj, owner)
        try:
            return self.store.create(wanted, manager=MANAGER)
        except Refused as refused:
            self._refused = True
            if owner is not None:
                self._warn(owner, f"Error creating: {refused.message}")
            return None

    def refused(self) -> bool:
        """Whether a create was refused since this was asked last."""
        found, self._refused = self._refused, False
        return found

    def change(self, obj: Json, patch: Mapping[str, object]) -> None:
        """A merge patch to that life of the object."""
        metadata = patch.get("metadata")
        with_uid = {**(metadata if isinstance(metadata, Mapping) else {}), "uid": uid(obj)}
        with suppress(Refused):
            self.store.patch(ref_of(obj), MERGE, {**patch, "metadata": with_uid}, manager=MANAGER)

    def report(self, obj: Json, status: Json) -> None:
        """The whole status is this from now on. An equal one is no write."""
        latest = self._latest(obj)
        if latest is None:
            return
        door = "status" if self.store.catalog.resource(kind_of(obj)).status else ""
        with suppress(Refused):
            self.store.update({**latest, "status": status}, manager=MANAGER, subresource=door)

    def delete(self, obj: Json, *, grace: int | None = None) -> None:
        with suppress(Refused):
            self.store.delete(ref_of(obj), uid=uid(obj), grace=grace)

    def _latest(self, obj: Json) -> Json | None:
        ref = ref_of(obj)
        found = self.store.find(ref.kind, ref.namespace, ref.name)
        return found if found is not None and uid(found) == ref.uid else None

    def _on(self, event: Event) -> None:
        if event.previous is not None:
            self._forget(event.previous)
        if event.change is not Change.DELETED:
            self._see(event.object)

    def _see(self, obj: Json) -> None:
        controller = controller_ref(owner_refs(obj))
        if controller is not None:
            self._controlled.setdefault(controller.uid, {})[uid(obj)] = obj

    def _forget(self, obj: Json) -> None:
        controller = controller_ref(owner_refs(obj))
        if controller is None:
            return
        left = self._controlled.get(controller.uid, {})
        left.pop(uid(obj), None)
        if not left:
            self._controlled.pop(controller.uid, None)

    def _warn(self, about: Json, message: str) -> None:
        """One event for each object, with what was refused last."""
        ref = ref_of(about)
        where = Ref(EVENT, ref.namespace or "default", f"{ref.name}.failed-create")
        found = self.store.find(EVENT, where.namespace, where.name)
        if found is not None:
            self.change(found, {"message": message, "lastTimestamp": self.time})
            return
        event = {
            "apiVersion": EVENT.api_version,
            "kind": EVENT.kind,
            "metadata": {"name": where.name, "namespace": where.namespace},
            "involvedObject": reference_to(about) | {"namespace": ref.namespace},
            "type": "Warning",
            "reason": "FailedCreate",
            "message": message,
            "firstTimestamp": self.time,
            "lastTimestamp": self.time,
            "source": {"component": MANAGER},
        }
        with suppress(Refused):
            self.store.create(event, manager=MANAGER)


def reference_to(obj: Json) -> dict[str, object]:
    ref = ref_of(obj)
    return {"apiVersion": ref.kind.api_version, "kind": ref.kind.kind, "name": ref.name, "uid": ref.uid}


def controlled_by(obj: Json, owner: Json) -> Json:
    """The object in its owner's namespace, with the reference that makes it the owner's."""
    reference = reference_to(owner) | {"controller": True, "blockOwnerDeletion": True}
    namespace = text(owner, "metadata.namespace")
    return with_metadata(obj, namespace=namespace, ownerReferences=[reference])


def _name(obj: Json) -> str:
    return text(obj, "metadata.name")
