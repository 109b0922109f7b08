"""Flags that people know from KAI's pod-grouper, for profiles of the kai policy."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from podgrouper.config import words
from podgrouper.config.flags.general import QPS
from podgrouper.config.flags.rows import Check, Numeral, Replaced, Row, Switch, in_kai, sets
from podgrouper.config.model import TYPE_DEFAULTS_KEY, Config, ConfigMapKey, KaiSettings
from podgrouper.config.shapes import Count, ListOf, Number

KAI_QPS = 50.0
"""What KAI's pod-grouper allows itself where nobody says otherwise."""
DEFAULTS_NAME = "--default-priorities-configmap-name"
DEFAULTS_NAMESPACE = "--default-priorities-configmap-namespace"
PLUGIN = "--plugin"
_NOWHERE = ConfigMapKey("", "", TYPE_DEFAULTS_KEY)


def _with_name(settings: KaiSettings, name: str) -> KaiSettings:
    return _reading(settings, replace(settings.type_defaults_configmap or _NOWHERE, name=name))


def _with_namespace(settings: KaiSettings, namespace: str) -> KaiSettings:
    return _reading(settings, replace(settings.type_defaults_configmap or _NOWHERE, namespace=namespace))


def _reading(settings: KaiSettings, source: ConfigMapKey) -> KaiSettings:
    """Both flags empty: there are no type defaults, as in KAI."""
    found = None if source == _NOWHERE else source
    return replace(settings, type_defaults=None, type_defaults_configmap=found)


def _names(config: Config) -> Iterator[ConfigMapKey]:
    sources = (profile.kai.type_defaults_configmap for profile in config.profiles if profile.policy == "kai")
    return (source for source in sources if source)


def _has_a_name(config: Config, _typed: Collection[str]) -> str:
    return "" if all(source.name for source in _names(config)) else f"give {DEFAULTS_NAME} too"


def _has_a_namespace(config: Config, _typed: Collection[str]) -> str:
    return "" if all(source.namespace for source in _names(config)) else f"give {DEFAULTS_NAMESPACE} too"


def _not_beside(other: str) -> Check:
    return lambda _config, typed: f"{other} says the same: keep one of them" if other in typed else ""


KAI = (
    Row(
        "--queue-label-key",
        "KEY",
        "The label that names a workload's queue.  [default: kai.scheduler/queue]",
        sets(words.LABEL_KEY, in_kai(lambda settings, key: replace(settings, queue_label_key=key))),
        "kai",
    ),
    Row(
        "--nodepool-label-key",
        "KEY",
        "The label that names a node pool; empty: node pools play no part.  "
        "[default: kai.scheduler/node-pool]",
        sets(
            words.OPTIONAL_LABEL_KEY,
            in_kai(lambda settings, key: replace(settings, node_pool_label_key=key)),
        ),
        "kai",
    ),
    Row(
        "--knative-gang-schedule",
        "true|false",
        "The pods of a Knative revision are one gang; =false: each is its own.  [default: true]",
        sets(Switch(), in_kai(lambda settings, gang: replace(settings, knative_gang_schedule=gang))),
        "kai",
        switch=True,
    ),
    Row(
        "--search-legacy-pg",
        "true|false",
        "Groups that an older KAI named otherwise are found and kept.  [default: true]",
        sets(Switch(), in_kai(lambda settings, search: replace(settings, search_legacy_groups=search))),
        "kai",
        switch=True,
    ),
    Row(
        DEFAULTS_NAME,
        "NAME",
        f"The ConfigMap with priority and preemptibility for each kind of workload, in its key "
        f"`{TYPE_DEFAULTS_KEY}`. Read while running.  [default: none]",
        sets(words.OPTIONAL_OBJECT_NAME, in_kai(_with_name)),
        "kai",
        check=_has_a_namespace,
    ),
    Row(
        DEFAULTS_NAMESPACE,
        "NAMESPACE",
        "The namespace of that ConfigMap.",
        sets(words.OPTIONAL_NAMESPACE, in_kai(_with_namespace)),
        "kai",
        check=_has_a_name,
    ),
    Row(
        "--pod-label-selector",
        "SELECTOR",
        "Only pods with these labels, as in `team=a,stage in (test,prod),!legacy`.  [default: all]",
        sets(words.SELECTOR, in_kai(lambda settings, labels: replace(settings, pod_label_selector=labels))),
        "kai",
    ),
    Row(
        "--namespace-label-selector",
        "SELECTOR",
        "Only namespaces that have these labels now.  [default: all]",
        sets(
            words.SELECTOR,
            in_kai(lambda settings, labels: replace(settings, namespace_label_selector=labels)),
        ),
        "kai",
    ),
    Row(
        PLUGIN,
        "FILE|MODULE",
        "A grouper of your own: a Python file, a module or module:Class. Repeatable.  "
        "[default: those that installed packages register]",
        sets(
            ListOf(words.PLUGIN, "plugins"),
            in_kai(lambda settings, plugins: replace(settings, plugins=plugins)),
        ),
        "kai",
        repeatable=True,
    ),
    Row(
        "--qps",
        "NUMBER",
        f"KAI's name for {QPS}.",
        sets(Numeral(Number()), lambda config, qps: replace(config, kube_api_qps=qps)),
        "kai",
        running=True,
        check=_not_beside(QPS),
    ),
    Row(
        "--burst",
        "NUMBER",
        f"KAI's name for --kube-api-burst. Without --qps the limit is KAI's, {KAI_QPS:g}.",
        sets(
            Numeral(Count()),
            lambda config, burst: replace(
                config, kube_api_burst=burst, kube_api_qps=config.kube_api_qps or KAI_QPS
            ),
        ),
        "kai",
        running=True,
        check=_not_beside("--kube-api-burst"),
    ),
)
"""Those with KAI's names and KAI's values."""

_WHOSE = "KAI's pod-grouper"
KAI_REPLACED = (
    Replaced(
        "--max-concurrent-reconciles",
        _WHOSE,
        "there are no workers to count; to ask the API server less, use --kube-api-qps",
    ),
    Replaced("--metrics-bind-address", _WHOSE, "/metrics is served at --health-address"),
    Replaced("--health-probe-bind-address", _WHOSE, "/healthz and /readyz are served at --health-address"),
    Replaced(
        "--generic-karta-fallback",
        _WHOSE,
        "Kartas are not read, kinds without a grouper of their own get the default one: remove it",
    ),
    Replaced("--zap-devel", _WHOSE, "use --log-format text"),
    Replaced("--zap-encoder", _WHOSE, "use --log-format text or --log-format json"),
    Replaced("--zap-log-level", _WHOSE, "use --log-level"),
    Replaced("--zap-stacktrace-level", _WHOSE, "a fault is always logged with its trace: remove it"),
    Replaced("--zap-time-encoding", _WHOSE, "times are always ISO 8601: remove it"),
)
