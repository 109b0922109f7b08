"""What a kind is called where only its name is known: the plural that paths and roles speak of.

A running API server says it in discovery; files and `podgrouper rbac` have no server to ask.
"""

from podgrouper.core.model import Kind

CLUSTER_SCOPED = frozenset(
    {
        Kind("v1", "Namespace"),
        Kind("v1", "Node"),
        Kind("v1", "PersistentVolume"),
        Kind("scheduling.k8s.io/v1", "PriorityClass"),
        Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        Kind("rbac.authorization.k8s.io/v1", "ClusterRole"),
        Kind("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
        Kind("scheduling.volcano.sh/v1beta1", "Queue"),
        Kind("scheduling.run.ai/v2", "Queue"),
    }
)
"""Kinds without a namespace, as far as we meet them; every other one has one."""


def plural_of(kind: str) -> str:
    """The resource of a kind, by the rule that generators of CRDs follow: `jobsets`, `queues`, `policies`."""
    name = kind.lower()
    if name.endswith(("s", "x", "z", "ch", "sh")):
        return f"{name}es"
    if name.endswith("y") and name[-2:-1] not in set("aeiou"):
        return f"{name[:-1]}ies"
    return f"{name}s"
