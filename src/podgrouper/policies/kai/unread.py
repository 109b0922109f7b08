"""Owners above a workload that may not be read, or whose kind is not served: the workload ends below them."""

from collections.abc import Iterable, Iterator

from podgrouper.core.groups import Remark
from podgrouper.core.model import Member, Ref
from podgrouper.core.owners import UNREAD


def on_unread_owners(members: Iterable[Member]) -> Iterator[Remark]:
    """One for each of them, in the same words for all workloads below it: so it is one event."""
    told: set[str] = set()
    for member in members:
        reference, ending = member.chain.broken_at, member.chain.ending
        if reference is None or ending not in UNREAD or reference.uid in told or not member.pod.live:
            continue
        told.add(reference.uid)
        reason, what = UNREAD[ending]
        message = (
            f"{reference.kind} {reference.name!r} {what}; until then its pods are grouped by what is below "
            "it, and neither it nor any owner above it has a say"
        )
        yield Remark(
            Ref(reference.kind, member.pod.namespace, reference.name, reference.uid), reason, message
        )
