"""What the controller knows of the cluster. Synchronous: between two awaits nothing here changes.

Watches and the answers of our own requests fill it; the road looks at it through a `Look`, which writes
down what was looked at, so that exactly those keys run again when it changes.
"""

from collections.abc import Iterable, Mapping

from podgrouper.controller.identities import Spot
from podgrouper.controller.shelf import Shelf
from podgrouper.controller.tables import State, Table, number
from podgrouper.core.fields import text
from podgrouper.core.interfaces import Profile, Reads
from podgrouper.core.model import Ending, Json, Kind, Pod
from podgrouper.core.pods import PodRows

PRIORITY_CLASS = Kind("scheduling.k8s.io/v1", "PriorityClass")
Labels = tuple[tuple[str, str], ...]
Place = tuple[Kind, str, str]
"""An object that was looked at: kind, namespace (none when cluster-scoped) and name."""
PodQuery = tuple[str, Labels]
"""Pods that were looked for: namespace and labels."""


class Store:
    """Tables of objects and one of pods."""

    def __init__(self, profiles: Iterable[Profile], managers: frozenset[str]) -> None:
        profiles = tuple(profiles)
        self.reads = Reads()
        for profile in profiles:
            self.reads |= profile.reads
        self.group_kinds = tuple(dict.fromkeys(profile.dialect.kind for profile in profiles))
        self._rows = PodRows(self.reads)
        self._pods = Shelf()
        kept = {profile.dialect.kind for profile in profiles if profile.upkeep.any}
        self._tables = {
            kind: Table(kind, {""}, managers, with_status=kind in kept) for kind in self.group_kinds
        }

    def table(self, kind: Kind) -> Table:
        found = self._tables.get(kind)
        if found is None:
            found = self._tables[kind] = Table(kind, self.reads.paths.get(kind, ()))
        return found

    def forget(self, kind: Kind) -> None:
        """Nobody asks for this kind any more. PodGroups are always asked for."""
        if kind not in self.group_kinds:
            self._tables.pop(kind, None)

    def tables(self) -> tuple[Table, ...]:
        return tuple(self._tables.values())

    def pod(self, namespace: str, name: str) -> Pod | None:
        return self._pods.row(namespace, name)

    def pod_names(self, scheduler: str, namespace: str = "") -> dict[str, set[str]]:
        """The pods of a scheduler, in one namespace or in each of them."""
        return self._pods.names(scheduler, namespace)

    def pod_count(self) -> int:
        return len(self._pods)

    def put_pod(self, obj: Json) -> tuple[Pod | None, Pod] | None:
        """The row before and now; None when this is old news, or no pod at all."""
        namespace, name = text(obj, "metadata.namespace"), text(obj, "metadata.name")
        return self._put_pod(obj, self._pods.row(namespace, name)) if namespace and name else None

    def _put_pod(self, obj: Json, before: Pod | None) -> tuple[Pod | None, Pod] | None:
        if before and _known(obj, before):
            return None
        row = self._rows.row(obj)
        self._pods.put(row)
        return before, row

    def put_pod_answer(self, obj: Json) -> tuple[Pod | None, Pod] | None:
        """As `put_pod`, for the answer of our own write: a pod that the watch has seen off stays off."""
        before = self.pod(text(obj, "metadata.namespace"), text(obj, "metadata.name"))
        return self._put_pod(obj, before) if before and before.uid == text(obj, "metadata.uid") else None

    def remove_pod(self, namespace: str, name: str, *, uid: str = "", version: str = "") -> Pod | None:
        """The row that went; None when it was gone, or when what is here is a younger namesake."""
        row = self._pods.row(namespace, name)
        if row is None or (uid and uid != row.uid and number(version) < number(row.version)):
            return None
        self._pods.drop(namespace, name)
        return row

    def groups(self, kind: Kind, namespace: str, prefix: str) -> Mapping[str, Json]:
        table = self.table(kind)
        spots = (spot for spot in table.spots() if spot[0] == namespace and spot[1].startswith(prefix))
        return {spot[1]: group for spot in sorted(spots) if (group := table.here(*spot))}

    def labelled_pods(self, namespace: str, labels: Labels) -> tuple[Pod, ...]:
        return tuple(pod for pod in self._pods.within(namespace) if carries(pod, labels))

    def priority_classes(self) -> frozenset[str] | None:
        """As they were when they could be read last; None when they never could."""
        table = self.table(PRIORITY_CLASS)
        names = frozenset(name for _, name in table.spots())
        return None if table.state is State.READ_ONE_BY_ONE and not names else names

    def look(self) -> "Look":
        return Look(self)


class Look:
    """One look at the store, a `Sight` for the road. It remembers what was looked at."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.places: set[Place] = set()
        self.queries: set[PodQuery] = set()

    def object(self, kind: Kind, namespace: str, name: str, uid: str = "", /) -> Json | Ending:
        table = self._store.table(kind)
        self.places.add((kind, *table.spot(namespace, name)))
        if table.state is State.UNKNOWN:
            # Until discovery says so nobody knows whether the kind has namespaces.
            self.places.add((kind, "", name))
        return table.look(namespace, name, uid)

    def group(self, kind: Kind, namespace: str, name: str, /) -> Json | None:
        self.places.add((kind, namespace, name))
        return self._store.table(kind).here(namespace, name)

    def groups(self, kind: Kind, namespace: str, prefix: str, /) -> Mapping[str, Json]:
        """A new one is noticed by whoever looks after its boundary: `Triggers` sees to that."""
        found = self._store.groups(kind, namespace, prefix)
        self.places.update((kind, namespace, name) for name in found)
        return found

    def labelled_pods(self, namespace: str, labels: Labels, /) -> tuple[Pod, ...]:
        self.queries.add((namespace, labels))
        return self._store.labelled_pods(namespace, labels)

    def priority_classes(self) -> frozenset[str] | None:
        self.places.add((PRIORITY_CLASS, "", ""))
        return self._store.priority_classes()


def _known(obj: Json, row: Pod) -> bool:
    """The object is that of the row, or older. Our own writes come back as news that we know."""
    version = text(obj, "metadata.resourceVersion")
    if version == row.version:
        return text(obj, "metadata.uid") == row.uid
    return 0 < number(version) < number(row.version)


def carries(pod: Pod, wanted: Labels) -> bool:
    labels: Mapping[str, str] = pod.labels
    return all(labels.get(key) == value for key, value in wanted)


__all__ = ["Look", "Place", "PodQuery", "Spot", "Store", "carries"]
