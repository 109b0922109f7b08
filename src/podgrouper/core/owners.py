"""The owner chain: the pod, its controller, that one's controller … up to the last readable object.

Rule of the API: at most one owner is the managing controller; an object may have plain owners besides.
We follow the controller and, where there is none, the first reference.
"""

from collections.abc import Mapping
from typing import Protocol

from podgrouper.core.fields import controller_ref, foremost_owners, ref_of, uid
from podgrouper.core.model import Chain, Ending, Json, Kind, Owner, OwnerRef, Pod, Ref
from podgrouper.core.reasons import Reason

DEPTH_LIMIT = 16
"""Owners above a pod that are followed. Real chains end at five (Knative); a longer one is a mistake."""

UNREAD: Mapping[Ending, tuple[Reason, str]] = {
    Ending.FORBIDDEN: (Reason.OWNER_FORBIDDEN, "may not be read: grant get, list and watch"),
    Ending.UNKNOWN_KIND: (Reason.OWNER_KIND_UNKNOWN, "is of a kind that is not served: install its CRD"),
}
"""Endings that leave a workload shorter than it is, with what a person can do about it."""


class Lookup(Protocol):
    """Kind, namespace of the pod, name and uid -> the object with that uid, or why it cannot be had.

    The object of that name in the namespace, else a cluster-scoped one. The uid is part of the question,
    because only who answers knows whether another uid is old news of his own (`UNSEEN`: look again) or the
    truth (`OTHER_UID`).
    """

    def __call__(self, kind: Kind, namespace: str, name: str, uid: str, /) -> Json | Ending: ...


def next_owner(owners: tuple[OwnerRef, ...]) -> OwnerRef | None:
    """The reference that leads on: the controller's, else the first."""
    return controller_ref(owners) or (owners[0] if owners else None)


def chain_of(pod: Pod, lookup: Lookup) -> Chain:
    """Follows the owners of a pod.

    Stops, and says why, at the first reference that cannot be followed. Always ends, whatever the
    references say: an object that was passed already, or too many of them, end it as well.
    """
    owners: list[Owner] = []
    passed = {pod.uid}
    reference = next_owner(pod.owners)
    while reference is not None:
        found = _followed(reference, pod.namespace, passed, lookup)
        if isinstance(found, Ending):
            return Chain(tuple(owners), found, reference)
        if len(owners) == DEPTH_LIMIT:
            return Chain(tuple(owners), Ending.TOO_DEEP, reference)
        passed.add(reference.uid)
        owners.append(Owner(_ref(reference, found), found))
        reference = next_owner(foremost_owners(found))
    return Chain(tuple(owners))


def _followed(reference: OwnerRef, namespace: str, passed: set[str], lookup: Lookup) -> Json | Ending:
    if not reference.complete:
        return Ending.MALFORMED
    if reference.uid in passed:
        return Ending.CYCLE
    found = lookup(reference.kind, namespace, reference.name, reference.uid)
    if isinstance(found, Ending):
        return found
    return found if uid(found) == reference.uid else Ending.OTHER_UID


def _ref(reference: OwnerRef, found: Json) -> Ref:
    """Named as the reference names it: the version of the reference is the one that was asked for."""
    return Ref(reference.kind, ref_of(found).namespace, reference.name, reference.uid)
