"""From what profiles declare to read and write, to the roles that grant exactly that."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from podgrouper.config.model import Config, LeaderElection
from podgrouper.core.interfaces import Profile
from podgrouper.core.kinds import CLUSTER_SCOPED, plural_of
from podgrouper.core.model import POD, Json, Kind
from podgrouper.wiring import texts_wanted, wire

RBAC = "rbac.authorization.k8s.io"
READ = ("get", "list", "watch")
POD_VERBS = (*READ, "patch")
GROUP_VERBS = (*READ, "create", "patch", "delete")
EVENT_VERBS = ("create",)
LIST_VERBS = ("list", "watch")
BLOCK_VERBS = ("update",)
PRIORITY_CLASS = Kind("scheduling.k8s.io/v1", "PriorityClass")
NAMESPACE = Kind("v1", "Namespace")
EVICT_VERBS = ("create",)
STATUS_VERBS = ("patch",)
EVENT = Kind("v1", "Event")
CONFIG_MAP = Kind("v1", "ConfigMap")
LEASE = Kind("coordination.k8s.io/v1", "Lease")


@dataclass(frozen=True, slots=True)
class Subject:
    """A service account."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Grant:
    """Verbs on one resource; `where` is its namespace when it is always the same one."""

    kind: Kind
    verbs: tuple[str, ...]
    name: str = ""
    where: str = ""
    subresource: str = ""

    @property
    def cluster_scoped(self) -> bool:
        return self.kind in CLUSTER_SCOPED


def role_objects(
    config: Config, name: str, subject: Subject | None, *, observe: bool = False, guarded: bool = False
) -> tuple[Json, ...]:
    """Roles, and bindings when there is somebody to bind, in an order that can be applied.

    With namespaces there are Roles alone: whoever has nothing but those can grant them. What has no
    namespace (PriorityClasses, the labels of namespaces) is not read then. `observe`: for one that only
    looks. `guarded`: for a cluster that guards owners.
    """
    grants, leases = grants_of(config, guarded=guarded), lease_grants(config.leader_election, subject)
    if observe:
        grants, leases = read_only(grants), []
    objects: list[Json] = []
    if not config.namespaces:
        objects.extend(_role_and_binding("", name, grants, subject))
        for where, inside in _by_namespace(leases, ()).items():
            objects.extend(_role_and_binding(where, name, inside, subject))
        return tuple(objects)
    for namespace, inside in _by_namespace([*grants, *leases], config.namespaces).items():
        objects.extend(_role_and_binding(namespace, name, inside, subject))
    return tuple(objects)


def grants_of(config: Config, *, guarded: bool = False) -> list[Grant]:
    """One grant for each kind, pods and groups first."""
    profiles = wire(config, {}).profiles
    groups = dict.fromkeys(profile.dialect.kind for profile in profiles)
    owners = sorted({kind for one in profiles for kind in _owners(one)} - {POD, PRIORITY_CLASS})
    return [
        Grant(POD, POD_VERBS),
        *(Grant(kind, GROUP_VERBS) for kind in groups),
        *_for_upkeep(profiles),
        *(Grant(kind, READ) for kind in owners),
        *(_to_block_owners(profiles) if guarded else ()),
        *_read_besides(config, profiles),
        Grant(EVENT, EVENT_VERBS),
    ]


def lease_grants(leading: LeaderElection, subject: Subject | None) -> list[Grant]:
    """That one Lease, in the namespace that is named or else that of the service account.

    Without either nobody can know where it lies; who runs with a kubeconfig elects nobody unless asked to.
    """
    where = leading.namespace or (subject.namespace if subject else "")
    if leading.enabled is False or not where:
        return []
    return [Grant(LEASE, ("get", "patch"), leading.name, where), Grant(LEASE, ("create",), where=where)]


def read_only(grants: Iterable[Grant]) -> list[Grant]:
    """What of these is reading."""
    kept = (replace(grant, verbs=tuple(verb for verb in grant.verbs if verb in READ)) for grant in grants)
    return [grant for grant in kept if grant.verbs]


def _for_upkeep(profiles: Iterable[Profile]) -> Iterator[Grant]:
    """Rights that nobody needs who only makes groups."""
    profiles = tuple(profiles)
    written = [one.dialect for one in profiles if one.upkeep.write_status]
    for kind, door in dict.fromkeys((dialect.kind, dialect.lifecycle.subresource) for dialect in written):
        if door:
            yield Grant(kind, STATUS_VERBS, subresource=door)
    if any(one.upkeep.recovers for one in profiles):
        yield Grant(POD, EVICT_VERBS, subresource="eviction")


def _to_block_owners(profiles: Iterable[Profile]) -> Iterator[Grant]:
    """What the admission plugin OwnerReferencesPermissionEnforcement wants to see. It opens no door: the
    resource is only a word between the plugin and the role."""
    for kind in sorted({kind for profile in profiles for kind in profile.reads.blocked}):
        yield Grant(kind, BLOCK_VERBS, subresource="finalizers")


def _owners(profile: Profile) -> frozenset[Kind]:
    reads = profile.reads
    return reads.kinds | reads.self_standing | frozenset(reads.paths)


def _read_besides(config: Config, profiles: Iterable[Profile]) -> Iterator[Grant]:
    if any(profile.reads.priority_classes for profile in profiles):
        yield Grant(PRIORITY_CLASS, LIST_VERBS)
    if any(profile.kai.namespace_label_selector for profile in config.profiles):
        yield Grant(NAMESPACE, READ)
    for source in texts_wanted(config):
        yield Grant(CONFIG_MAP, READ, source.name, source.namespace)


def _by_namespace(grants: Iterable[Grant], namespaces: tuple[str, ...]) -> Mapping[str, list[Grant]]:
    found: dict[str, list[Grant]] = {namespace: [] for namespace in namespaces}
    for grant in grants:
        for namespace in (grant.where,) if grant.where else namespaces:
            if not grant.cluster_scoped:
                found.setdefault(namespace, []).append(grant)
    return found


def _role_and_binding(
    namespace: str, name: str, grants: Iterable[Grant], subject: Subject | None
) -> Iterator[Json]:
    kind = "Role" if namespace else "ClusterRole"
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    role = {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": metadata}
    yield {**role, "rules": [_rule(*entry) for entry in _united(grants).items()]}
    if subject:
        yield {
            **role,
            "kind": f"{kind}Binding",
            "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name},
            "subjects": [{"kind": "ServiceAccount", "namespace": subject.namespace, "name": subject.name}],
        }


Shared = tuple[str, tuple[str, ...], str]
"""API group, verbs, object name: resources that agree in them are one rule."""


def _united(grants: Iterable[Grant]) -> Mapping[Shared, list[str]]:
    rules: dict[Shared, list[str]] = {}
    for grant in grants:
        resources = rules.setdefault((grant.kind.group, grant.verbs, grant.name), [])
        door = f"/{grant.subresource}" if grant.subresource else ""
        resource = plural_of(grant.kind.kind) + door
        if resource not in resources:
            resources.append(resource)
    return rules


def _rule(shared: Shared, resources: list[str]) -> Json:
    group, verbs, name = shared
    named = {"resourceNames": [name]} if name else {}
    return {"apiGroups": [group], "resources": resources, **named, "verbs": list(verbs)}
