"""PodGroups and their pods as they are now: read once, or followed as they change."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from podgrouper.core.fields import ref_of
from podgrouper.core.interfaces import Profile, Reads
from podgrouper.core.model import POD, Json, Kind
from podgrouper.core.pods import PodRows
from podgrouper.kube.client import Client
from podgrouper.kube.errors import ApiError, Forbidden, UnknownKind
from podgrouper.kube.requests import WatchSpec
from podgrouper.kube.watcher import watch
from podgrouper.kube.watching import Event, Failing, Put, Recovered, Removed, Restarted, Synced
from podgrouper.listing import Choice, Entry, entries

Place = tuple[Kind, str, str]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is read: the groups of these profiles, and the pods of their schedulers."""

    profiles: tuple[Profile, ...]
    namespaces: tuple[str, ...] = ("",)
    labels: str = ""
    """A label selector for groups, in Kubernetes' words."""

    def specs(self) -> Iterator[WatchSpec]:
        schedulers = sorted({name for profile in self.profiles for name in profile.schedulers})
        for namespace in self.namespaces:
            for kind in dict.fromkeys(profile.dialect.kind for profile in self.profiles):
                yield WatchSpec(kind, namespace, label_selector=self.labels)
            for scheduler in schedulers:
                yield WatchSpec(POD, namespace, field_selector=f"spec.schedulerName={scheduler}")


@dataclass(slots=True)
class Part:
    """What one list or watch has shown."""

    objects: dict[Place, Json] = field(default_factory=dict)
    listing: set[Place] | None = None
    known: bool = False
    error: ApiError | None = None

    def take(self, events: Sequence[Event]) -> None:
        for event in events:
            match event:
                case Put(obj):
                    self.objects[_place(obj)] = obj
                    if self.listing is not None:
                        self.listing.add(_place(obj))
                case Removed(obj):
                    self.objects.pop(_place(obj), None)
                case Restarted():
                    self.listing = set()
                case Synced():
                    gone = self.objects.keys() - (self.listing or set())
                    for place in gone:
                        del self.objects[place]
                    self.listing, self.known, self.error = None, True, None
                case Failing(error):
                    self.error = error
                case Recovered():
                    self.error = None


class Picture:
    """Everything that was shown, put together."""

    def __init__(self, selection: Selection) -> None:
        self._profiles = selection.profiles
        self.parts = {spec: Part() for spec in selection.specs()}
        reads = Reads(scheduling=True)
        for profile in selection.profiles:
            reads |= profile.dialect.reads
        self._rows = PodRows(reads)

    @property
    def complete(self) -> bool:
        """Everything was shown; what may not be read, or is not served, will not be."""
        return all(
            part.known or isinstance(part.error, Forbidden | UnknownKind) for part in self.parts.values()
        )

    def failures(self) -> tuple[ApiError, ...]:
        return tuple(part.error for part in self.parts.values() if part.error)

    def entries(self, choice: Choice | None = None) -> tuple[Entry, ...]:
        groups = self._of(lambda kind: kind != POD)
        pods = map(self._rows.row, self._of(lambda kind: kind == POD))
        return entries(groups, pods, self._profiles, choice)

    def _of(self, wanted: Callable[[Kind], bool]) -> Iterable[Json]:
        return [
            obj for spec, part in self.parts.items() if wanted(spec.kind) for obj in part.objects.values()
        ]


async def read(client: Client, selection: Selection) -> Picture:
    """As it is now. A kind that may not be read or is not served is in `failures`; raises other ApiErrors."""
    picture = Picture(selection)
    for spec, part in picture.parts.items():
        try:
            found = await client.list(spec)
        except (Forbidden, UnknownKind) as error:
            part.error = error
        else:
            part.take([Restarted(), *map(Put, found), Synced("")])
    return picture


async def follow(client: Client, selection: Selection, seen: Callable[[Picture], bool]) -> None:
    """Calls `seen` with every new state, from the first complete one on, until it says that it is enough."""
    picture = Picture(selection)
    changed = asyncio.Event()

    def taken(part: Part) -> Callable[[Sequence[Event]], None]:
        def take(events: Sequence[Event]) -> None:
            part.take(events)
            changed.set()

        return take

    tasks = [asyncio.create_task(watch(client, spec, taken(part))) for spec, part in picture.parts.items()]
    try:
        while True:
            await changed.wait()
            changed.clear()
            if picture.complete and seen(picture):
                return
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _place(obj: Json) -> Place:
    ref = ref_of(obj)
    return (ref.kind, ref.namespace, ref.name)
