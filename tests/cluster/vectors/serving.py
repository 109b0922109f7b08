"""CRDs for every kind that vectors speak of, in the operators' groups, names, versions and scopes.

Their schemas let everything pass: what fields hold is the operators' business, and that of the vectors.
"""

from collections.abc import Iterable, Iterator

from podgrouper.core.fields import kind_of
from podgrouper.core.kinds import plural_of
from podgrouper.core.model import Json, Kind
from tests.cluster import objects
from tests.cluster.api import CRD, Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.vectors.batches import kinds_in
from tests.cluster.vectors.restoring import is_custom
from tests.cluster.waiting import eventually


def serve(plane: ControlPlane, worlds: Iterable[Json]) -> None:
    """Comes back when all of them are served."""
    known = {crd["metadata"]["name"] for crd in plane.api.all_of(CRD)}
    for crd in _crds(list(worlds)):
        if crd["metadata"]["name"] not in known:
            plane.api.create(crd)
    eventually(lambda: _waiting(plane), lambda waiting: not waiting, within=60)


def _waiting(plane: ControlPlane) -> list[str]:
    return [crd["metadata"]["name"] for crd in plane.api.all_of(CRD) if not _established(crd)]


def _established(crd: Object) -> bool:
    conditions = crd.get("status", {}).get("conditions", ())
    return any(entry["type"] == "Established" and entry["status"] == "True" for entry in conditions)


def _crds(worlds: list[Json]) -> Iterator[Object]:
    """With a status subresource, as all of these operators have it; a kind without namespaces says so."""
    versions: dict[tuple[str, str], set[str]] = {}
    for kind in kinds_in(worlds):
        if is_custom(kind):
            versions.setdefault((kind.group, kind.kind), set()).add(kind.version)
    homeless = {kind_of(obj) for obj in worlds if not obj["metadata"].get("namespace")}
    for (group, word), names in versions.items():
        stored, *others = sorted(names)
        kind = Kind(f"{group}/{stored}", word)
        yield objects.crd(kind, plural_of(word), *others, status=True, namespaced=kind not in homeless)
