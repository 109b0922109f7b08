"""The nouns that the stages of the road hand to each other.

Everything here is frozen: a stage returns a new value and never fills one that it was given.
Objects that come from the API and whose shape is somebody else's stay plain JSON mappings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from podgrouper.core.faults import Fault
from podgrouper.core.quantity import Quantity
from podgrouper.core.reasons import Reason

Json: TypeAlias = Mapping[str, object]
"""An object as the API server shows it. Read it through `core.fields`: nothing about its shape is sure."""


@dataclass(frozen=True, slots=True, order=True)
class Kind:
    """A served kind: `apps/v1 ReplicaSet`, or `v1 Pod` for the core group."""

    api_version: str
    kind: str

    @property
    def group(self) -> str:
        return self.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        return self.api_version.rpartition("/")[2]

    def __str__(self) -> str:
        return f"{self.api_version} {self.kind}"


POD = Kind("v1", "Pod")
NAMESPACE = Kind("v1", "Namespace")


@dataclass(frozen=True, slots=True, order=True)
class Ref:
    """One object of one life: the uid tells it from a later namesake. No namespace: cluster-scoped."""

    kind: Kind
    namespace: str
    name: str
    uid: str = ""

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind.kind} {where}{self.name}"


@dataclass(frozen=True, slots=True)
class OwnerRef:
    """An entry of `metadata.ownerReferences`, as it stands there: a name that is missing is empty.

    None means that the flag was not there at all.
    """

    kind: Kind
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None

    @property
    def complete(self) -> bool:
        """Names an object. The API server refuses others, a file may hold them."""
        return bool(self.kind.api_version and self.kind.kind and self.name and self.uid)


@dataclass(frozen=True, slots=True)
class Link:
    """What a pod says about its group. An empty group is an annotation that is there and empty."""

    group: str
    part: str = ""


class Pod(NamedTuple):
    """A pod as policies see it: one flat row, built by `core.pods.pod_row` alone.

    A NamedTuple because a hundred thousand of them live at once: it is the smallest value Python has,
    and the garbage collector stops looking at it. `labels` and `annotations` hold only the keys that
    a policy declared; asking for another one raises (`core.pods.Picked`).
    """

    namespace: str
    name: str
    uid: str
    version: str
    created: str
    owners: tuple[OwnerRef, ...]
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    scheduler: str
    priority_class: str
    node: str
    phase: str
    deleting: bool
    has_labels: bool
    has_annotations: bool
    """There is any at all, declared or not: a conditional write into a map has to know."""
    resources: str
    """What spec and status say that the pod asks for, as JSON text; empty when no policy reads it."""
    blocked: str = ""
    """Why it has no node: the reason of `PodScheduled` when that is False; empty when nobody reads it."""

    @property
    def ref(self) -> Ref:
        return Ref(POD, self.namespace, self.name, self.uid)

    @property
    def live(self) -> bool:
        """Neither Succeeded, Failed nor being deleted. A pod in phase Unknown lives."""
        return not self.deleting and self.phase not in ("Succeeded", "Failed")


class Ending(StrEnum):
    """Why an owner chain goes no further."""

    TOP = "top"
    """The last owner has no owner."""
    FORBIDDEN = "forbidden"
    """The next owner's kind may not be read."""
    UNKNOWN_KIND = "unknown kind"
    """The next owner's kind is not served."""
    MISSING = "missing"
    """The next owner was looked for and does not exist."""
    OTHER_UID = "other uid"
    """An object of that name exists but is not the one that the reference names."""
    ELSEWHERE = "elsewhere"
    """An object of that uid exists, but not where the reference points: not readable, yet not gone.

    Its namespace, version or spelling is another one. Only files show such; a server answers for one place.
    """
    CYCLE = "cycle"
    """The next owner is on the chain already."""
    MALFORMED = "malformed"
    """The next reference lacks apiVersion, kind, name or uid."""
    TOO_DEEP = "too deep"
    """There are more than `owners.DEPTH_LIMIT` owners."""
    UNSEEN = "not seen yet"
    """Nobody has looked for the next owner yet: not an answer, a question."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A readable object on a chain."""

    ref: Ref
    object: Json


