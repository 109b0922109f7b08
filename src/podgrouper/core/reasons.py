"""Stable reason codes: what `explain`, events, metrics and the log call an outcome.

A code never changes its meaning. Its line of help says what a person can do about it.
"""

from enum import StrEnum


class Reason(StrEnum):
    """CamelCase, as event reasons are in Kubernetes."""

    OTHER_SCHEDULER = "OtherScheduler"
    OPTED_OUT = "OptedOut"
    FINISHED = "Finished"
    NAMESPACE_OUT_OF_SCOPE = "NamespaceOutOfScope"
    LINKED_ELSEWHERE = "LinkedElsewhere"
    OWNER_GONE = "OwnerGone"
    OWNER_LEAVING = "OwnerLeaving"
    OWNER_FORBIDDEN = "OwnerForbidden"
    OWNER_KIND_UNKNOWN = "OwnerKindUnknown"
    OWNER_CYCLE = "OwnerCycle"
    OWNERS_TOO_DEEP = "OwnersTooDeep"
    OWNER_MALFORMED = "OwnerMalformed"
    BAD_VALUE = "BadValue"
    POD_NOT_READABLE = "PodNotReadable"
    GROUPER_FAILED = "GrouperFailed"
    GROUPER_HUNG = "GrouperHung"
    GROUP_INVALID = "GroupInvalid"
    GROUP_REFUSED = "GroupRefused"
    GROUP_KIND_MISSING = "GroupKindMissing"
    OWNER_NOT_BLOCKED = "OwnerNotBlocked"
    LINK_REFUSED = "LinkRefused"
    RIGHT_MISSING = "RightMissing"
    CHANGE_REVERTED = "ChangeReverted"
    NOT_EXPRESSIBLE = "NotExpressible"
    BAD_RULE = "BadRule"
    GROUP_CHANGED = "GroupChanged"
    GROUP_KEPT = "GroupKept"
    GROUP_DELETED = "GroupDeleted"
    GROUP_MISSING = "GroupMissing"
    NO_PODS = "NoPods"
    QUEUE_MISSING = "QueueMissing"
    QUEUE_CLOSED = "QueueClosed"
    QUEUE_OVER_LIMIT = "QueueOverLimit"
    TOO_FEW_PODS = "TooFewPods"
    FLOOR_OUT_OF_REACH = "FloorOutOfReach"
    ORDERED_START = "OrderedStart"
    RETRY_PARKED = "RetryParked"
    MEMBERS_FAILED = "MembersFailed"
    PODS_GATED = "PodsGated"
    NOT_ENOUGH_RESOURCES = "NotEnoughResources"
    BAD_BACKOFF = "BadBackoff"
    PRIORITY_MIX = "PriorityMix"
    NOT_SCHEDULED_YET = "NotScheduledYet"
    GANG_RESTARTED = "GangRestarted"
    RESTARTS_USED_UP = "RestartsUsedUp"
    EVICTION_REFUSED = "EvictionRefused"


