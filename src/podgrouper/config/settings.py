"""The part of the configuration file that belongs to one policy: the sections `volcano` and `kai`."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from podgrouper.config import words
from podgrouper.config.levels import parse_level_rules
from podgrouper.config.model import (
    LEVEL_RULES,
    TYPE_DEFAULTS_KEY,
    ConfigMapKey,
    KaiSettings,
    NoMatch,
    VolcanoSettings,
)
from podgrouper.config.sections import Field, Section, Values, joined
from podgrouper.config.shapes import Flag, ListOf, Number, Optional, Text
from podgrouper.config.type_defaults import parse_type_defaults
from podgrouper.core.fields import text
from podgrouper.core.model import Json, Kind
from podgrouper.core.rules import Finding

Levels: TypeAlias = tuple[ConfigMapKey | None, str | None, NoMatch]
"""ConfigMap, inline rules, and what happens when none fits."""
Defaults: TypeAlias = tuple[ConfigMapKey | None, str | None]
"""ConfigMap, and inline type defaults."""

_RULES_NAMESPACE = Field("namespace", words.NAMESPACE, "Its namespace.", LEVEL_RULES.namespace)
_RULES_NAME = Field("name", words.OBJECT_NAME, "Its name.", LEVEL_RULES.name)
_RULES_KEY = Field("key", words.CONFIG_MAP_KEY, "The key that holds the rules.", LEVEL_RULES.key)
RULES_CONFIG_MAP = Section(
    (_RULES_NAMESPACE, _RULES_NAME, _RULES_KEY),
    lambda values: ConfigMapKey(values[_RULES_NAMESPACE], values[_RULES_NAME], values[_RULES_KEY]),
)

_RULES_SOURCE = Field(
    "configMap",
    Optional(RULES_CONFIG_MAP, "none is read"),
    "The ConfigMap whose level rules are read while running; it need not exist.",
    {},
)
_RULES = Field(
    "rules",
    Optional(Text("the rules as text, in the form of the ConfigMap's value"), "none"),
    "The rules themselves, in the form of the ConfigMap's value, instead of a ConfigMap.",
)
_NO_MATCH = Field(
    "noMatch",
    words.NO_MATCH,
    "Where pods belong together when there are rules and none fits: at the controller or the last owner.",
    "controller",
)


def _only_one_source(section: Json, path: str, inline: str) -> Iterator[Finding]:
    if section.get("configMap") is not None and section.get(inline) is not None:
        yield Finding(path, f"`configMap` and `{inline}` exclude each other: keep one of them")


def _level_findings(section: Json, path: str) -> Iterator[Finding]:
    yield from _only_one_source(section, path, "rules")
    rules = text(section, "rules")
    yield from _inside(joined(path, "rules"), parse_level_rules(rules)[1] if rules else ())


def _inside(path: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    return (Finding(f"{path}: {found.path}" if found.path else path, found.message) for found in findings)


LEVELS: Section[Levels] = Section(
    (_RULES_SOURCE, _RULES, _NO_MATCH),
    lambda values: (values[_RULES_SOURCE], values[_RULES], values[_NO_MATCH]),
    _level_findings,
)

_INHERIT = Field(
    "inheritOwnerAnnotations",
    Flag(),
    "Gang size, queue and `volcano.sh/` annotations are read from the owners of a pod too.",
    default=True,
)
_WORKLOADS = Field(
    "workloadSupport",
    Flag(),
    "A ReplicaSet or StatefulSet that goes to 0 replicas takes its group along.",
    default=True,
)
_LEVELS = Field("levels", LEVELS, "Rules that choose the owner at which pods belong together.", {})


def _volcano(values: Values) -> VolcanoSettings:
    config_map, rules, no_match = values[_LEVELS]
    return VolcanoSettings(values[_INHERIT], values[_WORKLOADS], config_map, rules, no_match)


VOLCANO: Section[VolcanoSettings] = Section((_INHERIT, _WORKLOADS, _LEVELS), _volcano)

_DEFAULTS_NAMESPACE = Field("namespace", words.NAMESPACE, "Its namespace.", required=True)
_DEFAULTS_NAME = Field("name", words.OBJECT_NAME, "Its name.", required=True)
DEFAULTS_CONFIG_MAP = Section(
    (_DEFAULTS_NAMESPACE, _DEFAULTS_NAME),
    lambda values: ConfigMapKey(values[_DEFAULTS_NAMESPACE], values[_DEFAULTS_NAME], TYPE_DEFAULTS_KEY),
)
_DEFAULTS_SOURCE = Field(
    "configMap",
    Optional(DEFAULTS_CONFIG_MAP, "none is read"),
    f"The ConfigMap whose key `{TYPE_DEFAULTS_KEY}` is read while running; it need not exist.",
)
_TYPES = Field(
    "types",
    Optional(Text("the defaults as text, in the form of the ConfigMap's value"), "none"),
    "The defaults themselves, in the form of the ConfigMap's value, instead of a ConfigMap.",
)


def _default_findings(section: Json, path: str) -> Iterator[Finding]:
    yield from _only_one_source(section, path, "types")
    types = text(section, "types")
    yield from _inside(joined(path, "types"), parse_type_defaults(types)[1] if types else ())


TYPE_DEFAULTS: Section[Defaults] = Section(
    (_DEFAULTS_SOURCE, _TYPES),
    lambda values: (values[_DEFAULTS_SOURCE], values[_TYPES]),
    _default_findings,
)

_API_VERSION = Field(
    "apiVersion",
    Text("group/version, or group/* for every version", r"[-a-z0-9.]+(/(\*|[a-z0-9]+))?"),
    "Its apiVersion; `example.com/*` stands for every version.",
    required=True,
)
_KIND = Field(
    "kind",
    Text("a kind, as in `Workflow`", r"[A-Za-z][A-Za-z0-9]*", 63),
    "Its kind.",
    required=True,
)
KIND = Section((_API_VERSION, _KIND), lambda values: Kind(values[_API_VERSION], values[_KIND]))

_USUAL = KaiSettings()
_QUEUE_KEY = Field(
    "queueLabelKey", words.LABEL_KEY, "The label that names a workload's queue.", _USUAL.queue_label_key
)
_NODE_POOL_KEY = Field(
    "nodePoolLabelKey",
    words.OPTIONAL_LABEL_KEY,
    "The label that names a node pool; empty: node pools play no part.",
    _USUAL.node_pool_label_key,
)
_KNATIVE = Field(
    "knativeGangSchedule",
    Flag(),
    "The pods of a Knative revision are one gang; else each is its own.",
    default=True,
)
_LEGACY = Field(
    "searchLegacyGroups",
    Flag(),
    "Groups that an older KAI named otherwise are found and kept.",
    default=True,
)
_TYPE_DEFAULTS = Field(
    "typeDefaults", TYPE_DEFAULTS, "Priority and preemptibility for each kind of workload.", {}
)
_SKIP_TOP = Field(
    "skipTopOwner",
    ListOf(KIND, "kinds"),
    "Kinds, besides the known ones, that only wrap another workload.",
    [],
)
_POD_LABELS = Field(
    "podLabelSelector", words.SELECTOR, "Only pods with these labels; empty: all of them.", {}
)
_NAMESPACE_LABELS = Field(
    "namespaceLabelSelector",
    words.SELECTOR,
    "Only namespaces that have these labels now; empty: all of them.",
    {},
)
_PLUGINS = Field(
    "plugins",
    ListOf(words.PLUGIN, "plugins"),
    "Groupers of one's own, besides those that installed packages register.",
    [],
)
_PLUGIN_SECONDS = Field(
    "pluginSeconds",
    Number(),
    "How long a plugin may think about one workload before it is stopped.",
    _USUAL.plugin_seconds,
)


def _kai(values: Values) -> KaiSettings:
    config_map, types = values[_TYPE_DEFAULTS]
    return KaiSettings(
        queue_label_key=values[_QUEUE_KEY],
        node_pool_label_key=values[_NODE_POOL_KEY],
        knative_gang_schedule=values[_KNATIVE],
        search_legacy_groups=values[_LEGACY],
        type_defaults_configmap=config_map,
        type_defaults=types,
        skip_top_owner=values[_SKIP_TOP],
        pod_label_selector=values[_POD_LABELS],
        namespace_label_selector=values[_NAMESPACE_LABELS],
        plugins=values[_PLUGINS],
        plugin_seconds=values[_PLUGIN_SECONDS],
    )


KAI: Section[KaiSettings] = Section(
    (
        _QUEUE_KEY,
        _NODE_POOL_KEY,
        _KNATIVE,
        _LEGACY,
        _TYPE_DEFAULTS,
        _SKIP_TOP,
        _POD_LABELS,
        _NAMESPACE_LABELS,
        _PLUGINS,
        _PLUGIN_SECONDS,
    ),
    _kai,
)
