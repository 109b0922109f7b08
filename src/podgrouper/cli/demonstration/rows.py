"""What is seen, as rows: one for each group, and one for the pods of a workload that have none yet."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from podgrouper.cli.demonstration.mirror import Mirror
from podgrouper.cli.demonstration.pools import Pool
from podgrouper.core.fields import annotations, integer, items, kind_of, owner_refs, text, uid
from podgrouper.core.model import POD, Json
from podgrouper.sandbox.actors.pods import bound, condition, phase

NO_GROUP = ""
_UID = re.compile(r"([0-9a-f]{8})(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Row:
    """Pods that are in one group, with the way from them to the top."""

    profile: str
    chain: tuple[Json, ...]
    """From the owner at the top down to what the group stands for; of a group without pods, empty."""
    group: Json | None
    pods: tuple[Json, ...]

    @property
    def name(self) -> str:
        return text(self.group, "metadata.name") if self.group else NO_GROUP

    @property
    def short_name(self) -> str:
        """With the first part of each uid."""
        return _UID.sub(r"\1…", self.name)

    @property
    def floor(self) -> int:
        """How many pods start together."""
        if self.group is None:
            return 0
        parts = items(self.group, "spec.subGroups")
        return sum(integer(one, "minMember", 0) for one in parts) or integer(self.group, "spec.minMember", 1)

    @property
    def owner(self) -> str:
        """The kind of what the group belongs to."""
        owners = owner_refs(self.group) if self.group else ()
        return owners[0].kind.kind if owners else ""

    @property
    def top(self) -> str:
        return f"{kind_of(self.chain[0]).kind} {text(self.chain[0], 'metadata.name')}" if self.chain else "-"

    @property
    def path(self) -> str:
        """`Deployment web > ReplicaSet web-5d8f`."""
        return " > ".join(f"{kind_of(one).kind} {text(one, 'metadata.name')}" for one in self.chain) or "-"

    @property
    def states(self) -> Mapping[str, int]:
        """How many pods are how, in the order in which pods go through it."""
        found = [state_of(pod) for pod in self.pods]
        return {state: found.count(state) for state in STATES if state in found}

    @property
    def waits_for(self) -> str:
        """Why nothing starts, in the scheduler's words; empty when nothing waits."""
        waiting = [pod for pod in self.pods if state_of(pod) == "waiting"]
        return next((text(condition(pod, "PodScheduled"), "message") for pod in waiting), "")


STATES = ("waiting", "starting", "running", "succeeded", "failed")


def state_of(pod: Json) -> str:
    how = phase(pod)
    if how == "Pending":
        return "starting" if bound(pod) else "waiting"
    return how.lower()


def rows_of(mirror: Mirror, pool: Pool) -> tuple[Row, ...]:
    """By workload, then by the age of the group."""
    groups = {text(group, "metadata.name"): group for group in mirror.all(pool.group, pool.namespace)}
    members: dict[tuple[str, str], list[Json]] = {}
    for pod in mirror.all(POD, pool.namespace):
        linked = annotations(pod).get(pool.link, NO_GROUP)
        top = mirror.chain(pod)[-1]
        key = (linked, "" if linked in groups else text(top, "metadata.uid"))
        members.setdefault(key, []).append(pod)
    rows = [
        Row(pool.profile, _chain(mirror, pods, groups.get(name)), groups.get(name), tuple(pods))
        for (name, _), pods in members.items()
    ]
    taken = {name for name, _ in members}
    rows += [Row(pool.profile, (), group, ()) for name, group in groups.items() if name not in taken]
    return tuple(sorted(rows, key=_order))


def _chain(mirror: Mirror, pods: Sequence[Json], group: Json | None) -> tuple[Json, ...]:
    """From the top down to the owner of the group, or as far as the chains of the pods are the same."""
    chains = [mirror.chain(pod)[::-1] for pod in pods]
    common = tuple(_common(chains))
    owners = {owner.uid for owner in owner_refs(group)}
    end = next((number for number, one in enumerate(common, start=1) if uid(one) in owners), len(common))
    return common[:end]


def _common(chains: Sequence[tuple[Json, ...]]) -> Iterator[Json]:
    for level in zip(*chains, strict=False):
        if len({text(one, "metadata.uid") for one in level}) > 1:
            return
        yield level[0]


def _order(row: Row) -> tuple[str, str, str]:
    top = row.chain[0] if row.chain else {}
    return (text(top, "metadata.creationTimestamp"), row.top, row.path)
