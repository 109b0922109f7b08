"""What every cluster has from birth."""

from podgrouper.memory.store import Store

_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
_PRIORITY_CLASSES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def seed(store: Store) -> None:
    """Namespaces and priority classes, as a new cluster shows them."""
    for name in _NAMESPACES:
        store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    for name, value in _PRIORITY_CLASSES.items():
        store.create(
            {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {"name": name},
                "value": value,
            }
        )
