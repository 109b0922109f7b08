"""Writes that were of no use: the same thing said to the same object twice, with nothing in between."""

import json
from collections.abc import Iterable
from urllib.parse import urlsplit

from tests.cluster.audit import AuditEvent

_GUARDS = ("uid", "resourceVersion")


def repeated(writes: Iterable[AuditEvent]) -> list[str]:
    """Successful writes of pods and PodGroups that say what the one before on that object said.

    A pod is linked once in its life, so every second patch of one is among them.
    """
    last: dict[str, str] = {}
    found = []
    for write in writes:
        if write.failed or write.resource not in ("pods", "podgroups"):
            continue
        about, meaning = _meaning(write)
        if last.get(about) == meaning:
            found.append(str(write))
        last[about] = meaning
    return found


def _meaning(write: AuditEvent) -> tuple[str, str]:
    """What was written to, and what; two patches differ not by what they take for granted."""
    path = urlsplit(write.path).path
    if not write.body:
        return path, write.verb
    body = json.loads(write.body)
    metadata = body.get("metadata", {})
    if write.verb == "create":
        return f"{path}/{metadata['name']}", write.verb
    kept = {key: value for key, value in metadata.items() if key not in _GUARDS}
    return path, json.dumps({**body, "metadata": kept}, sort_keys=True)