HELP: dict[Reason, str] = {
    Reason.OTHER_SCHEDULER: "The pod's spec.schedulerName is listed by no profile.",
    Reason.OPTED_OUT: "The pod or one of its owners carries an opt-out annotation with the value true.",
    Reason.FINISHED: "The pod has ended or is being deleted and was never linked.",
    Reason.NAMESPACE_OUT_OF_SCOPE: "The configuration limits podgrouper to other namespaces or labels.",
    Reason.LINKED_ELSEWHERE: "The pod names a group that our rules did not choose; it is left alone.",
    Reason.OWNER_GONE: "An owner of the pod does not exist any more, or another object took its name.",
    Reason.OWNER_LEAVING: "What would own the group is gone or going; the pods are about to be collected.",
    Reason.OWNER_FORBIDDEN: "An owner's kind may not be read: grant get, list and watch (`podgrouper rbac`).",
    Reason.OWNER_KIND_UNKNOWN: "An owner's kind is not served by the API server: install its CRD.",
    Reason.OWNER_CYCLE: "The owner references lead back to an object that was passed already.",
    Reason.OWNERS_TOO_DEEP: "There are more owners above the pod than podgrouper follows.",
    Reason.OWNER_MALFORMED: "An owner reference lacks apiVersion, kind, name or uid.",
    Reason.BAD_VALUE: "A label, annotation or field has a value that its rule cannot use.",
    Reason.POD_NOT_READABLE: "The pod could not be decoded; it is treated as absent until it changes.",
    Reason.GROUPER_FAILED: "The grouper of this kind raised or gave a result that makes no sense.",
    Reason.GROUPER_HUNG: "The plugin for this kind gave no answer in time; it is asked again later.",
    Reason.GROUP_INVALID: "The group that was decided would be no valid object; nothing was written.",
    Reason.GROUP_REFUSED: "The API server or a webhook refused the PodGroup; its own words follow.",
    Reason.GROUP_KIND_MISSING: "The PodGroup kind is not served: install its CRD (`podgrouper crds`).",
    Reason.OWNER_NOT_BLOCKED: "Without `update` on the owner's finalizers blockOwnerDeletion was left out.",
    Reason.LINK_REFUSED: "The API server or a webhook refused the change of the pod; its own words follow.",
    Reason.RIGHT_MISSING: "A right that this takes is missing: apply what `podgrouper rbac` prints.",
    Reason.CHANGE_REVERTED: "Somebody takes our change back again and again; we only try every ten minutes.",
    Reason.NOT_EXPRESSIBLE: "The scheduler's PodGroup has no field for something that the policy decided.",
    Reason.BAD_RULE: "A rule or default could not be read; the rest is in force.",
    Reason.GROUP_CHANGED: "The PodGroup asks for something else now, because the workload does.",
    Reason.GROUP_KEPT: "Other rules made the PodGroup; it changes when its workload does or none of it runs.",
    Reason.GROUP_DELETED: "The PodGroup was deleted, because no pod needs it any more.",
    Reason.GROUP_MISSING: "The PodGroup does not exist yet: see whether podgrouper runs and is ready.",
    Reason.NO_PODS: "The object has no pods, so there is nothing to group.",
    Reason.QUEUE_MISSING: "The queue that the group names does not exist: create it or name another one.",
    Reason.QUEUE_CLOSED: "The queue that the group names is closed: open it or name another one.",
    Reason.QUEUE_OVER_LIMIT: "The queue is used up: what the group asks for is beyond its quota or limit.",
    Reason.TOO_FEW_PODS: "Fewer members exist than must start together; their owner has to create more.",
    Reason.FLOOR_OUT_OF_REACH: "More members must start together than can ever exist at one time.",
    Reason.ORDERED_START: "Each member is created only when the one before runs, so a gang never starts.",
    Reason.RETRY_PARKED: "Members have ended, and the floor asks for more than are left to run.",
    Reason.MEMBERS_FAILED: "Members have failed and nobody has replaced them: look at their logs.",
    Reason.PODS_GATED: "Members have scheduling gates: no scheduler looks at them before those are gone.",
    Reason.NOT_ENOUGH_RESOURCES: "No node has room for the members; the scheduler's own words follow.",
    Reason.BAD_BACKOFF: "A PodGroup has a schedulingBackoff that KAI does not know: it may be 1 or -1.",
    Reason.PRIORITY_MIX: "Members have different priority classes; the group has only one.",
    Reason.NOT_SCHEDULED_YET: "Everything is there, and no scheduler has looked at it: see whether it runs.",
    Reason.GANG_RESTARTED: "The group was Unknown for so long that its members were evicted, to start anew.",
    Reason.RESTARTS_USED_UP: "The group is Unknown again after as many restarts as an hour may have.",
    Reason.EVICTION_REFUSED: "A member of a gang that is to start anew may not be evicted, see the words.",
}


NOTICES = frozenset(
    {
        Reason.LINKED_ELSEWHERE,
        Reason.GROUP_CHANGED,
        Reason.GROUP_KEPT,
        Reason.GROUP_DELETED,
        Reason.GANG_RESTARTED,
    }
)
"""Told by events of type Normal: somebody's choice, or done as wanted. Everything else is a Warning."""

QUIET = frozenset(
    {
        Reason.OTHER_SCHEDULER,
        Reason.OPTED_OUT,
        Reason.FINISHED,
        Reason.LINKED_ELSEWHERE,
        Reason.NAMESPACE_OUT_OF_SCOPE,
        Reason.OWNER_LEAVING,
    }
)
"""Outcomes that somebody wanted or that pass by themselves: no event is made of each pod's."""
