"""A group keeps the shape with which its members started, whatever rules came later.

Which rules shaped a group stands on the PodGroup itself, so that it outlives us. As long as members run
that started by other rules, what we would decide otherwise is told and not done: until the workload itself
asks for something else than it did when we first looked, or nothing of it runs any more. Pods that come later
join the group as it is, and new groups are made by the rules of today.

A right that is lost is no better reason: a group that was decided by somebody who could read all owners stays
as it is for whoever cannot.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from podgrouper.core.fields import annotations, mapping, uid
from podgrouper.core.groups import Decision, Rendered
from podgrouper.core.interfaces import Dialect
from podgrouper.core.model import Json

RULES = "podgrouper.io/rules"
"""On a PodGroup: which rules shaped it last, as a digest. None: nobody knows, and ours hold."""

BLIND = "-blind"
"""Behind the digest, where not all owners could be read."""
Name = tuple[str, str, str]
"""Profile, namespace and name of a group."""


class _Precedent(NamedTuple):
    """What our rules said of a group when we first looked at it."""

    uid: str
    rules: str
    said: int


class Precedents:
    """Of the groups that other rules shaped and whose members run."""

    def __init__(self) -> None:
        self._first: dict[Name, _Precedent] = {}

    def __len__(self) -> int:
        return len(self._first)

    def bind(self, decision: Decision, rendered: Rendered, found: Json, dialect: Dialect) -> bool:
        """Whether the group stays as it is, whatever our rules would make of it."""
        name = (decision.key.profile, rendered.group.namespace, rendered.group.name)
        before, rules = shaped_by(found), rules_of(decision)
        if decision.blind and before and not before.endswith(BLIND):
            return True
        if before in ("", rules) or not _runs(rendered, dialect):
            self.forget(name)
            return False
        said = hash(json.dumps(rendered.object, sort_keys=True, default=str))
        now = _Precedent(uid(found), rules, said)
        first = self._first.get(name)
        if first is None or first[:2] != now[:2]:
            first = self._first[name] = now
        return first == now

    def forget(self, name: Name) -> None:
        """Nobody has pods for that group any more."""
        self._first.pop(name, None)


def rules_of(decision: Decision) -> str:
    """What a group that is written for this decision says of it."""
    return decision.rules + (BLIND if decision.rules and decision.blind else "")


def shaped_by(group: Json) -> str:
    return annotations(group).get(RULES, "")


def signed(obj: Json, rules: str) -> Json:
    """A PodGroup, or a patch of one, that says which rules made it."""
    if not rules:
        return obj
    metadata = mapping(obj, "metadata")
    there: Mapping[str, object] = mapping(metadata, "annotations")
    return {**obj, "metadata": {**metadata, "annotations": {**there, RULES: rules}}}


def _runs(rendered: Rendered, dialect: Dialect) -> bool:
    """Whether a member runs that the scheduler knows as one of this group."""
    pods = (placement.pod for placement in rendered.group.placements)
    running = (pod for pod in pods if pod.live and pod.phase == "Running")
    links = (dialect.link_of(pod) for pod in running)
    return any(link is not None and link.group == rendered.group.name for link in links)
