"""The whole pure road on one screen. Read this first.

    pod ──3a──> boundary ──3b──> workload ──4──> grouping ──5──> decision ──6──> plan
        owners             wants          policy         dialect          live groups, claims

1 (watch) and 2 (queue) bring a pod here, `controller.carry_out` takes the plan away; what is told (7)
are the plan's reports. The controller, `podgrouper plan`, `diff` and the tests all walk this road, with
other ends: a `Sight` that looks at a cluster or at files. Nothing here waits, writes, logs or knows the
time. Nothing flows back: a change comes home as a new observation.
"""

from collections.abc import Iterable

from podgrouper.core.changes import plan_changes
from podgrouper.core.claims import Claims
from podgrouper.core.consent import with_recovery
from podgrouper.core.faults import Fault
from podgrouper.core.fields import text
from podgrouper.core.groups import Decision, Group, Grouping, Unplaced
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import Ending, Key, Pod, Ref, Skip, Workload
from podgrouper.core.reasons import Reason
from podgrouper.core.workloads import Sight, Unseen, boundary_of, boundary_of_group, fault_of, workload_of

__all__ = [
    "Claims",
    "Sight",
    "Unseen",
    "boundary_of",
    "boundary_of_group",
    "decide",
    "key_of",
    "plan_changes",
    "profile_of",
    "walk",
    "workload_of",
]


_UNREADABLE = frozenset({Ending.FORBIDDEN, Ending.UNKNOWN_KIND})


def profile_of(pod: Pod, profiles: Iterable[Profile]) -> Profile | None:
    """The profile whose scheduler the pod asks for. Names never overlap, so there is at most one."""
    return next((profile for profile in profiles if pod.scheduler in profile.schedulers), None)


def walk(boundary: Ref, pods: Iterable[Pod], profile: Profile, sight: Sight) -> Decision | Unseen:
    """Stages 3b to 5 for one boundary: the pods below it in, what should be out.

    `plan_changes` (6) compares that with what is there. Between the two the caller stakes the claims of the
    decision, for a group may be named by more than one boundary.
    """
    workload = workload_of(boundary, pods, profile, sight)
    return workload if isinstance(workload, Unseen) else decide(workload, profile)


def decide(workload: Workload, profile: Profile) -> Decision:
    """Stages 4 and 5: how this workload's pods become groups, and how the scheduler reads them.

    Keeps the promises of an extension point: a raise, an impossible group or a forgotten pod becomes a
    reasoned skip for the pods concerned and touches no other workload.
    """
    key = key_of(workload.boundary, profile, _namespace(workload))
    fault = workload.fault
    if fault is None:
        try:
            checked = _checked(profile.policy.group(workload), workload, profile)
            grouping = with_recovery(checked, workload, profile.upkeep.recovery)
            rendered = tuple(profile.dialect.render(group) for group in grouping.groups)
            blind = any(member.chain.ending in _UNREADABLE for member in workload.live)
            return Decision(key, _age(workload), grouping, rendered, rules=profile.rules, blind=blind)
        except Exception as error:
            fault = fault_of(profile, error)
    return Decision(key, _age(workload), _all_unplaced(workload, fault), (), fault)


def key_of(boundary: Ref, profile: Profile, namespace: str) -> Key:
    """The unit of work. `namespace` is the pods': a cluster-scoped boundary (a Node) has none of its own."""
    return Key(profile.name, boundary.namespace or namespace, boundary.uid)


def _checked(grouping: Grouping, workload: Workload, profile: Profile) -> Grouping:
    """The same checks for every policy, ours and others': no group that cannot be, no pod forgotten."""
    good: list[Group] = []
    unplaced = list(grouping.unplaced)
    for group in grouping.groups:
        problems = profile.dialect.problems(group)
        if problems:
            skip = Skip(Reason.GROUP_INVALID, f"PodGroup {group.name!r}: {'; '.join(problems)}")
            unplaced.extend(Unplaced(placement.pod, skip) for placement in group.placements)
        else:
            good.append(group)
    told = {placement.pod.uid for group in good for placement in group.placements}
    told |= {entry.pod.uid for entry in unplaced}
    forgotten = Skip(Reason.GROUPER_FAILED, f"{profile.policy.name} neither placed this pod nor said why")
    unplaced.extend(Unplaced(member.pod, forgotten) for member in workload.live if member.pod.uid not in told)
    return Grouping(tuple(good), tuple(unplaced), grouping.remarks, grouping.retired)


def _all_unplaced(workload: Workload, fault: Fault) -> Grouping:
    skip = Skip(fault.reason, fault.message)
    return Grouping(unplaced=tuple(Unplaced(member.pod, skip) for member in workload.live))


def _namespace(workload: Workload) -> str:
    return workload.members[0].pod.namespace if workload.members else ""


def _age(workload: Workload) -> str:
    """A boundary that cannot be read is as old as its first pod."""
    oldest = workload.members[0].pod.created if workload.members else ""
    return text(workload.root, "metadata.creationTimestamp") or oldest
