"""What a role grants, what a user made use of, and the kinds behind both."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import yaml

from podgrouper.config.model import Config
from podgrouper.core.kinds import CLUSTER_SCOPED, plural_of
from podgrouper.core.model import NAMESPACE, Kind
from podgrouper.wiring import wire
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.audit import AuditEvent

Right: TypeAlias = tuple[str, str, str, str]
"""Namespace (empty: wherever), API group, resource with its subresource, verb."""
CUSTOM_JOB = Kind("example.com/v1", "CustomJob")
"""The kind of the plugin in `examples`."""


def granted(roles: str) -> frozenset[Right]:
    """By these roles. Without what no request is for, only an admission plugin."""
    return frozenset(
        (role["metadata"].get("namespace", ""), group, resource, verb)
        for role in yaml.safe_load_all(roles)
        for rule in role.get("rules", ())
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
        if not resource.endswith("/finalizers")
    )


def used(events: Sequence[AuditEvent], rights: frozenset[Right]) -> frozenset[Right]:
    """Those of the rights without which one of these requests would have been refused."""
    return frozenset(
        (where, event.group, door(event), event.verb)
        for event in events
        for where in ("", event.namespace)
        if (where, event.group, door(event), event.verb) in rights
    )


def door(event: AuditEvent) -> str:
    return f"{event.resource}/{event.subresource}" if event.subresource else event.resource


def readable_kinds() -> Iterator[Kind]:
    """Every kind that a profile may be granted to read; a rule for all versions stands for one of them."""
    reads = [profile.reads for profile in wire(Config(), {}).profiles]
    kinds = {kind for one in reads for kind in (*one.kinds, *one.paths, *one.self_standing)}
    yield from sorted(Kind(f"{kind.group}/v1", kind.kind) if kind.version == "*" else kind for kind in kinds)
    yield from (CUSTOM_JOB, NAMESPACE)


def definitions() -> Iterator[Object]:
    """The CRDs of those that Kubernetes does not bring, without the PodGroups."""
    versions: dict[tuple[str, str], list[Kind]] = {}
    for kind in readable_kinds():
        if "." in kind.group:
            versions.setdefault((kind.group, kind.kind), []).append(kind)
    for *others, stored in versions.values():
        plural, namespaced = plural_of(stored.kind), stored not in CLUSTER_SCOPED
        yield objects.crd(stored, plural, *(kind.version for kind in others), namespaced=namespaced)


def never_made(kind: Kind) -> Object:
    """Whoever follows an owner reference to this one has to look for it, in every way there is."""
    metadata = {"name": "never-made", "uid": f"uid-{kind}"}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}
