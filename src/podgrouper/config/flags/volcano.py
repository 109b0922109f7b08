"""Flags that people know from Volcano's controller manager, for profiles of the volcano policy."""

from collections.abc import Mapping
from dataclasses import replace

from podgrouper.config import words
from podgrouper.config.flags.gates import Gates
from podgrouper.config.flags.rows import Replaced, Row, Switch, in_volcano, sets
from podgrouper.config.model import LEVEL_RULES, ConfigMapKey, VolcanoSettings


def _inheriting(settings: VolcanoSettings, inherit: bool) -> VolcanoSettings:
    return replace(settings, inherit_owner_annotations=inherit)


def _gated(settings: VolcanoSettings, workloads: bool | None) -> VolcanoSettings:
    return settings if workloads is None else replace(settings, workload_support=workloads)


def _ruled_by(settings: VolcanoSettings, config_map: str) -> VolcanoSettings:
    """The ConfigMap takes the place of rules in the file. Empty: no rules are read."""
    namespace, _, name = config_map.partition("/")
    source = ConfigMapKey(namespace, name, LEVEL_RULES.key) if config_map else None
    return replace(settings, level_rules=None, level_rules_configmap=source)


VOLCANO: tuple[Row, ...] = (
    Row(
        "--inherit-owner-annotations",
        "true|false",
        "Gang size, queue and `volcano.sh/` annotations are read from owners too.  [default: true]",
        sets(Switch(), in_volcano(_inheriting)),
        "volcano",
        switch=True,
    ),
    Row(
        "--feature-gates",
        "GATE=true|false",
        "WorkLoadSupport=false: a ReplicaSet or StatefulSet at 0 replicas keeps its group. Repeatable.  "
        "[default: WorkLoadSupport=true]",
        sets(Gates(), in_volcano(_gated)),
        "volcano",
        repeatable=True,
    ),
    Row(
        "--level-rules-configmap",
        "NAMESPACE/NAME",
        f"The ConfigMap with level rules, in its key `{LEVEL_RULES.key}`. Read while running; "
        f"empty: none is read.  [default: {LEVEL_RULES.namespace}/{LEVEL_RULES.name}]",
        sets(words.OPTIONAL_CONFIG_MAP, in_volcano(_ruled_by)),
        "volcano",
    ),
)
"""Those with Volcano's names and Volcano's values, and the place of the level rules."""

_WHOSE = "Volcano's controller manager"
_NO_WORKERS = "there are no workers to count; to ask the API server less, use --kube-api-qps: remove it"
_HEALTH = "/healthz, /readyz and /metrics are served at --health-address, always: remove it"
_ADDRESS = "use --health-address: /healthz, /readyz and /metrics are all served there"
_PLAIN = "--health-address serves plain HTTP; put what ends TLS in front of it: remove it"
_LOG = "the log goes to standard error; use --log-level and --log-format: remove it"
_INSTEAD: Mapping[str, str] = {
    "--master": "use --kubeconfig, and --context for another cluster in it",
    "--controllers": "only the work of pg-controller is done here; --profile chooses how: remove it",
    "--worker-threads-for-podgroup": _NO_WORKERS,
    "--worker-threads": _NO_WORKERS,
    "--worker-threads-for-cronjob": _NO_WORKERS,
    "--worker-threads-for-gc": _NO_WORKERS,
    "--worker-threads-for-queue": _NO_WORKERS,
    "--max-requeue-num": "what fails is tried again for ever, at most a minute apart: remove it",
    "--enable-healthz": _HEALTH,
    "--enable-metrics": _HEALTH,
    "--healthz-address": _ADDRESS,
    "--listen-address": _ADDRESS,
    "--ca-cert-file": _PLAIN,
    "--tls-cert-file": _PLAIN,
    "--tls-private-key-file": _PLAIN,
    "-v": _LOG,
    "--v": _LOG,
    "--vmodule": _LOG,
    "--logtostderr": _LOG,
    "--alsologtostderr": _LOG,
    "--stderrthreshold": _LOG,
    "--log_dir": _LOG,
    "--log_file": _LOG,
    "--log_file_max_size": _LOG,
    "--log_backtrace_at": _LOG,
    "--add_dir_header": _LOG,
    "--one_output": _LOG,
    "--skip_headers": _LOG,
    "--skip_log_headers": _LOG,
    "--version": "use `podgrouper version`",
}
VOLCANO_REPLACED: tuple[Replaced, ...] = tuple(
    Replaced(flag, _WHOSE, instead) for flag, instead in _INSTEAD.items()
)
