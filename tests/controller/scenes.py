"""The synchronous half of a controller: news is handed in, and what it woke is read from the queue."""

from collections.abc import Iterable

from podgrouper.controller.queue import Queue
from podgrouper.controller.roster import Family, Item, family_of
from podgrouper.controller.store import Store
from podgrouper.controller.tables import State, Table
from podgrouper.controller.triggers import Triggers
from podgrouper.core.changes import MANAGER
from podgrouper.core.fields import kind_of, ref_of
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import Json, Pod, Skip
from podgrouper.core.workloads import Unseen
from tests.core.tiny import profile


class Scene:
    """Everything that it is shown is known at once; kinds count as listed."""

    def __init__(self, *objects: Json, of: Profile | None = None) -> None:
        profiles = (of or profile(),)
        self.skips: list[tuple[str, str]] = []
        self.store = Store(profiles, frozenset({MANAGER}))
        self.queue: Queue[Item] = Queue()
        self.triggers = Triggers(self.store, self.queue, profiles, self._skipped)
        for obj in objects:
            self.show(obj)

    def table(self, obj: Json) -> Table:
        table = self.store.table(kind_of(obj))
        table.state = State.LISTED
        return table

    def show(self, obj: Json) -> None:
        """As a watch shows it."""
        if obj["kind"] == "Pod":
            self.triggers.pod_put(obj)
        else:
            self.triggers.object_put(self.table(obj), obj)

    def hide(self, obj: Json) -> None:
        """As a watch shows its end."""
        self.triggers.object_removed(self.table(obj), obj)

    def row(self, name: str) -> Pod:
        found = self.store.pod("ns", name)
        assert found
        return found

    def place(self, *names: str) -> list[Unseen | None]:
        return [self.triggers.place("tiny", self.row(name)) for name in names]

    def woken(self) -> list[str]:
        """What the queue holds, in order; afterwards it is empty."""
        items = self.queue.take_all(lambda _: True)
        for item in items:
            self.queue.done(item)
        return list(map(_named, items))

    def names(self) -> list[str]:
        """Of the pods that are known in the namespaces that tests use."""
        return [row.name for space in ("ns", "elsewhere") for row in self.store.labelled_pods(space, ())]

    def family(self, name: str) -> Family:
        return family_of("tiny", self.row(name))

    def _skipped(self, pod: Pod, skip: Skip | None) -> None:
        self.skips.append((pod.name, skip.reason if skip else ""))


def placed(*objects: Json, of: Profile | None = None) -> Scene:
    """All pods have their places, and nothing waits."""
    scene = Scene(*objects, of=of)
    scene.place(*_pods(objects))
    scene.woken()
    scene.skips.clear()
    return scene


def _pods(objects: Iterable[Json]) -> list[str]:
    return [ref_of(obj).name for obj in objects if obj["kind"] == "Pod"]


def _named(item: Item) -> str:
    if isinstance(item, Family):
        return f"family of {item.owners[0].name if item.owners else item.uid}"
    return f"key {item.uid}"
