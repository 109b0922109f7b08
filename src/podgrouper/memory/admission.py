"""What the server decides about a new pod by looking at other objects: its priority."""

from collections.abc import Iterable

from podgrouper.core.difference import merged
from podgrouper.core.fields import integer, text
from podgrouper.core.model import Json
from podgrouper.memory.refusals import forbidden
from podgrouper.memory.resources import Resource


def with_priority(pod: Json, classes: Iterable[Json], resource: Resource) -> Json:
    """The pod with the number of its PriorityClass, or of the default one; 0 without any.

    Raises `Refused` (403) for a class that does not exist.
    """
    known = {text(entry, "metadata.name"): entry for entry in classes}
    name = text(pod, "spec.priorityClassName")
    if name and name not in known:
        pod_name = text(pod, "metadata.name")
        raise forbidden(resource, pod_name, f"no PriorityClass with name {name} was found")
    if not name:
        name = next((key for key in sorted(known) if known[key].get("globalDefault") is True), "")
    chosen = known.get(name, {})
    spec: dict[str, object] = {
        "priority": integer(chosen, "value", 0),
        "preemptionPolicy": text(chosen, "preemptionPolicy", "PreemptLowerPriority"),
    }
    if name:
        spec["priorityClassName"] = name
    result = merged(pod, {"spec": spec})
    assert isinstance(result, dict)
    return result
