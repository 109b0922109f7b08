"""The nouns that the stages of the road hand to each other.

Everything here is frozen: a stage returns a new value and never fills one that it was given. What is looked
up by for every pod (`Kind`, `Ref`, `OwnerRef`, `Key`) is a NamedTuple, for Python hashes tuples by itself.
Objects that come from the API and whose shape is somebody else's stay plain JSON mappings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from podgrouper.core.faults import Fault
from podgrouper.core.reasons import Reason

Json: TypeAlias = Mapping[str, object]
"""An object as the API server shows it. Read it through `core.fields`: nothing about its shape is sure."""


class Kind(NamedTuple):
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


class Ref(NamedTuple):
    """One object of one life: the uid tells it from a later namesake. No namespace: cluster-scoped."""

    kind: Kind
    namespace: str
    name: str
    uid: str = ""

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind.kind} {where}{self.name}"


class OwnerRef(NamedTuple):
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
    node: str
    labels: Mapping[str, str]
    owners: tuple[OwnerRef, ...]
    """From here on the pods of a gang are alike. Labels may hold a pod's index."""
    annotations: Mapping[str, str]
    scheduler: str
    priority_class: str
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


class Key(NamedTuple):
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
    priority_classes: frozenset[str] | None = frozenset()
    """Those that there are; None where nobody may know."""
    fault: Fault | None = None
    """Why the policy could not say what it wants; then it is not asked to group either."""

    @property
    def live(self) -> tuple[Member, ...]:
        return tuple(member for member in self.members if member.pod.live)
