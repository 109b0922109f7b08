"""Nodes with room, and trees of parts that start together or not at all.

Pure: who reads groups and writes what came of them is `schedulers`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from podgrouper.core.fields import dig, items, labels, mapping, text
from podgrouper.core.model import Json
from podgrouper.core.quantity import NANOS, parse
from podgrouper.sandbox.actors.pods import active, bound

Amounts = Mapping[str, int]
"""Nanos by resource, so that sums are exact."""


@dataclass(frozen=True, slots=True)
class Part:
    """Pods that need each other, or parts that do."""

    name: str = ""
    need: int = 0
    """How many pods, or parts, start together."""
    parts: tuple["Part", ...] = ()


@dataclass(frozen=True, slots=True)
class Seats:
    """The pods of a group by the leaf that they belong to."""

    waiting: Mapping[str, Sequence[Json]]
    placed: Mapping[str, int]
    """Pods that have a node, or have done their work."""


@dataclass(slots=True)
class Room:
    """What is free on each node."""

    nodes: Mapping[str, Json]
    free: dict[str, dict[str, int]] = field(default_factory=dict)

    def copy(self) -> "Room":
        return Room(self.nodes, {name: dict(amounts) for name, amounts in self.free.items()})

    def take(self, pod: Json) -> str:
        """The first node by name that has room for the pod, which is taken; empty without any."""
        wanted = requests_of(pod)
        for name in sorted(self.free):
            if _may_run(pod, self.nodes[name]) and not self.lacking(name, wanted):
                self._subtract(name, wanted)
                return name
        return ""

    def lacking(self, node: str, wanted: Amounts) -> tuple[str, ...]:
        """Resources of which the node has too little."""
        free = self.free[node]
        return tuple(name for name, amount in wanted.items() if amount > free.get(name, 0))

    def _subtract(self, node: str, wanted: Amounts) -> None:
        free = self.free[node]
        for name, amount in wanted.items():
            free[name] = free.get(name, 0) - amount

    def why_not(self, pod: Json) -> str:
        """In the words of kube-scheduler: how many nodes there are, and what each lacks."""
        reasons: dict[str, int] = {}
        for name, node in self.nodes.items():
            misfit = "node(s) didn't match Pod's node affinity/selector"
            lacks = self.lacking(name, requests_of(pod))
            found = [f"Insufficient {one}" for one in lacks] if _may_run(pod, node) else [misfit]
            for reason in found:
                reasons[reason] = reasons.get(reason, 0) + 1
        told = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        return f"0/{len(self.nodes)} nodes are available" + (f": {told}." if told else ".")


def room_of(nodes: Iterable[Json], pods: Iterable[Json]) -> Room:
    """What the pods that have a node leave free."""
    by_name = {text(node, "metadata.name"): node for node in nodes}
    room = Room(
        by_name, {name: _amounts(mapping(node, "status.allocatable")) for name, node in by_name.items()}
    )
    for pod in pods:
        node = text(pod, "spec.nodeName")
        if node in room.free and (active(pod) or (bound(pod) and text(pod, "status.phase") == "Running")):
            room._subtract(node, requests_of(pod))
    return room


def requests_of(pod: Json) -> Amounts:
    """What the containers ask for together; init containers are left out."""
    total = {"pods": NANOS}
    for container in items(pod, "spec.containers"):
        limits, requests = (
            _amounts(mapping(container, f"resources.{one}")) for one in ("limits", "requests")
        )
        for name, amount in {**limits, **requests}.items():
            total[name] = total.get(name, 0) + amount
    return total


def start_together(part: Part, seats: Seats, room: Room) -> dict[str, str] | None:
    """Nodes by the name of the pod, for as many pods as the part needs; None if that cannot be had.

    Room is taken only for what is given.
    """
    if part.parts:
        return _start_parts(part, seats, room)
    missing = part.need - seats.placed.get(part.name, 0)
    trial = room.copy()
    found: dict[str, str] = {}
    for pod in seats.waiting.get(part.name, ()):
        if len(found) >= missing:
            break
        node = trial.take(pod)
        if node:
            found[text(pod, "metadata.name")] = node
    if len(found) < missing:
        return None
    room.free = trial.free
    return found


def _start_parts(part: Part, seats: Seats, room: Room) -> dict[str, str] | None:
    """As many parts as can be had; a part that does not fit leaves its room to the others."""
    trial = room.copy()
    had = [found for one in part.parts if (found := start_together(one, seats, trial)) is not None]
    if len(had) < part.need:
        return None
    room.free = trial.free
    return {name: node for found in had for name, node in found.items()}


def _may_run(pod: Json, node: Json) -> bool:
    wanted = mapping(pod, "spec.nodeSelector")
    return dig(node, "spec.unschedulable") is not True and wanted.items() <= labels(node).items()


def _amounts(resources: Json) -> dict[str, int]:
    found = {name: parse(value) for name, value in resources.items()}
    return {name: quantity.nanos for name, quantity in found.items() if quantity is not None}
