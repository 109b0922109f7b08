"""KAI evicts a running gang whose floor is raised above its active members: when was one?"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from podgrouper.core.fields import owner_refs, ref_of, text
from podgrouper.core.model import POD, Json
from podgrouper.memory.history import Change, Event
from tests.golden.running import GROUP_KINDS
from tests.roads.floors import floors
from tests.soak.links import GroupPlace, is_live, named_by, part_of, place_of
from tests.soak.past import FOREVER, LAG, Moment

_BY_DESIGN = ("LeaderWorkerSet",)
"""From its leader alone it goes to the whole replica in one step."""


@dataclass(frozen=True)
class Run:
    """One pod as an active member of a group."""

    group: GroupPlace
    part: str
    since: float
    until: float = FOREVER


class Active:
    """The members that run, as time goes by."""

    def __init__(self) -> None:
        self._now: dict[str, Run] = {}
        self._before: list[Run] = []

    def see(self, at: float, event: Event) -> None:
        if event.resource.kind != POD:
            return
        pod, uid = event.object, ref_of(event.object).uid
        runs = event.change is not Change.DELETED and is_live(pod) and text(pod, "status.phase") == "Running"
        fresh = Run(named_by(pod), part_of(pod), at) if runs and named_by(pod)[2] else None
        old = self._now.get(uid)
        if old and fresh and (old.group, old.part) == (fresh.group, fresh.part):
            return
        if old:
            self._before.append(replace(self._now.pop(uid), until=at))
        if fresh:
            self._now[uid] = fresh

    def lately(self, group: GroupPlace, at: float) -> Counter[str]:
        """Members that a lagging watch may still show, by part; all of them under no name."""
        runs = [*self._now.values(), *(run for run in self._before if run.until >= at - LAG)]
        found = [run.part or "-" for run in runs if run.group == group]
        return Counter(found) + Counter({"": len(found)})

    def long_since(self, group: GroupPlace, at: float) -> bool:
        """Some member runs for so long that any watch has shown it."""
        return any(run.group == group and run.since <= at - LAG for run in self._now.values())


def raises(moments: Sequence[Moment], ours: Collection[int]) -> Iterator[str]:
    """Floors that writes of ours (by version) raised above what ran."""
    active = Active()
    for moment in moments:
        event, at = moment.event, moment.at
        group = place_of(event.object)
        changed = event.change is Change.MODIFIED and event.version in ours and group[0] == GROUP_KINDS["kai"]
        if changed and event.previous and active.long_since(group, at) and not _by_design(event.object):
            before, run = floors(event.previous), active.lately(group, at)
            for name, floor in floors(event.object).items():
                if floor > max(before.get(name, 0), run[name]):
                    yield f"{at:.1f} s {group[2]} {name}: {before.get(name)} to {floor}, {run[name]} run"
        active.see(at, event)


def _by_design(group: Json) -> bool:
    return any(owner.kind.kind in _BY_DESIGN for owner in owner_refs(group))
