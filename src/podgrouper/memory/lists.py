"""Lists of built-in kinds that are maps or sets in disguise, and what tells their elements apart.

A strategic merge patch and managedFields both need to know. The rows are the `patchMergeKey` and
`listMapKey` marks of the Kubernetes types, as far as groupers and their tests meet them; a list that
is not named here is one value, replaced as a whole.
"""

from collections.abc import Mapping

SET = "*"
"""The elements are their own keys."""

_KEYS: Mapping[str, tuple[str, ...]] = {
    "metadata.ownerReferences": ("uid",),
    "metadata.finalizers": (SET,),
    "spec.finalizers": (),
    "conditions": ("type",),
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "env": ("name",),
    "volumes": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "containers.ports": ("containerPort", "protocol"),
    "initContainers.ports": ("containerPort", "protocol"),
    "spec.ports": ("port", "protocol"),
    "imagePullSecrets": ("name",),
    "hostAliases": ("ip",),
    "schedulingGates": ("name",),
    "resourceClaims": ("name",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "secrets": ("name",),
    "podIPs": ("ip",),
    "hostIPs": ("ip",),
    "status.addresses": ("type",),
}
"""By the last two names on the way, else by the last one alone. The first key is the one patches use."""

_WHOLE = frozenset({"taints"})
"""Merges by `key` in a strategic patch, but is one value to managedFields."""


def map_keys(at: tuple[str, ...]) -> tuple[str, ...]:
    """What identifies an element of the list at this path, `(SET,)` for a set, `()` for one value."""
    if at and at[-1] in _WHOLE:
        return ()
    return _KEYS.get(".".join(at[-2:]), _KEYS.get(at[-1], ()) if at else ())


def merge_key(at: tuple[str, ...]) -> str:
    """What a strategic merge patch goes by: a key, `SET`, or empty when the list is replaced."""
    if at and at[-1] in _WHOLE:
        return "key"
    keys = map_keys(at)
    return keys[0] if keys else ""
