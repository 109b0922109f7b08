"""What a pod says about its group, whatever its scheduler."""

from collections.abc import Mapping

from podgrouper.core.fields import annotations, being_deleted, labels, mapping, ref_of, text
from podgrouper.core.model import Json, Kind
from tests.golden.running import GROUP_KINDS, LINKS, PARTS
from tests.roads.worlds import SCHEDULERS
from tests.soak.deeds import ENDED

GroupPlace = tuple[Kind | None, str, str]
"""Kind, namespace and name. No kind: of a scheduler that is none of ours."""
GROUPS = frozenset(GROUP_KINDS.values())
PROFILES: Mapping[str, str] = {scheduler: profile for profile, scheduler in SCHEDULERS.items()}
VERSIONS = ("resourceVersion", "managedFields")
TASK = "volcano.sh/task-spec"
"""What links a pod to its part of a group in Volcano's words."""


def profile_of(pod: Json) -> str:
    """Empty when the pod is nobody's."""
    return PROFILES.get(text(pod, "spec.schedulerName"), "")


def named_by(pod: Json) -> GroupPlace:
    """The group that a pod names; its name is empty when it names none."""
    profile, namespace = profile_of(pod), ref_of(pod).namespace
    if not profile:
        return None, namespace, ""
    return GROUP_KINDS[profile], namespace, annotations(pod).get(LINKS[profile], "")


def part_of(pod: Json) -> str:
    return labels(pod).get(PARTS[profile_of(pod)], "")


def place_of(group: Json) -> GroupPlace:
    ref = ref_of(group)
    return ref.kind, ref.namespace, ref.name


def is_live(pod: Json) -> bool:
    return text(pod, "status.phase") not in ENDED and not being_deleted(pod)


def without_link(pod: Json) -> Json:
    """All of it that a controller of ours has no business with."""
    return _without(pod, frozenset({*LINKS.values(), *PARTS.values(), TASK}))


def unlinked(pod: Json) -> Json:
    """As it was before anybody linked it or ran it."""
    plain = without_link(pod)
    metadata = {key: value for key, value in mapping(plain, "metadata").items() if key != "deletionTimestamp"}
    return {**plain, "metadata": metadata, "status": {"phase": "Pending"}}


def _without(pod: Json, keys: frozenset[str]) -> Json:
    metadata = {key: value for key, value in mapping(pod, "metadata").items() if key not in VERSIONS}
    for part in ("annotations", "labels"):
        metadata[part] = {key: value for key, value in mapping(metadata, part).items() if key not in keys}
    return {**pod, "metadata": metadata}
