"""What a person can decide about podgrouper, as values: the words of the configuration file, typed.

Nothing here reads, checks or wires. `config.program` makes these values from a file, flags make them
in `cli`, and `wiring.wire` turns them into policies and dialects.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from podgrouper.core.model import Kind
from podgrouper.core.recovery import Recovery
from podgrouper.core.selectors import Selector

if TYPE_CHECKING:
    from podgrouper.policies.kai.grouper import Grouper

PolicyName: TypeAlias = Literal["volcano", "kai"]
DialectName: TypeAlias = Literal["volcano", "kai"]
NoMatch: TypeAlias = Literal["controller", "root"]
WriteStatusName: TypeAlias = Literal["never", "always"]
RecoverName: TypeAlias = Literal["never", "annotated", "restart"]
LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]
LogFormat: TypeAlias = Literal["text", "json"]


@dataclass(frozen=True, slots=True)
class ConfigMapKey:
    """One text in one ConfigMap."""

    namespace: str
    name: str
    key: str

    def __str__(self) -> str:
        return f"ConfigMap {self.namespace}/{self.name}, key {self.key}"


LEVEL_RULES = ConfigMapKey("volcano-system", "volcano-controller-configmap", "volcano-controller.conf")
"""Where Volcano's own controllers look too: the section of the rules is ours, the others are theirs."""
TYPE_DEFAULTS_KEY = "types"
"""The key of the type defaults in their ConfigMap, as KAI names it."""


@dataclass(frozen=True, slots=True)
class VolcanoSettings:
    """What the `volcano` policy lets one choose."""

    inherit_owner_annotations: bool = True
    """Gang size, queue and `volcano.sh/` annotations are read from the owners too, not from pods alone."""
    workload_support: bool = True
    """A ReplicaSet or StatefulSet that goes to 0 replicas takes its group along."""
    level_rules_configmap: ConfigMapKey | None = LEVEL_RULES
    """Read while running; it need not exist. None: rules come from `level_rules` alone."""
    level_rules: str | None = None
    """The rules as text, in the form of the ConfigMap's value; then the ConfigMap is not read."""
    no_match: NoMatch = "controller"
    """Where pods belong together when there are rules and none fits: at the controller or the last owner."""


@dataclass(frozen=True, slots=True)
class KaiSettings:
    """What the `kai` policy lets one choose."""

    queue_label_key: str = "kai.scheduler/queue"
    node_pool_label_key: str = "kai.scheduler/node-pool"
    """Empty: node pools play no part."""
    knative_gang_schedule: bool = True
    """The pods of a Knative revision are one gang; else each pod is its own group."""
    search_legacy_groups: bool = True
    """Groups that an older KAI named otherwise are found and kept."""
    type_defaults_configmap: ConfigMapKey | None = None
    """Read while running; priority and preemptibility for each kind of workload."""
    type_defaults: str | None = None
    """The same as text, in the form of the ConfigMap's value; then the ConfigMap is not read."""
    skip_top_owner: tuple[Kind, ...] = ()
    """Kinds, besides the known ones, that only wrap another workload. A version `*` stands for every one."""
    pod_label_selector: Selector = ()
    namespace_label_selector: Selector = ()
    plugins: tuple[str, ...] = ()
    """Files and modules with groupers of one's own, as a person names them; commands load them."""
    plugin_seconds: float = 2.0
    """How long a plugin may think about one workload."""
    groupers: "tuple[Grouper, ...]" = ()
    """Asked before the built-in ones: what the plugins came to, or groupers that a program brings along and
    trusts as it trusts itself."""


@dataclass(frozen=True, slots=True)
class ProfileConfig:
    """Pods of these schedulers are grouped by this policy and written in this dialect.

    The settings of the policy that is not chosen play no part.
    """

    name: str
    policy: PolicyName
    dialect: DialectName
    schedulers: tuple[str, ...]
    volcano: VolcanoSettings = field(default_factory=VolcanoSettings)
    kai: KaiSettings = field(default_factory=KaiSettings)
    write_status: WriteStatusName = "never"
    """Who writes the status of PodGroups: a scheduler, or podgrouper where there is none."""
    recovery: Recovery = field(default_factory=Recovery)


BUILT_IN = (
    ProfileConfig("volcano", "volcano", "volcano", ("volcano",)),
    ProfileConfig("kai", "kai", "kai", ("kai-scheduler",)),
)
"""What runs when nobody says anything."""


@dataclass(frozen=True, slots=True)
class LeaderElection:
    """One writer among several replicas. The times are those of Kubernetes' own controllers."""

    enabled: bool | None = None
    """None: yes for a pod of the cluster, no for a program that reaches it with a kubeconfig."""
    lease_seconds: float = 15.0
    renew_seconds: float = 10.0
    retry_seconds: float = 2.0
    name: str = "podgrouper"
    namespace: str = ""
    """Empty: the namespace of the credentials, for a pod its own."""


@dataclass(frozen=True, slots=True)
class Config:
    """All of it. `Config()` is what runs without a file and without flags."""

    profiles: tuple[ProfileConfig, ...] = BUILT_IN
    namespaces: tuple[str, ...] = ()
    """Only these; empty means all of them."""
    skip_annotation: str = "podgrouper.io/skip"
    """Opts out what carries it with the value `true`: a pod, or a workload with all of its pods."""
    kube_api_qps: float | None = None
    """Requests per second that are never exceeded; None leaves the pace to the API server's answers."""
    kube_api_burst: int | None = None
    """Requests that may be made at once before the limit counts; None means as many as a second allows."""
    log_level: LogLevel = "info"
    log_format: LogFormat = "text"
    leader_election: LeaderElection = field(default_factory=LeaderElection)
    health_address: str = ":8080"
    """host:port of /healthz, /readyz and /metrics; no host means every address, empty means no server."""
