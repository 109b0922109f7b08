"""A cluster that was read from files: everything is seen, and what is written is there at once."""

from collections.abc import Iterable, Mapping
from itertools import count

from podgrouper.core.difference import merged
from podgrouper.core.fields import kind_of, ref_of
from podgrouper.core.fields import uid as uid_of
from podgrouper.core.interfaces import Profile, Reads
from podgrouper.core.model import POD, Ending, Json, Kind, Pod
from podgrouper.core.plans import Change, CreateGroup, DeleteGroup, LinkPod, Report, UpdateGroup
from podgrouper.core.pods import PodRows
from podgrouper.core.trimming import trimmed

PRIORITY_CLASS = Kind("scheduling.k8s.io/v1", "PriorityClass")
Place = tuple[Kind, str, str]


class World:
    """Objects by kind, namespace and name. A `Sight` that never has to look again."""

    def __init__(self, objects: Iterable[Json], unreadable: Mapping[Kind, Ending]) -> None:
        self._objects: dict[Place, Json] = {_place(obj): obj for obj in objects}
        self._known = {uid_of(obj) for obj in self._objects.values()}
        self._unreadable = unreadable
        self._profiles: tuple[Profile, ...] = ()
        self._reads = Reads()
        self._rows = PodRows(self._reads)
        self._uids = count(1)

    def see(self, profiles: tuple[Profile, ...], more: Reads | None = None) -> None:
        """From now on pods and owners show what these profiles (and `more`) declared, and nothing else."""
        self._profiles = profiles
        self._reads |= more or Reads()
        for profile in profiles:
            self._reads |= profile.reads
        self._rows = PodRows(self._reads)

    def pods(self) -> list[Pod]:
        return [self._rows.row(pod) for pod in self.of_kind(POD)]

    def of_kind(self, kind: Kind) -> list[Json]:
        """By namespace and name."""
        return [self._objects[place] for place in sorted(self._objects) if place[0] == kind]

    def all(self) -> Iterable[Json]:
        """Every object, as the file says it."""
        return tuple(self._objects.values())

    def whole(self, kind: Kind, namespace: str, name: str) -> Json | None:
        """The object as the file says it, with what no profile reads; None where it is hidden or absent."""
        if kind in self._unreadable:
            return None
        return self._objects.get((kind, namespace, name)) or self._objects.get((kind, "", name))

    def hidden(self, kind: Kind) -> Ending | None:
        """Why objects of this kind cannot be read; None when they can."""
        return self._unreadable.get(kind)

    def _put(self, obj: Json) -> None:
        self._objects[_place(obj)] = obj

    def object(self, kind: Kind, namespace: str, name: str, uid: str = "", /) -> Json | Ending:
        if kind in self._unreadable:
            return self._unreadable[kind]
        found = self._objects.get((kind, namespace, name)) or self._objects.get((kind, "", name))
        if found is None:
            return Ending.ELSEWHERE if uid and uid in self._known else Ending.MISSING
        if uid and ref_of(found).uid != uid:
            return Ending.OTHER_UID
        return trimmed(found, self._reads.paths.get(kind, ()))

    def group(self, kind: Kind, namespace: str, name: str) -> Json | None:
        return self._objects.get((kind, namespace, name))

    def groups(self, kind: Kind, namespace: str, prefix: str, /) -> Mapping[str, Json]:
        refs = ((ref_of(group), group) for group in self.of_kind(kind))
        return {
            ref.name: group
            for ref, group in refs
            if ref.namespace == namespace and ref.name.startswith(prefix)
        }

    def labelled_pods(self, namespace: str, wanted: tuple[tuple[str, str], ...], /) -> tuple[Pod, ...]:
        return tuple(
            pod
            for pod in self.pods()
            if pod.namespace == namespace and all(pod.labels.get(key) == value for key, value in wanted)
        )

    def priority_classes(self) -> frozenset[str] | None:
        if PRIORITY_CLASS in self._unreadable:
            return None
        return frozenset(ref_of(obj).name for obj in self.of_kind(PRIORITY_CLASS))

    def apply(self, change: Change) -> None:
        """Carries out one change, as an API server without opinions would."""
        match change:
            case CreateGroup(ref, obj):
                identity = {"metadata": {"uid": f"00000000-0000-4000-8000-{next(self._uids):012}"}}
                self._put(_merged(obj, identity))
            case UpdateGroup(ref, _, patch):
                self._put(_merged(self._objects[ref.kind, ref.namespace, ref.name], patch))
            case DeleteGroup(ref):
                del self._objects[ref.kind, ref.namespace, ref.name]
            case LinkPod(pod, _, patch):
                keys = {"annotations": dict(patch.annotations), "labels": dict(patch.labels)}
                metadata = {key: value for key, value in keys.items() if value}
                self._put(_merged(self._objects[POD, pod.namespace, pod.name], {"metadata": metadata}))
            case Report():
                pass


def _merged(target: Json, patch: Json) -> Json:
    result = merged(target, patch)
    assert isinstance(result, Mapping)
    return result


def _place(obj: Json) -> Place:
    ref = ref_of(obj)
    return (kind_of(obj), ref.namespace, ref.name)
