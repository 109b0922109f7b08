"""Stage 6 of the road, its pure part: from a decision and what exists to the closed set of changes.

Idempotent: carried out, the same decision gives an empty plan. Order matters once only: a group is
written before a pod points at it.
"""

from collections.abc import Callable, Iterator

from podgrouper.core.claims import Claims
from podgrouper.core.difference import WrittenBy, as_decided, difference
from podgrouper.core.fields import being_deleted, owner_refs, ref_of, text
from podgrouper.core.groups import Decision, LinkPatch, Placement, Rendered, Retired
from podgrouper.core.interfaces import Dialect, FieldRule, Ownership
from podgrouper.core.model import Json, Kind, Ref
from podgrouper.core.plans import Change, CreateGroup, DeleteGroup, KeyPlan, LinkPod, Report, UpdateGroup
from podgrouper.core.precedents import RULES, rules_of, shaped_by, signed
from podgrouper.core.reasons import QUIET, Reason
from podgrouper.core.recovery import RECORD, RECOVER
from podgrouper.core.saying import said

MANAGER = "podgrouper.io"
"""The field manager of every write. Not `podgrouper`: KAI's program is called that."""

_NOT_DECIDED = tuple(FieldRule(("metadata", "annotations", key), Ownership.NEVER) for key in (RECORD, RULES))
"""What we write on a PodGroup beside what was decided about it, in whatever dialect."""
_PREFIX = "podgrouper.io/"

KEPT = (
    "other rules shaped it and members of it run, so it stays; by the rules in force it says {} as soon as "
    "its workload changes or none of them runs"
)

LiveGroup = Callable[[Kind, str, str], Json | None]
"""Kind, namespace and name -> the PodGroup that exists."""


def plan_changes(decision: Decision, dialect: Dialect, live: LiveGroup, claims: Claims) -> KeyPlan:
    """What has to be written so that the world is as decided, and what has to be told.

    A group that somebody older shapes is only linked to, once it is there. One that other rules shaped stays
    as it is while it runs.
    """
    changes: list[Change] = []
    waits: list[Ref] = []
    for rendered in decision.rendered:
        group = rendered.group
        found = live(dialect.kind, group.namespace, group.name)
        if found is not None and being_deleted(found):
            waits.append(ref_of(found))
            continue
        if claims.shapes(decision.key, group.namespace, group.name):
            changes.extend(_group_changes(rendered, found, decision, dialect, claims))
        elif found is None:
            waits.append(Ref(dialect.kind, group.namespace, group.name))
            continue
        changes.extend(_links(rendered, dialect))
    for retired in decision.grouping.retired:
        if not claims.named(decision.key.profile, retired.namespace, retired.name):
            changes.extend(_deletion(retired, dialect.kind, live))
    changes.extend(_reports(decision))
    return KeyPlan(tuple(changes), tuple(waits), decision.key)


def _group_changes(
    rendered: Rendered, found: Json | None, decision: Decision, dialect: Dialect, claims: Claims
) -> Iterator[Change]:
    group, rules = rendered.group, rules_of(decision)
    wanted = signed(rendered.object, rules)
    if found is None:
        yield CreateGroup(Ref(dialect.kind, group.namespace, group.name), wanted)
        return
    patch = patch_of(wanted, found, dialect)
    if not patch:
        return
    kept = claims.precedents.bind(decision, rendered, found, dialect)
    if kept and not decision.blind:
        yield Report(ref_of(found), Reason.GROUP_KEPT, KEPT.format(said(patch)))
    elif not kept:
        patch = patch if shaped_by(found) == rules else signed(patch, rules)
        yield UpdateGroup(ref_of(found), text(found, "metadata.resourceVersion"), patch)


def patch_of(wanted: Json, found: Json, dialect: Dialect) -> Json:
    """What would be changed of a PodGroup so that it is as wanted; nothing of most, most of the time."""
    if as_decided(wanted, found):
        return {}
    written = _WrittenByUs(found, dialect.predecessors | {MANAGER})
    return difference(wanted, found, (*_NOT_DECIDED, *dialect.fields), written)


class _WrittenByUs(WrittenBy):
    """Keys of ours that this version does not know are another version's: they stay."""

    def __contains__(self, path: object) -> bool:
        return super().__contains__(path) and _known(path)


def _known(path: object) -> bool:
    key = path[-1] if isinstance(path, tuple) else ""
    return not key.startswith(_PREFIX) or key == RECOVER


def _links(rendered: Rendered, dialect: Dialect) -> Iterator[Change]:
    for placement in rendered.group.placements:
        link = dialect.link(rendered.group, placement)
        current = dialect.link_of(placement.pod)
        if current and current.group not in ("", rendered.group.name, placement.replaces):
            yield Report(
                placement.pod.ref,
                Reason.LINKED_ELSEWHERE,
                f"the pod names group {current.group!r}; its own would be {rendered.group.name!r}",
            )
        elif placement.pod.live and (carried := _carried(placement, link)) != link:
            yield LinkPod(placement.pod, rendered.group.name, link, carried)


def _carried(placement: Placement, link: LinkPatch) -> LinkPatch:
    """What the pod has now under the keys of the link; keys that it lacks are left out."""
    pod = placement.pod
    return LinkPatch(
        {key: pod.annotations[key] for key in link.annotations if key in pod.annotations},
        {key: pod.labels[key] for key in link.labels if key in pod.labels},
    )


def _deletion(retired: Retired, kind: Kind, live: LiveGroup) -> Iterator[Change]:
    found = live(kind, retired.namespace, retired.name)
    if found is None or being_deleted(found):
        return
    if any(owner.uid == retired.owner for owner in owner_refs(found)):
        yield DeleteGroup(ref_of(found), text(found, "metadata.resourceVersion"))


def _reports(decision: Decision) -> Iterator[Report]:
    for unplaced in decision.grouping.unplaced:
        if unplaced.skip.reason not in QUIET:
            yield Report(unplaced.pod.ref, unplaced.skip.reason, unplaced.skip.message)
    for remark in decision.grouping.remarks:
        yield Report(remark.about, remark.reason, remark.message)
    for rendered in decision.rendered:
        if rendered.lost:
            about = rendered.group.placements[0].pod.ref if rendered.group.placements else None
            if about:
                yield Report(about, Reason.NOT_EXPRESSIBLE, "; ".join(rendered.lost))
