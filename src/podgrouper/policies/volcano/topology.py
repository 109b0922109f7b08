"""How far apart in the network the pods of a gang may run, as its pods say it."""

from podgrouper.core.groups import Remark, Topology
from podgrouper.policies.volcano.annotations import integer
from podgrouper.policies.volcano.sources import Found, Place, Source, Unusable, first_usable

MODE = "volcano.sh/network-topology-mode"
TIER = "volcano.sh/network-topology-highest-tier"
TOPOLOGY_ANNOTATIONS = frozenset({MODE, TIER})
DEFAULT_MODE = "hard"


def topology(pod: Source) -> Found[Topology | None]:
    """None when the pod has neither key. A key that cannot be used leaves what the other one says."""
    if MODE not in pod.annotations and TIER not in pod.annotations:
        return Found(None)
    mode = first_usable([Place(pod, MODE)], _mode, DEFAULT_MODE)
    tier: Found[int | None] = first_usable([Place(pod, TIER)], _tier, None)
    remarks: tuple[Remark, ...] = (*mode.remarks, *tier.remarks)
    return Found(Topology(mode.value, tier.value), mode.place or tier.place, remarks)


def _mode(written: str) -> str | Unusable:
    mode = written.lower()
    return mode if mode in ("hard", "soft") else Unusable("hard or soft")


def _tier(written: str) -> int | Unusable:
    """The API refuses a tier below 0, and one that is no number would lose the mode as well."""
    value = integer(written)
    return value if value is not None and value >= 0 else Unusable("a whole number from 0 on")
