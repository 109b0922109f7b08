"""A PodGroup and the pods that are linked to it, as a gang: what status, `get` and `explain` look at."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from podgrouper.core.conditions import Status
from podgrouper.core.interfaces import Dialect
from podgrouper.core.model import Json, Pod
from podgrouper.core.status import Gang, Phase, phase_of, tallies_of

Name = tuple[str, str]
"""Namespace and name of a group."""


def pods_by_group(pods: Iterable[Pod], dialect: Dialect) -> Mapping[Name, tuple[Pod, ...]]:
    """The pods that name a group, in whatever phase, by the group that they name."""
    found: defaultdict[Name, list[Pod]] = defaultdict(list)
    for pod in pods:
        link = dialect.link_of(pod)
        if link and link.group:
            found[pod.namespace, link.group].append(pod)
    return {name: tuple(members) for name, members in found.items()}


def gang_of(group: Json, members: Iterable[Pod], dialect: Dialect) -> Gang:
    """The gang as it stands, with the phase that somebody gave it last."""
    linked = ((pod, dialect.link_of(pod)) for pod in members)
    seats = [(pod, link.part if link else "") for pod, link in linked]
    return Gang(dialect.lifecycle.floors(group), tallies_of(seats), dialect.lifecycle.read(group).phase)


def shown_phase(status: Status, gang: Gang) -> Phase:
    """What a scheduler says about the group; where none says anything, what its pods say."""
    return status.phase or phase_of(gang)
