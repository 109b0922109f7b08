"""What a gang asks for: the quota usage of one pod, times the floor.

Volcano compares `minResources` with queues and with ResourceQuotas, so it carries the keys of both: plain
names, `requests.*`, `limits.*`, `pods` and `count/pods`. How one pod is counted is the rule of the
API server's quota evaluator (1.36): sidecars run beside everything after them, ordinary init containers
one after the other, and during a resize the larger of what is asked for and what is granted counts.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from podgrouper.core.fields import dig, items, mapping, text
from podgrouper.core.model import Json
from podgrouper.core.names import is_subdomain
from podgrouper.core.pods import of_shared_text, resources_text
from podgrouper.core.quantity import ZERO, Quantity, parse

Amounts = Mapping[str, Quantity]

ONE = Quantity(10**9)
POD_LEVEL = ("cpu", "memory")
"""Besides huge pages, the only resources that pods as a whole can ask for."""
LIMITED = ("cpu", "memory", "ephemeral-storage")
"""The only limits that a quota counts."""
HUGE_PAGES = "hugepages-"
REQUESTS = "requests."
DEVICE_CLASS = "deviceclass.resource.kubernetes.io/"
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")


def gang_resources(asked: str, floor: int) -> Amounts:
    """`minResources` of a gang of that many pods like this one; `asked` is `Pod.resources`."""
    return {name: amount * floor for name, amount in pod_usage(asked).items()} if floor else {}


def asked_in(template: Json) -> str:
    """What a pod of this template will ask for, as `Pod.resources` tells it of one that exists.

    The API server fills requests in from limits; what else it or a webhook adds is not known beforehand.
    """
    spec = mapping(template, "spec")
    lists = {name: [_requesting(c) for c in items(spec, name)] for name in ("containers", "initContainers")}
    return resources_text({**spec, **lists}, {})


def _requesting(container: Json) -> Json:
    limits, requests = (mapping(container, f"resources.{side}") for side in ("limits", "requests"))
    resources = {**mapping(container, "resources"), "requests": {**limits, **requests}}
    return {**container, "resources": resources}


@of_shared_text
def pod_usage(asked: str) -> Amounts:
    """Everything that a quota counts for one pod. The pods of a gang are alike: computed once for them."""
    try:
        pod = json.loads(asked) if asked else {}
    except ValueError:
        pod = {}
    requests = _with_overhead(_requests(pod), pod)
    limits = _with_overhead(_limits(pod), pod, only_where_limited=True)
    usage = {"count/pods": ONE, "pods": ONE}
    for name, amount in requests.items():
        usage.update((key, amount) for key in _request_keys(name))
    usage.update((f"limits.{name}", limits[name]) for name in LIMITED if name in limits)
    return usage


def _request_keys(name: str) -> tuple[str, ...]:
    """The keys that a request is counted under."""
    if name in LIMITED or name.startswith(HUGE_PAGES):
        return (name, REQUESTS + name)
    if name.startswith(DEVICE_CLASS):
        return (REQUESTS + name,)
    return (name, REQUESTS + name) if _is_extended(name) else ()


def _is_extended(name: str) -> bool:
    """A vendor's resource: its name has a domain that is not Kubernetes' own."""
    domain, slash, short = name.partition("/")
    if not slash or "kubernetes.io/" in name or name.startswith(REQUESTS):
        return False
    return is_subdomain(REQUESTS + domain) and _NAME.fullmatch(short) is not None


def _requests(pod: Json) -> dict[str, Quantity]:
    total = _total(pod, "requests")
    total.update(_pod_level(pod, "requests"))
    return total


def _limits(pod: Json) -> dict[str, Quantity]:
    total = _total(pod, "limits")
    total.update(_pod_level(pod, "limits"))
    return total


def _pod_level(pod: Json, side: str) -> Iterator[tuple[str, Quantity]]:
    """What the pod as a whole asks for stands in place of what its containers do."""
    amounts = _amounts(dig(pod, f"spec.resources.{side}"))
    return ((n, a) for n, a in amounts.items() if n in POD_LEVEL or n.startswith(HUGE_PAGES))


def _with_overhead(total: dict[str, Quantity], pod: Json, *, only_where_limited: bool = False) -> Amounts:
    """A limit grows by the overhead only where there is a limit at all."""
    overhead = _amounts(dig(pod, "spec.overhead"))
    if only_where_limited:
        overhead = {name: amount for name, amount in overhead.items() if total.get(name, ZERO).nanos}
    _add(total, overhead)
    return total


def _total(pod: Json, side: str) -> dict[str, Quantity]:
    """The most that runs at one time: all containers, or the start of an init container.

    Takes as long as there are amounts: a pod may have ten thousand containers, each with its own resource.
    """
    granted = _Granted.of(pod)
    together: dict[str, Quantity] = {}
    for container in items(pod, "spec.containers"):
        _add(together, granted.of_container(container, side))
    sidecars: dict[str, Quantity] = {}
    peak: dict[str, Quantity] = {}
    for container in items(pod, "spec.initContainers"):
        if text(container, "restartPolicy") == "Always":
            own = granted.of_container(container, side)
            _add(together, own)
            _add(sidecars, own)
            started = {name: sidecars[name] for name in own}
        else:
            own = _amounts(dig(container, f"resources.{side}"))
            started = {name: a + sidecars[name] if name in sidecars else a for name, a in own.items()}
        _raise(peak, started)
    _raise(together, peak)
    return together


@dataclass(frozen=True, slots=True)
class _Granted:
    """What the containers of a pod were granted, while it is resized."""

    statuses: Mapping[str, Json]
    infeasible: bool

    @classmethod
    def of(cls, pod: Json) -> "_Granted":
        """The first status of a name counts."""
        told = (*items(pod, "status.containerStatuses"), *items(pod, "status.initContainerStatuses"))
        return cls({text(status, "name"): status for status in reversed(told)}, _resize_is_infeasible(pod))

    def of_container(self, container: Json, side: str) -> dict[str, Quantity]:
        """What a container asks for; while it is resized, at least what it was granted.

        A resize that can never happen does not count: then only what was granted does.
        """
        asked = _amounts(dig(container, f"resources.{side}"))
        status = self.statuses.get(text(container, "name"))
        if status is None or "resources" not in status:
            return asked
        granted = _amounts(dig(status, f"resources.{side}"))
        if side == "requests":
            _raise(granted, _amounts(dig(status, "allocatedResources")))
        if not self.infeasible:
            _raise(asked, granted)
        return granted if self.infeasible else asked


def _resize_is_infeasible(pod: Json) -> bool:
    """The first condition of the type decides, whatever its status."""
    pending = (c for c in items(pod, "status.conditions") if text(c, "type") == "PodResizePending")
    return text(next(pending, {}), "reason") == "Infeasible"


def _amounts(listed: object) -> dict[str, Quantity]:
    if not isinstance(listed, Mapping):
        return {}
    parsed = {name: parse(value) for name, value in listed.items() if isinstance(name, str)}
    return {name: amount for name, amount in parsed.items() if amount is not None}


def _add(total: dict[str, Quantity], more: Amounts) -> None:
    """Into the total that the caller is building: a new one for each container would cost their square."""
    for name, amount in more.items():
        total[name] = total[name] + amount if name in total else amount


def _raise(least: dict[str, Quantity], other: Amounts) -> None:
    """To the larger of both, in the same way."""
    for name, amount in other.items():
        if name not in least or amount > least[name]:
            least[name] = amount
