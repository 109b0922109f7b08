"""Owner references on clusters that guard owners (admission `OwnerReferencesPermissionEnforcement`).

Who sets `blockOwnerDeletion` there needs `update` on the finalizers of the owner. Without that right the
reference goes without the flag: the owner's foreground deletion does not wait for the group then, and
nothing else differs. A right that was lacking is tried again after a minute.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from podgrouper.core.fields import items, kind_of, mapping
from podgrouper.core.model import Json, Kind
from podgrouper.kube.errors import ApiError, Forbidden

AGAIN_SECONDS = 60.0


def refuses_blocking(error: ApiError) -> bool:
    """Measured on 1.36: 403, "cannot set blockOwnerDeletion if an ownerReference refers to …"."""
    return isinstance(error, Forbidden) and "blockOwnerDeletion" in error.message


@dataclass(slots=True)
class Blocking:
    """Which kinds of owners may not be blocked by us, as far as refusals told."""

    _refused: dict[Kind, float] = field(default_factory=dict)
    """When it was refused last."""

    def refused(self, obj: Json, now: float) -> None:
        """The server does not say which of the owners it meant."""
        for kind in _blocked(obj):
            self._refused[kind] = now

    def permitted(self, obj: Json, now: float) -> Json:
        """The object, or the patch, as it may be written. The same one when nothing has to go."""
        forbidden = {kind for kind, then in self._refused.items() if now - then < AGAIN_SECONDS}
        if not forbidden.intersection(_blocked(obj)):
            return obj
        owners = [_unblocked(entry, forbidden) for entry in _owners(obj)]
        return {**obj, "metadata": {**mapping(obj, "metadata"), "ownerReferences": owners}}


def _owners(obj: Json) -> Iterable[Json]:
    return items(obj, "metadata.ownerReferences")


def _blocked(obj: Json) -> frozenset[Kind]:
    return frozenset(kind_of(entry) for entry in _owners(obj) if entry.get("blockOwnerDeletion") is True)


def _unblocked(entry: Mapping[str, object], forbidden: set[Kind]) -> Json:
    if kind_of(entry) not in forbidden:
        return entry
    return {key: value for key, value in entry.items() if key != "blockOwnerDeletion"}
