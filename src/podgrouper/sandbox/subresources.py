"""Doors beside the object itself: its scale, the node it is bound to, its status."""

from collections.abc import Mapping

from podgrouper.core.difference import merged
from podgrouper.core.fields import dig, integer, items, mapping, text
from podgrouper.core.model import Json
from podgrouper.memory.refusals import bad_request

SUCCESS: Json = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}


def scale_of(obj: Json) -> Json:
    """The `Scale` of a workload: how many pods it wants and has, and how they are found."""
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    metadata = {key: value for key, value in mapping(obj, "metadata").items() if key in kept}
    labels = mapping(obj, "spec.selector.matchLabels")
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": integer(obj, "spec.replicas", 0)},
        "status": {
            "replicas": integer(obj, "status.replicas", 0),
            "selector": ",".join(f"{key}={value}" for key, value in sorted(labels.items())),
        },
    }


def scaling(obj: Json, patch: object) -> Json:
    """The merge patch of the workload that a merge patch of its scale means."""
    wanted = dig(merged(scale_of(obj), patch), "spec.replicas")
    if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 0:
        raise bad_request("spec.replicas of a Scale is a number that is not negative")
    metadata = {
        key: value
        for key in ("uid", "resourceVersion")
        if (value := text({"patch": patch}, f"patch.metadata.{key}"))
    }
    return {"metadata": metadata, "spec": {"replicas": wanted}}


def target_of(binding: Json) -> str:
    """The node that a Binding names."""
    node = text(binding, "target.name")
    if not node:
        raise bad_request("a Binding names its node in target.name")
    return node


def deleted(obj: Json, details: Mapping[str, object]) -> Json:
    """What the server says of an object that is gone."""
    return {**SUCCESS, "details": {**details, "uid": text(obj, "metadata.uid")}}


def reviewed(review: Json, *, allowed: bool) -> Json:
    """A SelfSubjectAccessReview with its answer."""
    return {**review, "status": {"allowed": allowed}}


def asked_in(review: Json) -> tuple[str, str, str]:
    """Verb, group and resource that a SelfSubjectAccessReview asks about."""
    found = items({"spec": [mapping(review, "spec.resourceAttributes")]}, "spec")[0]
    return text(found, "verb"), text(found, "group"), text(found, "resource")
