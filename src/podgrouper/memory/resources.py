"""Which kinds are served, and how each of them behaves: rows, not branches.

Only what a grouper, its tests and the demo meet. A kind that is missing here is added by a
CustomResourceDefinition, or, when an object of it is loaded from a file, on the fly.
"""

from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import TypedDict, Unpack

from podgrouper.core.kinds import CLUSTER_SCOPED, plural_of
from podgrouper.core.model import Json, Kind


class Generation(Enum):
    """Which changes `metadata.generation` counts."""

    NONE = auto()
    """There is none."""
    BIRTH = auto()
    """It is 1 for ever."""
    SPEC = auto()
    SPEC_AND_ANNOTATIONS = auto()


EVERY_VERB = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
SUBRESOURCE_VERBS = ("get", "patch", "update")


@dataclass(frozen=True, slots=True)
class Resource:
    """A served kind: its path, and what the store does with its objects."""

    kind: Kind
    plural: str
    namespaced: bool = True
    status: bool = False
    """Has a status subresource: a write to the object leaves its status alone, and the other way round."""
    born_with_status: bool = False
    """A create keeps the status that it brings although there is a subresource: nodes report themselves."""
    scale: bool = False
    binding: bool = False
    """A scheduler may give its objects to nodes."""
    generation: Generation = Generation.SPEC
    unconditional: bool = True
    """A PUT without resourceVersion overwrites. Custom resources refuse it."""
    orphans: bool = False
    """A delete that names no propagation leaves the dependents alone: Jobs, for old times' sake."""
    returns_deleted: bool = False
    """The answer to a delete is the object, also when it is gone at once."""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    """What field selectors may ask for, besides name and namespace."""
    schema: Json | None = field(default=None, compare=False)
    """The structural schema of a custom resource; None for built-in kinds."""
    custom: bool = False

    @property
    def qualified(self) -> str:
        """As messages name it: `podgroups.scheduling.volcano.sh`, or `pods`."""
        return f"{self.plural}.{self.kind.group}" if self.kind.group else self.plural

    @property
    def storage(self) -> tuple[str, str]:
        """Where its objects are kept: all versions of a kind are the same objects."""
        return (self.kind.group, self.plural)

    @property
    def singular(self) -> str:
        return self.kind.kind.lower()

    @property
    def list_kind(self) -> str:
        return f"{self.kind.kind}List"


class _Traits(TypedDict, total=False):
    plural: str
    status: bool
    born_with_status: bool
    scale: bool
    binding: bool
    generation: Generation
    orphans: bool
    returns_deleted: bool
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    fields: tuple[str, ...]


def found_in_file(kind: Kind, *, namespaced: bool) -> Resource:
    """A kind of which nothing is known but an object: everything of it is kept as it stands."""
    return Resource(kind, plural_of(kind.kind), namespaced, custom=True, unconditional=False)


def _row(api_version: str, kind: str, **traits: Unpack[_Traits]) -> Resource:
    name = Kind(api_version, kind)
    row = Resource(name, plural_of(kind), name not in CLUSTER_SCOPED)
    return replace(row, **traits)


_ALL = ("all",)
_OBJECT_OF_EVENT = tuple(
    f"involvedObject.{name}"
    for name in ("apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid")
)
_POD_FIELDS = (
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
)

BUILT_IN: tuple[Resource, ...] = (
    _row("v1", "ConfigMap", generation=Generation.NONE, short_names=("cm",)),
    _row("v1", "Endpoints", plural="endpoints", generation=Generation.NONE, short_names=("ep",)),
    _row(
        "v1",
        "Event",
        generation=Generation.NONE,
        short_names=("ev",),
        fields=(*_OBJECT_OF_EVENT, "reason", "reportingComponent", "source", "type"),
    ),
    _row(
        "v1",
        "Namespace",
        status=True,
        generation=Generation.NONE,
        short_names=("ns",),
        fields=("status.phase",),
    ),
    _row(
        "v1",
        "Node",
        status=True,
        born_with_status=True,
        generation=Generation.NONE,
        short_names=("no",),
        fields=("spec.unschedulable",),
    ),
    _row("v1", "PersistentVolume", status=True, generation=Generation.NONE, short_names=("pv",)),
    _row("v1", "PersistentVolumeClaim", status=True, generation=Generation.NONE, short_names=("pvc",)),
    _row(
        "v1",
        "Pod",
        status=True,
        binding=True,
        returns_deleted=True,
        short_names=("po",),
        categories=_ALL,
        fields=_POD_FIELDS,
    ),
    _row("v1", "PodTemplate"),
    _row("v1", "ReplicationController", status=True, scale=True, short_names=("rc",), categories=_ALL),
    _row("v1", "ResourceQuota", status=True, generation=Generation.NONE, short_names=("quota",)),
    _row("v1", "Secret", generation=Generation.NONE, fields=("type",)),
    _row(
        "v1",
        "Service",
        status=True,
        generation=Generation.NONE,
        returns_deleted=True,
        short_names=("svc",),
        categories=_ALL,
    ),
    _row("v1", "ServiceAccount", generation=Generation.NONE, returns_deleted=True, short_names=("sa",)),
    _row("apps/v1", "ControllerRevision", generation=Generation.NONE),
    _row("apps/v1", "DaemonSet", status=True, short_names=("ds",), categories=_ALL),
    _row(
        "apps/v1",
        "Deployment",
        status=True,
        scale=True,
        generation=Generation.SPEC_AND_ANNOTATIONS,
        short_names=("deploy",),
        categories=_ALL,
    ),
    _row(
        "apps/v1",
        "ReplicaSet",
        status=True,
        scale=True,
        short_names=("rs",),
        categories=_ALL,
        fields=("status.replicas",),
    ),
    _row("apps/v1", "StatefulSet", status=True, scale=True, short_names=("sts",), categories=_ALL),
    _row("batch/v1", "CronJob", status=True, short_names=("cj",), categories=_ALL),
    _row("batch/v1", "Job", status=True, orphans=True, categories=_ALL, fields=("status.successful",)),
    _row("coordination.k8s.io/v1", "Lease", generation=Generation.NONE),
    _row("policy/v1", "PodDisruptionBudget", status=True, short_names=("pdb",)),
    _row("rbac.authorization.k8s.io/v1", "ClusterRole", generation=Generation.NONE),
    _row("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", generation=Generation.NONE),
    _row("rbac.authorization.k8s.io/v1", "Role", generation=Generation.NONE),
    _row("rbac.authorization.k8s.io/v1", "RoleBinding", generation=Generation.NONE),
    _row("scheduling.k8s.io/v1", "PriorityClass", generation=Generation.BIRTH, short_names=("pc",)),
    _row(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        status=True,
        short_names=("crd", "crds"),
        categories=("api-extensions",),
    ),
)
