"""The extension points. There are two: a policy decides, a dialect writes down.

Both are pure: values in, values out, no clock, no network, no log. Both say beforehand what they
read, because nothing else is kept in memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from podgrouper.core.conditions import Status
from podgrouper.core.groups import Group, Grouping, LinkPatch, Placement, Rendered
from podgrouper.core.model import (
    NAMESPACE,
    Chain,
    Json,
    Kind,
    Link,
    ObjectWanted,
    Pod,
    Ref,
    Skip,
    Want,
    Workload,
)
from podgrouper.core.recovery import RECOVER, Recover, Recovery
from podgrouper.core.selectors import Selector
from podgrouper.core.status import Floors
from podgrouper.core.trimming import WHOLE_PATH

WHOLE = frozenset({WHOLE_PATH})
"""Paths that mean the object as a whole."""


@dataclass(frozen=True, slots=True)
class Reads:
    """What a policy or dialect wants to see. What nobody declares is not kept, and raises when read."""

    labels: frozenset[str] = frozenset()
    """Of pods."""
    annotations: frozenset[str] = frozenset()
    """Of pods."""
    resources: bool = False
    """Requests, limits and resize status of pods (`Pod.resources`)."""
    paths: Mapping[Kind, frozenset[str]] = field(default_factory=dict)
    """Kinds of owners whose spec or status is read, and where: `{STATEFUL_SET: {"spec.replicas"}}`.

    Dotted paths from the object's root; `WHOLE` is all of it (the noise of pod templates aside). Of every
    other kind its metadata is seen and nothing else. `POD` in it means: where a pod is itself the
    boundary, all of its labels and annotations are read (`Workload.root`). That costs a GET for each such
    pod, since rows keep declared keys only.
    """
    kinds: frozenset[Kind] = frozenset()
    """Kinds of owners that this policy knows and may have to read: what a role has to grant beforehand.

    Others are followed too where the role allows it; a kind that may not be read ends the chain.
    """
    self_standing: frozenset[Kind] = frozenset()
    """Kinds whose own changes concern us even while no pod of theirs lives (a ReplicaSet going to 0)."""
    blocked: frozenset[Kind] = frozenset()
    """Kinds of owners whose foreground deletion waits for the group (`blockOwnerDeletion`). To say so takes a
    right of its own on clusters that guard owners."""
    priority_classes: bool = False
    scheduling: bool = False
    """Why pods have no node (`Pod.blocked`)."""

    def __or__(self, other: "Reads") -> "Reads":
        return Reads(
            self.labels | other.labels,
            self.annotations | other.annotations,
            self.resources or other.resources,
            _united(self.paths, other.paths),
            self.kinds | other.kinds,
            self.self_standing | other.self_standing,
            self.blocked | other.blocked,
            self.priority_classes or other.priority_classes,
            self.scheduling or other.scheduling,
        )


def _united(
    one: Mapping[Kind, frozenset[str]], other: Mapping[Kind, frozenset[str]]
) -> Mapping[Kind, frozenset[str]]:
    nothing: frozenset[str] = frozenset()
    return {kind: one.get(kind, nothing) | other.get(kind, nothing) for kind in {**one, **other}}


class Policy(Protocol):
    """How pods become groups.

    The caller keeps these promises: `boundary` gets a chain without `Ending.UNSEEN`; `group` gets
    members sorted by creation and name, an answer to every want, and at least one member unless the
    boundary's kind is self-standing. A raise costs that workload its group and nobody else anything.
    """

    @property
    def name(self) -> str: ...

    @property
    def reads(self) -> Reads: ...

    def boundary(self, pod: Pod, chain: Chain) -> Ref | Skip:
        """Where this pod belongs together with others: an owner on the chain, or the pod itself.

        Depends on nothing but the two arguments, and of the pod neither on where it runs nor on its phase,
        beyond whether it lives. May be called for a pod in any phase.
        """

    def boundary_of_group(self, group: Json) -> Ref | None:
        """The boundary that an existing PodGroup belongs to by its owner references; None: none of ours.

        Asked for PodGroups that no living pod leads to, so that a group which nothing needs any more is
        looked after too (a ReplicaSet at 0). Only kinds in `Reads.self_standing` make sense here.
        """

    def wants(self, workload: Workload) -> Sequence[Want]:
        """What else is needed to decide, given what was answered so far. Asked up to three times."""

    def group(self, workload: Workload) -> Grouping:
        """The groups of this workload. Every live member is placed or unplaced with a reason."""


class Ownership(Enum):
    """Whose a field of an existing PodGroup is."""

    OURS = "always ours: written, and removed when we say nothing"
    NAMED = "ours when somebody names it: written when we have a value, removed only if we wrote it"
    LASTING = "ours when somebody names it: written when we have a value, and then it stays"
    CREATION = "ours at creation only: afterwards anybody's, unless it is empty"
    NEVER = "never ours: not written, not removed, not looked at"


@dataclass(frozen=True, slots=True)
class FieldRule:
    """Says who owns the fields at `path` of a PodGroup.

    A path is a tuple of keys; a last key `*` stands for every key at that place that no other rule
    names, each a field of its own. `excludes`: a sibling key that cannot stand beside this one.
    `quantities`: values are maps of quantities, equal by value. `absent_as`: a value that the server
    fills in when the field is left out.
    """

    path: tuple[str, ...]
    ownership: Ownership
    excludes: str = ""
    quantities: bool = False
    absent_as: object = None


class Lifecycle(Protocol):
    """How the status of a group is read and written for one scheduler."""

    @property
    def reads(self) -> Reads:
        """What has to be known of pods and others to write a status."""

    @property
    def subresource(self) -> str:
        """Where status is written: `status` where the CRD has that subresource, else empty."""

    def floors(self, group: Json) -> Floors:
        """What the scheduler wants to see at once, from the PodGroup as it is."""

    def read(self, group: Json) -> Status:
        """The status that stands there. What cannot be understood reads as absent."""

    def write(self, status: Status, live: Json) -> Json:
        """The merge patch that makes this the status; empty when `live` says the same.

        Entries and fields of others stay.
        """

    def usage(self, live: Json, members: Sequence[Pod], classes: Mapping[str, Json], /) -> Json:
        """The merge patch for what this scheduler's API says of resources in the status; empty when it says
        nothing or nothing else. `classes` are the PriorityClasses by name."""


class Dialect(Protocol):
    """How a group is written down for one scheduler."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> Kind:
        """The PodGroup's kind."""

    @property
    def reads(self) -> Reads:
        """The keys of the link."""

    @property
    def fields(self) -> tuple[FieldRule, ...]:
        """Who owns what on a PodGroup. Create, patch, adoption and removal all read this one table."""

    @property
    def lifecycle(self) -> Lifecycle: ...

    @property
    def predecessors(self) -> frozenset[str]:
        """Field managers of the controller that we replace: what it wrote is ours to remove."""

    def render(self, group: Group) -> Rendered:
        """The PodGroup as it is sent at creation, and what could not be said in this dialect."""

    def link(self, group: Group, placement: Placement) -> LinkPatch:
        """What the pod has to carry to be a member of that group."""

    def link_of(self, pod: Pod) -> Link | None:
        """What the pod carries now; None when there is no link key at all."""

    def queue_of(self, group: Group) -> ObjectWanted | None:
        """The queue whose change may turn a refusal of this group into a yes; None when none can.

        Its kind stands in `reads`, with the paths that such a change shows itself in.
        """

    def problems(self, group: Group) -> tuple[str, ...]:
        """Why the API would refuse this group (names, patterns, minimums): nothing is sent in vain."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a profile looks. Empty means everywhere."""

    namespaces: frozenset[str] = frozenset()
    namespace_labels: Selector = ()
    """Of the pod's namespace, as it is now: one that gets its label later is picked up."""
    pod_labels: Selector = ()


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What is done for groups once they are made: only what somebody asked for."""

    write_status: bool = False
    """The controller writes the status. Else a scheduler does, and nothing of ours touches it."""
    recovery: Recovery = field(default_factory=Recovery)

    @property
    def any(self) -> bool:
        return self.write_status or self.recovers

    @property
    def recovers(self) -> bool:
        return self.recovery.mode is not Recover.NEVER


@dataclass(frozen=True, slots=True)
class Profile:
    """Which pods, under which policy, written in which dialect."""

    name: str
    schedulers: frozenset[str]
    policy: Policy
    dialect: Dialect
    skip_annotations: frozenset[str]
    """Annotations that opt a pod out when they are exactly `true` on it or on a readable owner."""
    scope: Scope = Scope()
    upkeep: Upkeep = Upkeep()
    patient: frozenset[Kind] = frozenset()
    """Kinds of boundaries whose rules may take their time; a version `*` stands for every version."""
    rules: str = ""
    """Tells these rules from those of another version or configuration. Empty: groups do not say who shaped
    them."""
    reads: Reads = field(init=False)
    """All that the parts of this profile want to see."""

    def __post_init__(self) -> None:
        own = Reads(
            labels=frozenset(wanted.key for wanted in self.scope.pod_labels),
            annotations=self.skip_annotations | ({RECOVER} if self.upkeep.recovers else frozenset()),
            kinds=frozenset({NAMESPACE} if self.scope.namespace_labels else ()),
            scheduling=self.upkeep.any,
        )
        if self.upkeep.write_status:
            own |= self.dialect.lifecycle.reads
        object.__setattr__(self, "reads", self.policy.reads | self.dialect.reads | own)

    def takes_its_time(self, boundary: Kind) -> bool:
        """Whether nobody else should wait while a workload of this kind is decided."""
        return bool(self.patient) and not self.patient.isdisjoint(
            (boundary, Kind(f"{boundary.group}/*", boundary.kind))
        )
