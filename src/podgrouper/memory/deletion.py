"""What a DELETE makes of an object that cannot go at once: finalizers, grace periods, contents."""

from datetime import datetime, timedelta

from podgrouper.core.fields import integer, mapping, text
from podgrouper.core.model import POD, Json
from podgrouper.memory.builtins import NAMESPACE
from podgrouper.memory.refusals import Cause, Refused, not_supported, precondition_failed
from podgrouper.memory.resources import Resource
from podgrouper.memory.writing import with_metadata

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"
POLICIES = ("Foreground", "Background", "Orphan")


def check_preconditions(obj: Json, resource: Resource, uid: str, version: str) -> None:
    """Raises `Refused` (409) when the object is another one, or another version, than was meant."""
    there, found = text(obj, "metadata.uid"), text(obj, "metadata.resourceVersion")
    name = text(obj, "metadata.name")
    if uid and uid != there:
        why = (
            f"the UID in the precondition ({uid}) does not match the UID in record ({there}). "
            "The object might have been deleted and then recreated"
        )
        raise precondition_failed(resource, name, why)
    if version and version != found:
        why = (
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion "
            f"in record ({found}). The object might have been modified"
        )
        raise precondition_failed(resource, name, why)


def check_propagation(policy: str) -> None:
    """Raises `Refused` (422) for a policy that does not exist. Empty leaves it to the kind."""
    if policy and policy not in POLICIES:
        cause: Cause = not_supported(
            "propagationPolicy", f'"{policy}"', [f'"{known}"' for known in (*POLICIES, "nil")]
        )
        details: Json = {"group": "meta.k8s.io", "kind": "DeleteOptions", "causes": [cause.json]}
        message = f'DeleteOptions.meta.k8s.io "" is invalid: {cause.field}: {cause.message}'
        raise Refused(422, "Invalid", message, details)


def dying(obj: Json, resource: Resource, policy: str, grace: int | None, now: str) -> Json:
    """The object marked for deletion. Already marked, it is marked again only to go sooner."""
    left = _grace(obj, resource, grace)
    finalizers = _finalizers(obj, resource, policy)
    metadata = mapping(obj, "metadata")
    since = text(metadata, "deletionTimestamp")
    if since and left >= integer(metadata, "deletionGracePeriodSeconds", 0):
        return obj if finalizers == _listed(obj) else with_metadata(obj, finalizers=finalizers)
    fields: dict[str, object] = {
        "deletionTimestamp": _later(now, left),
        "deletionGracePeriodSeconds": left,
        "finalizers": finalizers or None,
    }
    generation = integer(metadata, "generation", 0)
    if generation and not since:
        fields["generation"] = generation + 1
    marked = with_metadata(obj, **fields)
    if resource.kind == NAMESPACE:
        without_grace = with_metadata(marked, deletionGracePeriodSeconds=None)
        return {**without_grace, "status": {**mapping(obj, "status"), "phase": "Terminating"}}
    return marked


def _grace(obj: Json, resource: Resource, asked: int | None) -> int:
    """Seconds that a pod has on its node. Nobody else, and no pod without a node or at its end, has any."""
    if resource.kind != POD or not text(obj, "spec.nodeName"):
        return 0
    if text(obj, "status.phase") in ("Succeeded", "Failed"):
        return 0
    return asked if asked is not None else integer(obj, "spec.terminationGracePeriodSeconds", 30)


def _finalizers(obj: Json, resource: Resource, policy: str) -> list[object]:
    """The garbage collector's own finalizers say how dependents are to be treated."""
    effective = policy or ("Orphan" if resource.orphans else "")
    there = _listed(obj)
    if not effective:
        return there
    kept = [entry for entry in there if entry not in (FOREGROUND, ORPHAN)]
    match effective:
        case "Foreground":
            return [*kept, FOREGROUND]
        case "Orphan":
            return [*kept, ORPHAN]
    return kept


def _listed(obj: Json) -> list[object]:
    value = mapping(obj, "metadata").get("finalizers")
    return list(value) if isinstance(value, list | tuple) else []


def _later(now: str, seconds: int) -> str:
    """A moment some seconds on, in the API's form. A `now` that is no time is left as it is."""
    try:
        moment = datetime.fromisoformat(now) + timedelta(seconds=seconds)
    except (ValueError, OverflowError):
        return now
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
