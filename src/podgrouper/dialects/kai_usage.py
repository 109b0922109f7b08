"""What KAI's PodGroup says of resources: `status.resourcesStatus`, by the rules of KAI's podgroupcontroller.

Containers alone count, without init containers and overhead; a share of a GPU is what annotations say. Not
counted is what only other objects know: GPUs of ResourceClaims, and the share of a node's GPU memory.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from podgrouper.core.difference import difference
from podgrouper.core.fields import dig, integer, items, strings, text
from podgrouper.core.interfaces import FieldRule, Ownership, Reads
from podgrouper.core.model import Json, Kind, Pod
from podgrouper.core.pods import of_shared_text
from podgrouper.core.quantity import NANOS, Quantity, parse

FRACTION = "gpu-fraction"
DEVICES = "gpu-fraction-num-devices"
GPU_MEMORY = "gpu-memory"
RECEIVED = "received-resource-type"
"""`Fraction` once KAI's binder has given the pod its share."""
GPU, GPU_MEMORY_RESOURCE = "nvidia.com/gpu", "run.ai/gpu.memory"
PRIORITY_CLASS = Kind("scheduling.k8s.io/v1", "PriorityClass")
USUAL_PRIORITY = 50
NOT_PREEMPTIBLE_FROM = 100

READS = Reads(
    annotations=frozenset({FRACTION, DEVICES, GPU_MEMORY, RECEIVED}),
    resources=True,
    priority_classes=True,
    paths={PRIORITY_CLASS: frozenset({"value", "globalDefault"})},
)
_PLACE = ("status", "resourcesStatus")
_RULES = tuple(
    FieldRule((*_PLACE, name), Ownership.OURS, quantities=True)
    for name in ("requested", "allocated", "allocatedNonPreemptible")
)
Amounts = Mapping[str, Quantity]


def usage_patch(live: Json, members: Sequence[Pod], classes: Mapping[str, Json]) -> Json:
    """The merge patch; empty when it stands there already.

    What was allocated while the group could not be preempted stays as it is once it can, as KAI leaves it.
    """
    active = [pod for pod in members if pod.phase in ("Pending", "Running")]
    allocated = _texts(_sum(amounts for pod in active if pod.node for amounts in _amounts(pod, given=True)))
    used = {
        "requested": _texts(_sum(amounts for pod in active for amounts in _amounts(pod, given=False))),
        "allocated": allocated,
        "allocatedNonPreemptible": dig(live, ".".join((*_PLACE, "allocatedNonPreemptible")))
        if _preemptible(live, classes)
        else allocated,
    }
    return difference({"status": {"resourcesStatus": used}}, live, _RULES, frozenset())


def _amounts(pod: Pod, *, given: bool) -> Iterator[Amounts]:
    """What a pod asks for; `given`: of the shares of GPUs only those that were handed out."""
    yield _requests(pod.resources)
    devices = parse(pod.annotations.get(DEVICES, "1"))
    count = devices.nanos // NANOS if devices else 1
    share, memory = parse(pod.annotations.get(FRACTION)), parse(pod.annotations.get(GPU_MEMORY))
    if share and (not given or pod.annotations.get(RECEIVED) == "Fraction"):
        yield {GPU: share * count}
    if memory and not given:
        yield {GPU_MEMORY_RESOURCE: memory * count}


@of_shared_text
def _requests(asked: str) -> Amounts:
    """Of all containers together; `asked` is `Pod.resources`."""
    pod = json.loads(asked) if asked else {}
    return _sum(_parsed(strings(one, "resources.requests")) for one in items(pod, "spec.containers"))


def _parsed(listed: Mapping[str, str]) -> Amounts:
    parsed = {name: parse(value) for name, value in listed.items()}
    return {name: amount for name, amount in parsed.items() if amount is not None}


def _sum(parts: Iterable[Amounts]) -> Amounts:
    total: dict[str, Quantity] = {}
    for amounts in parts:
        for name, amount in amounts.items():
            total[name] = total[name] + amount if name in total else amount
    return total


def _texts(amounts: Amounts) -> Json:
    return {name: str(amount) for name, amount in sorted(amounts.items())}


def _preemptible(group: Json, classes: Mapping[str, Json]) -> bool:
    """As the group says, else by the value of its priority."""
    said = text(group, "spec.preemptibility")
    if said:
        return said == "preemptible"
    named = classes.get(text(group, "spec.priorityClassName"))
    usual = next((one for one in classes.values() if one.get("globalDefault") is True), {})
    return integer(named if named is not None else usual, "value", USUAL_PRIORITY) < NOT_PREEMPTIBLE_FROM
