"""What controllers ask of pods, and how they make them from templates."""

import hashlib
import json
from collections.abc import Iterable, Mapping

from podgrouper.core.difference import merged
from podgrouper.core.fields import being_deleted, integer, items, labels, mapping, text
from podgrouper.core.model import Json
from podgrouper.memory.naming import ending_from
from podgrouper.memory.values import frozen

ENDED = ("Succeeded", "Failed")


def phase(pod: Json) -> str:
    return text(pod, "status.phase", "Pending")


def ended(pod: Json) -> bool:
    return phase(pod) in ENDED


def active(pod: Json) -> bool:
    """Counts as one of the pods that somebody wants: it has not ended and is not going."""
    return not ended(pod) and not being_deleted(pod)


def ready(pod: Json) -> bool:
    return not being_deleted(pod) and condition(pod, "Ready").get("status") == "True"


def healthy(pod: Json) -> bool:
    return phase(pod) == "Running" and ready(pod)


def bound(pod: Json) -> bool:
    return bool(text(pod, "spec.nodeName"))


def condition(obj: Json, name: str) -> Json:
    """The condition of that type; empty without one."""
    return next((entry for entry in items(obj, "status.conditions") if entry.get("type") == name), {})


def conditions_with(obj: Json, now: str, *conditions: Json) -> list[Json]:
    """The object's conditions with these put in. A time changes only when the status does."""
    found = {str(entry.get("type")): entry for entry in items(obj, "status.conditions")}
    for new in conditions:
        old = found.get(str(new["type"]), {})
        same = old.get("status") == new["status"] and "lastTransitionTime" in old
        found[str(new["type"])] = {**new, "lastTransitionTime": old["lastTransitionTime"] if same else now}
    return list(found.values())


def expendable_first(pods: Iterable[Json]) -> list[Json]:
    """The order in which surplus pods are taken away: without a node first, then not ready, then young."""
    by_age = sorted(pods, key=lambda pod: text(pod, "metadata.creationTimestamp"), reverse=True)
    return sorted(by_age, key=lambda pod: (bound(pod), phase(pod) == "Running", ready(pod)))


def pod_from(template: Json, *, name: str = "", prefix: str = "", **metadata: Mapping[str, str]) -> Json:
    """A pod as the template says, with more labels and annotations."""
    given: dict[str, object] = {"name": name} if name else {"generateName": prefix}
    body = {"apiVersion": "v1", "kind": "Pod", "spec": mapping(template, "spec")}
    kept = {key: mapping(template, f"metadata.{key}") for key in ("labels", "annotations")}
    own = {**{key: value for key, value in kept.items() if value}, **given}
    return changed({**body, "metadata": own}, {"metadata": metadata})


def changed(obj: Json, patch: Json) -> Json:
    """The object after a merge patch."""
    made = merged(obj, patch)
    assert isinstance(made, Mapping)
    return made


def revision_of(template: Json) -> str:
    """A short text that two templates share when they say the same."""
    digest = hashlib.sha256(json.dumps(frozen(template), sort_keys=True).encode()).hexdigest()
    return ending_from(digest[:32]) + ending_from(digest[32:])


def without_label(template: Json, label: str) -> Json:
    """The template as it was before a controller put its label in."""
    left = {key: value for key, value in labels(template).items() if key != label}
    metadata = {key: value for key, value in mapping(template, "metadata").items() if key != "labels"}
    return {**template, "metadata": metadata | ({"labels": left} if left else {})}


def replicas_wanted(obj: Json) -> int:
    return integer(obj, "spec.replicas", 1)