@dataclass(frozen=True, slots=True)
class Chain:
    """The owners of a pod, nearest first, up to the last readable one, and why it ends there."""

    owners: tuple[Owner, ...] = ()
    ending: Ending = Ending.TOP
    broken_at: OwnerRef | None = None
    """The reference that could not be followed; None at the top."""

    @property
    def top(self) -> Owner | None:
        return self.owners[-1] if self.owners else None


@dataclass(frozen=True, slots=True)
class Skip:
    """An expected outcome without a group. `message` names the object, the field and the next step."""

    reason: Reason
    message: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """One boundary of one profile: the unit of work. A thousand pods of one gang are one key."""

    profile: str
    namespace: str
    uid: str


@dataclass(frozen=True, slots=True)
class Member:
    """A pod below the boundary, with its way up and what it says about its group now."""

    pod: Pod
    chain: Chain
    link: Link | None


@dataclass(frozen=True, slots=True)
class ObjectWanted:
    """One object by name, beyond the chain: the RayCluster of a RayJob, a second owner of a pod.

    With a uid only that life of it will do: any other answers `Ending.OTHER_UID`.
    """

    kind: Kind
    namespace: str
    name: str
    uid: str = ""


@dataclass(frozen=True, slots=True)
class PodsWanted:
    """Pods by labels, also those of other boundaries: the launcher of an MPIJob."""

    namespace: str
    labels: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class GroupWanted:
    """A PodGroup by name, in the profile's dialect: a Job's group under an old name."""

    namespace: str
    name: str
    sure: bool = field(default=False, compare=False)
    """That it is missing has to be proven, for which somebody looks; not only that it was not seen yet."""


@dataclass(frozen=True, slots=True)
class GroupsWanted:
    """PodGroups whose names begin so: those that a workload may have outgrown."""

    namespace: str
    prefix: str


@dataclass(frozen=True, slots=True)
class LinkedWanted:
    """Pods that name this group, whatever workload they are of."""

    namespace: str
    group: str


Want: TypeAlias = ObjectWanted | PodsWanted | GroupWanted | GroupsWanted | LinkedWanted
Answer: TypeAlias = "Json | Ending | tuple[Pod, ...] | None"
"""ObjectWanted: the object or why not. PodsWanted, LinkedWanted: the pods. GroupWanted: the group or None.
GroupsWanted: the groups by name."""


@dataclass(frozen=True, slots=True)
class Workload:
    """A boundary, the pods below it in every phase, and whatever its policy asked for besides."""

    boundary: Ref
    root: Json
    """The boundary's object; `{}` when it could not be read (a controller that is forbidden)."""
    members: tuple[Member, ...]
    """By creation, then name: never in the order of events."""
    answers: Mapping[Want, Answer] = field(default_factory=dict)
    priority_classes: frozenset[str] = frozenset()
    fault: Fault | None = None
    """Why the policy could not say what it wants; then it is not asked to group either."""

    @property
    def live(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.pod.live)


