"""One gang as a group: what it asks for, who owns it, and where each of its fields comes from."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from podgrouper.core.groups import Group, Placement, Remark
from podgrouper.core.model import POD, OwnerRef, Pod
from podgrouper.core.resources import gang_resources
from podgrouper.policies.volcano.annotations import (
    gang_size,
    group_annotations,
    group_labels,
    queue,
)
from podgrouper.policies.volcano.membership import Gang, Seat
from podgrouper.policies.volcano.sources import Found, Voices
from podgrouper.policies.volcano.topology import topology

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Decided:
    group: Group
    remarks: tuple[Remark, ...]


def group_of(gang: Gang, speaker: Seat, voices: Voices) -> Decided:
    """The group of these pods. `voices` are those of the pod that speaks for it."""
    pod = speaker.member.pod
    floor = _possible(gang_size(voices), speaker)
    named_queue = queue(voices)
    apart = topology(voices.pod)
    group = Group(
        namespace=gang.namespace,
        name=gang.name,
        owners=references(speaker),
        placements=tuple(Placement(seat.member.pod) for seat in gang.seats),
        floor=floor.value,
        queue=named_queue.value,
        priority_class=pod.priority_class,
        resources=gang_resources(pod.resources, floor.value),
        topology=apart.value,
        labels=group_labels(pod),
        annotations=group_annotations(voices),
        origins={
            "group": _boundary(speaker),
            "floor": _origin(floor, "nobody names a gang size"),
            "queue": _origin(named_queue, "nobody names a queue"),
            "topology": _origin(apart, "the pod names none"),
            "priority_class": f"{pod.ref}, spec.priorityClassName",
            "resources": f"the quota usage of {pod.ref} times the floor",
        },
    )
    return Decided(group, (*floor.remarks, *named_queue.remarks, *apart.remarks))


def _possible(size: Found[int], speaker: Seat) -> Found[int]:
    """A group that can only ever hold one pod never waits for a second one."""
    if speaker.level == 0 and size.value > 1:
        return replace(size, value=1, remarks=(*size.remarks, *_advice(size, ALONE)))
    if size.value == 0:
        return replace(size, remarks=(*size.remarks, *_advice(size, NOBODY)))
    return size


ALONE = "the group holds this pod alone, so it asks for 1; accepted is 0 or 1"
NOBODY = "0 is kept: the group counts as complete without any pod; use 1 or more to start pods together"


def _advice(size: Found[int], words: str) -> Iterator[Remark]:
    if size.place:
        yield size.place.remark(words)


def _origin(found: Found[T], otherwise: str) -> str:
    return str(found.place) if found.place else otherwise


def _boundary(seat: Seat) -> str:
    if seat.level == 0:
        return "the pod stands alone"
    ref = seat.steps[seat.level - 1].ref
    return f"{ref}, the pod's controller" if seat.level == 1 else f"{ref}, by a level rule"


def references(seat: Seat) -> tuple[OwnerRef, ...]:
    """The owners of the group: it lives as long as what it was made for.

    At the controller the pod's references as they stand; the pod itself or an owner further up is its one
    controller.
    """
    pod = seat.member.pod
    if seat.level == 1:
        return pod.owners
    return (_controller(seat, pod),)


def _controller(seat: Seat, pod: Pod) -> OwnerRef:
    if seat.level == 0:
        return OwnerRef(POD, pod.name, pod.uid, controller=True, block_owner_deletion=True)
    ref = seat.steps[seat.level - 1].ref
    return OwnerRef(ref.kind, ref.name, ref.uid, controller=True, block_owner_deletion=True)
