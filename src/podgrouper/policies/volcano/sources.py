"""Where a value of a group may be written, in which order, and the first place where it can be used.

The order is data: the same list gives the value, its origin in words and the remarks about entries that
could not be used. An unusable value never hides a usable one further down.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from podgrouper.core.fields import annotations
from podgrouper.core.groups import Remark
from podgrouper.core.model import (
    Answer,
    Ending,
    Json,
    Member,
    ObjectWanted,
    OwnerRef,
    Pod,
    Ref,
    Want,
    Workload,
)
from podgrouper.core.reasons import Reason
from podgrouper.policies.volcano.membership import Seat

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """An object whose annotations are read."""

    ref: Ref
    annotations: Mapping[str, str]
    maker: Ref | None = None
    """What makes pods like this one. Its template is what a person can mend, so it is told of what is wrong:
    once, however many pods follow."""

    @property
    def about(self) -> Ref:
        return self.maker or self.ref

    @property
    def words(self) -> str:
        return f"a pod of {self.maker}" if self.maker else str(self.ref)


@dataclass(frozen=True, slots=True)
class Voices:
    """Everybody who may say something about a group."""

    pod: Source
    owners: tuple[Source, ...]
    """In the order in which they count; empty when nothing is inherited."""
    climbed: bool
    """The group belongs to an owner above the controller: that one counts first, the pod last."""


@dataclass(frozen=True, slots=True)
class Place:
    """One annotation of one object."""

    source: Source
    key: str

    def __str__(self) -> str:
        return f"{self.source.ref}, annotation {self.key}"

    def remark(self, what: str) -> Remark:
        return Remark(
            self.source.about, Reason.BAD_VALUE, f"{self.source.words}, annotation {self.key}: {what}"
        )


@dataclass(frozen=True, slots=True)
class Unusable:
    """Completes the sentence "accepted is …"."""

    accepted: str


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A value, the place that it comes from, and what a person should know about places that it passed."""

    value: T
    place: Place | None = None
    remarks: tuple[Remark, ...] = ()


def first_usable(places: Iterable[Place], read: Callable[[str], T | Unusable | None], default: T) -> Found[T]:
    """`read` gives None for a value that says nothing: it is passed without a word.

    A ReplicaSet carries copies of its Deployment's annotations: the same mistake is told once, where it is
    met first.
    """
    remarks: dict[tuple[str, str], Remark] = {}
    for place in places:
        written = place.source.annotations.get(place.key)
        value = None if written is None else read(written)
        if written is None or value is None:
            continue
        if not isinstance(value, Unusable):
            return Found(value, place, tuple(remarks.values()))
        ignored = f"{_shown(written)} is ignored, accepted is {value.accepted}"
        remarks.setdefault((place.key, written), place.remark(ignored))
    return Found(default, None, tuple(remarks.values()))


def _shown(written: str) -> str:
    return repr(written if len(written) <= 60 else f"{written[:57]}…")


def owners_beside_chain(member: Member) -> Iterator[ObjectWanted]:
    """Direct owners that nobody has looked for yet: the chain follows one only."""
    pod, chain = member.pod, member.chain
    if len(pod.owners) < 2:
        return
    known = {owner.ref.uid for owner in chain.owners}
    for reference in pod.owners:
        if reference.complete and reference.uid not in known and reference != chain.broken_at:
            yield _want(reference, pod)


def voices_of(seat: Seat, workload: Workload, *, inherit: bool) -> Voices:
    """Who speaks for the group of this pod.

    Without a climb the direct owners, controller or not, in the order of the pod's references. Above the
    controller the chosen owner, then the nearer ones on the way down, then the pod's other direct owners.
    """
    pod = seat.member.pod
    maker = None if workload.boundary == pod.ref else workload.boundary
    own = Source(pod.ref, pod.annotations, maker)
    climbed = seat.level > 1
    if not inherit:
        return Voices(own, (), climbed)
    direct = tuple(_direct_owners(seat, workload.answers))
    if not climbed:
        return Voices(own, direct, climbed)
    line = [Source(step.ref, annotations(step.object)) for step in reversed(seat.steps[: seat.level])]
    on_line = {source.ref.uid for source in line}
    return Voices(own, (*line, *(one for one in direct if one.ref.uid not in on_line)), climbed)


def _direct_owners(seat: Seat, answers: Mapping[Want, Answer]) -> Iterator[Source]:
    for reference in seat.member.pod.owners:
        found = found_owner(reference, seat, answers)
        if not isinstance(found, Ending):
            want = _want(reference, seat.member.pod)
            yield Source(Ref(want.kind, want.namespace, want.name, want.uid), annotations(found))


def found_owner(reference: OwnerRef, seat: Seat, answers: Mapping[Want, Answer]) -> Json | Ending:
    """The object that a direct reference of the pod names, or why there is none."""
    chain = seat.member.chain
    on_chain = next((owner for owner in chain.owners if owner.ref.uid == reference.uid), None)
    if on_chain:
        return on_chain.object
    if chain.broken_at == reference:
        return chain.ending
    answer = answers.get(_want(reference, seat.member.pod))
    return answer if isinstance(answer, Ending | Mapping) else Ending.MALFORMED


def _want(reference: OwnerRef, pod: Pod) -> ObjectWanted:
    return ObjectWanted(reference.kind, pod.namespace, reference.name, reference.uid)
