"""What was there when. Whoever watches sees it later, so most questions about the past have some slack."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from podgrouper.core.fields import owner_refs, ref_of
from podgrouper.core.model import POD, Json, Ref
from podgrouper.memory.history import Change, Event
from tests.soak.links import GROUPS, GroupPlace, named_by, place_of, unlinked

LAG = 180.0
"""Seconds: longer than any line of a watch is late and any request is under way."""
FOREVER = float("inf")


@dataclass(frozen=True)
class Moment:
    """Something changed, whoever did it."""

    at: float
    event: Event


@dataclass(frozen=True)
class Span:
    """How long an object was there."""

    born: float
    gone: float = FOREVER

    def touches(self, begin: float, end: float) -> bool:
        return self.born <= end and begin <= self.gone


class Past:
    """Of one world, made when it is over."""

    def __init__(self, moments: Sequence[Moment]) -> None:
        self._lives: dict[str, Span] = {}
        self._places: dict[GroupPlace, list[Span]] = {}
        self._last: dict[Ref, Json] = {}
        self._above: dict[str, frozenset[str]] = {}
        self._lost_below: set[str] = set()
        self._other_mind: set[str] = set()
        self.named: set[GroupPlace] = set()
        """Groups that a pod named at some time."""
        self._named_at: dict[tuple[str, GroupPlace], float] = {}
        for moment in moments:
            self._note(moment.at, moment.event)

    def _note(self, at: float, event: Event) -> None:
        obj, ref = event.object, ref_of(event.object)
        if event.change is Change.ADDED:
            self._lives[ref.uid] = Span(at)
            self._places.setdefault(place_of(obj), []).append(Span(at))
        if event.change is Change.MODIFIED and ref.kind not in GROUPS | {POD}:
            self._other_mind.add(ref.uid)
        if event.change is not Change.DELETED:
            self._last[_spot(obj)] = obj
            self._above[ref.uid] = frozenset(owner.uid for owner in owner_refs(obj))
            if ref.kind == POD:
                self._note_link(at, event)
            return
        self._lives[ref.uid] = replace(self._lives[ref.uid], gone=at)
        self._places[place_of(obj)].append(replace(self._places[place_of(obj)].pop(), gone=at))
        if ref.kind != POD:
            self._lost_below.update(owner.uid for owner in owner_refs(obj))

    def _note_link(self, at: float, event: Event) -> None:
        group = named_by(event.object)
        self.named.add(group)
        if event.previous is None or named_by(event.previous) != group:
            self._named_at[ref_of(event.object).uid, group] = at

    def ever(self) -> Iterator[Json]:
        """Whatever was ever there, as it was last; pods as before anybody linked or ran them."""
        for ref, obj in self._last.items():
            if ref.kind not in GROUPS:
                yield unlinked(obj) if ref.kind == POD else obj

    def kin(self, one: str, other: str) -> bool:
        """Whether something stands above both of them, by uid, or one above the other."""
        return not self._line(one).isdisjoint(self._line(other))

    def _line(self, uid: str) -> set[str]:
        found, waiting = {uid}, [uid]
        while waiting:
            fresh = self._above.get(waiting.pop(), frozenset()) - found
            found |= fresh
            waiting.extend(fresh)
        return found

    def owners_of(self, group: GroupPlace) -> frozenset[str]:
        """Of the group that had this place last."""
        kind, namespace, name = group
        found = self._last.get(Ref(kind, namespace, name)) if kind else None
        return self._above.get(ref_of(found).uid, frozenset()) if found is not None else frozenset()

    def lost_below(self, uid: str) -> bool:
        """An owner below it, or below one above it, went: nothing leads from those pods to it any more."""
        return not self._lost_below.isdisjoint(self._line(uid))

    def other_mind(self, uid: str) -> bool:
        """It asked for something else at some time: perhaps for a group, and for none since."""
        return uid in self._other_mind

    def lived_lately(self, uid: str, at: float) -> bool:
        span = self._lives.get(uid)
        return span is not None and span.touches(at - LAG, at)

    def stood_when_named(self, pod: Json, at: float) -> bool:
        """The group was there when the pod was made to name it, and ever since."""
        since = self._named_at.get((ref_of(pod).uid, named_by(pod)), FOREVER)
        return any(span.born <= since and at <= span.gone for span in self._places.get(named_by(pod), ()))

    def stood_lately(self, group: GroupPlace, at: float) -> bool:
        return any(span.touches(at - LAG, at) for span in self._places.get(group, ()))


def _spot(obj: Json) -> Ref:
    ref = ref_of(obj)
    return Ref(ref.kind, ref.namespace, ref.name)