@dataclass(frozen=True, slots=True)
class Topology:
    """Where members may sit apart. Volcano speaks of mode and tier, KAI of a topology and its levels."""

    mode: str = ""
    highest_tier: int | None = None
    name: str = ""
    required_level: str = ""
    preferred_level: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A role or subgroup inside a group. A leaf has a floor of pods, a parent a floor of parts."""

    name: str
    parent: str = ""
    floor: int | None = None
    floor_of_parts: int | None = None
    topology: Topology | None = None
    template: Json = field(default_factory=dict)
    """What its pods are made from, where the workload says it: tells their needs before one is there."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A pod that belongs to a group, and to which part of it, or which role.

    `replaces` is the link that the pod may carry now and that may be overwritten; any other link that
    names another group is somebody's choice and stays.
    """

    pod: Pod
    part: str = ""
    replaces: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """What a policy decided, for no scheduler in particular. Empty means: nobody said anything about it."""

    namespace: str
    name: str
    owners: tuple[OwnerRef, ...]
    placements: tuple[Placement, ...]
    floor: int | None = None
    floor_of_parts: int | None = None
    parts: tuple[Part, ...] = ()
    roles: tuple[Part, ...] = ()
    """What a group without parts is made of, for schedulers that count by role. One that takes every part
    for a gang of its own is not told."""
    queue: str = ""
    priority_class: str = ""
    resources: Mapping[str, Quantity] | None = None
    topology: Topology | None = None
    preemptibility: str = ""
    preemption_delay: str = ""
    staleness_grace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    """Field of this group -> where its value came from, in words for `explain`."""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A pod without a group, and why."""

    pod: Pod
    skip: Skip


@dataclass(frozen=True, slots=True)
class Remark:
    """Something a person should know although the work was done: an unusable value, a foreign link."""

    about: Ref
    reason: Reason
    message: str


@dataclass(frozen=True, slots=True)
class Retired:
    """A group that nothing needs any more. It is deleted only if it exists and `owner` (a uid) owns it."""

    namespace: str
    name: str
    owner: str


@dataclass(frozen=True, slots=True)
class Grouping:
    """What a policy makes of one workload."""

    groups: tuple[Group, ...] = ()
    unplaced: tuple[Unplaced, ...] = ()
    remarks: tuple[Remark, ...] = ()
    retired: tuple[Retired, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkPatch:
    """The annotations and labels that name a pod's group in one dialect. An empty map writes nothing."""

    annotations: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A group as one scheduler reads it. `lost` names what this dialect cannot express."""

    group: Group
    object: Json
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """All that stage 4 and 5 decided about one workload."""

    key: Key
    age: str
    """When the boundary was created. Of two boundaries that name one group the older one shapes it."""
    grouping: Grouping
    rendered: tuple[Rendered, ...]
    fault: Fault | None = None
    """Why an extension gave no answer; then no pod of the workload is placed."""


@dataclass(frozen=True, slots=True)
class CreateGroup:
    ref: Ref
    object: Json


@dataclass(frozen=True, slots=True)
class UpdateGroup:
    """A merge patch that holds exactly the difference, for the object of that uid and resourceVersion."""

    ref: Ref
    version: str
    patch: Json


@dataclass(frozen=True, slots=True)
class DeleteGroup:
    """`version` too is a precondition: whatever happened to the group since we looked saves it."""

    ref: Ref
    version: str


@dataclass(frozen=True, slots=True)
class LinkPod:
    """Sets the link of the pod with that uid, if it still carries the link that we saw (`expects`)."""

    pod: Pod
    group: str
    patch: LinkPatch
    expects: LinkPatch


@dataclass(frozen=True, slots=True)
class Report:
    """An event. The same report is made once per change of meaning, not once per pass."""

    about: Ref
    reason: Reason
    message: str


@dataclass(frozen=True, slots=True)
class WriteStatus:
    """A merge patch of a group's status, for the object of that uid and resourceVersion."""

    ref: Ref
    version: str
    patch: Json
    subresource: str
    """Where it is sent; empty where status is a part of the object."""


@dataclass(frozen=True, slots=True)
class EvictPod:
    """Asks the eviction API to let that life of the pod go: its gang is to start anew."""

    pod: Pod
    group: str


Change: TypeAlias = CreateGroup | UpdateGroup | DeleteGroup | LinkPod | Report | WriteStatus | EvictPod


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """The closed set of changes for one key, in the order in which they must be carried out."""

    changes: Sequence[Change] = ()
    waits_for: tuple[Ref, ...] = ()
    """Groups whose next change runs the key again: one that is being deleted holds its name until it is
    gone, one that another boundary shapes is not there yet."""
    key: Key | Ref | None = None
    """Whose plan it is: what it says takes the place of what the plan before it said."""
