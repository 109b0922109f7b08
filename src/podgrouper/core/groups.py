"""What was decided about pods: groups, who belongs to them, and how one scheduler has them written down."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from podgrouper.core.faults import Fault
from podgrouper.core.model import Json, Key, OwnerRef, Pod, Ref, Skip
from podgrouper.core.quantity import Quantity
from podgrouper.core.reasons import Reason


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
    rules: str = ""
    """By which rules it was decided, as `Profile.rules`."""
    blind: bool = False
    """An owner of the pods could not be read: who can read it may decide otherwise."""
