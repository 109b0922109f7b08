"""From configuration to profiles: the one place that knows which policies and dialects are built in.

Pure. What a profile reads live (level rules, type defaults) comes in as texts: when one of them changes,
whoever runs us wires again and has new profiles.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from podgrouper import __version__
from podgrouper.config.levels import parse_level_rules
from podgrouper.config.model import Config, ConfigMapKey, DialectName, PolicyName, ProfileConfig
from podgrouper.config.type_defaults import parse_type_defaults
from podgrouper.core.interfaces import Dialect, Policy, Profile, Scope, Upkeep
from podgrouper.core.model import Kind, Ref
from podgrouper.core.plans import Report
from podgrouper.core.reasons import Reason
from podgrouper.core.rules import Finding, LevelRule, TypeDefault
from podgrouper.dialects.kai import KaiDialect
from podgrouper.dialects.volcano import VolcanoDialect
from podgrouper.policies.kai import settings as kai
from podgrouper.policies.kai.policy import KaiPolicy
from podgrouper.policies.kai.registry import GROUPERS
from podgrouper.policies.volcano.policy import VolcanoPolicy

Texts = Mapping[ConfigMapKey, str]
"""What the ConfigMaps say that exist; a key that is not there was looked for and is absent."""
KAI_SKIP_ANNOTATION = "kai.scheduler/skip-podgrouper"

FINDINGS_LIMIT = 100
"""Of one text that are told: each is an event and a line of the log, and a text can hold ten thousand."""

Source = tuple[ConfigMapKey | None, str | None]
"""Where a text is read live, and the text itself when the configuration holds it."""
Rule = TypeVar("Rule", LevelRule, TypeDefault)
Parse = Callable[[str], tuple[tuple[Rule, ...] | None, tuple[Finding, ...]]]


@dataclass(frozen=True, slots=True)
class BadText:
    """A live text of which something could not be used."""

    source: ConfigMapKey
    findings: tuple[Finding, ...]
    unreadable: bool = False
    """Nothing of it could be used; else the rest is in force."""


@dataclass(frozen=True, slots=True)
class Wired:
    """The profiles that are in force, and what was wrong with the texts that they were made of."""

    profiles: tuple[Profile, ...]
    bad_texts: tuple[BadText, ...] = ()

    @property
    def reports(self) -> tuple[Report, ...]:
        return tuple(
            Report(_config_map(bad.source), Reason.BAD_RULE, _told(bad, finding))
            for bad in self.bad_texts
            for finding in _foremost(bad.findings)
        )


class LiveWiring:
    """Wires again whenever a text changes. One that cannot be read leaves the last good one in force."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._good: dict[ConfigMapKey, str] = {}

    def __call__(self, texts: Texts) -> Wired:
        wired = wire(self._config, texts)
        unreadable = {bad.source for bad in wired.bad_texts if bad.unreadable}
        kept = {source: text for source, text in self._good.items() if source in unreadable}
        self._good = {source: text for source, text in texts.items() if source not in unreadable} | kept
        return Wired(wire(self._config, self._good).profiles, wired.bad_texts) if kept else wired


def _told(bad: BadText, finding: Finding) -> str:
    at = f"{bad.source}, {finding.path}" if finding.path else str(bad.source)
    kept = "; what it said before stays in force" if bad.unreadable else ""
    return f"{at}: {finding.message}{kept}"


def _foremost(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    left = len(findings) - FINDINGS_LIMIT
    more = (Finding("", f"{left} more mistakes: mend the first ones"),) if left > 0 else ()
    return (*findings[:FINDINGS_LIMIT], *more)


def _config_map(source: ConfigMapKey) -> Ref:
    return Ref(Kind("v1", "ConfigMap"), source.namespace, source.name)


def texts_wanted(config: Config) -> tuple[ConfigMapKey, ...]:
    """The ConfigMap keys that have to be read, or proven absent, before the first decision."""
    sources = (_SOURCES[profile.policy](profile) for profile in config.profiles)
    return tuple(dict.fromkeys(key for key, inline in sources if key and inline is None))


def wire(config: Config, texts: Texts) -> Wired:
    """The profiles of a configuration, given the texts that it reads live.

    A text that cannot be read at all counts as absent here; `LiveWiring` keeps the last good one.
    """
    bad: list[BadText] = []
    profiles = tuple(
        Profile(
            profile.name,
            frozenset(profile.schedulers),
            _POLICIES[profile.policy](profile, texts, bad),
            _DIALECTS[profile.dialect](profile),
            _skip_annotations(config, profile),
            _scope(config, profile),
            Upkeep(profile.write_status == "always", profile.recovery),
            _patient(profile),
            _rules_of(profile, texts),
        )
        for profile in config.profiles
    )
    return Wired(profiles, tuple(bad))


def _rules_of(profile: ProfileConfig, texts: Texts) -> str:
    """Another digest for whatever may decide otherwise: version, policy, dialect, settings, live texts.

    Of plugins the names count: what one decides may change without any of it.
    """
    source, inline = _SOURCES[profile.policy](profile)
    settings = profile.volcano if profile.policy == "volcano" else replace(profile.kai, groupers=())
    live = texts.get(source, "") if source and inline is None else ""
    said = (__version__, profile.policy, profile.dialect, settings, profile.recovery.mode, live)
    return hashlib.sha256(repr(said).encode(errors="replace")).hexdigest()[:12]


def _skip_annotations(config: Config, profile: ProfileConfig) -> frozenset[str]:
    ours = frozenset({config.skip_annotation})
    return ours | {KAI_SKIP_ANNOTATION} if profile.policy == "kai" else ours


def _scope(config: Config, profile: ProfileConfig) -> Scope:
    namespaces = frozenset(config.namespaces)
    if profile.policy != "kai":
        return Scope(namespaces)
    return Scope(namespaces, profile.kai.namespace_label_selector, profile.kai.pod_label_selector)


def _patient(profile: ProfileConfig) -> frozenset[Kind]:
    if profile.policy != "kai":
        return frozenset()
    return frozenset(kind for grouper in profile.kai.groupers if grouper.patient for kind in grouper.kinds)


def _volcano_policy(profile: ProfileConfig, texts: Texts, bad: list[BadText]) -> Policy:
    settings = profile.volcano
    return VolcanoPolicy(
        inherit_owner_annotations=settings.inherit_owner_annotations,
        workload_support=settings.workload_support,
        levels=_rules(_SOURCES["volcano"](profile), texts, parse_level_rules, bad),
        no_match=settings.no_match,
    )


def _kai_policy(profile: ProfileConfig, texts: Texts, bad: list[BadText]) -> Policy:
    asked = profile.kai
    settings = kai.KaiSettings(
        queue_label_key=asked.queue_label_key,
        node_pool_label_key=asked.node_pool_label_key,
        knative_gang_schedule=asked.knative_gang_schedule,
        search_legacy_groups=asked.search_legacy_groups,
        skip_top_owner=(*kai.SKIP_TOP_OWNER, *asked.skip_top_owner),
        type_defaults=_rules(_SOURCES["kai"](profile), texts, parse_type_defaults, bad),
    )
    return KaiPolicy(
        settings if profile.dialect == "kai" else settings.for_another_scheduler(),
        (*asked.groupers, *GROUPERS),
    )


def _rules(source: Source, texts: Texts, parse: Parse[Rule], bad: list[BadText]) -> tuple[Rule, ...]:
    key, inline = source
    text = texts.get(key, "") if inline is None and key else inline or ""
    rules, findings = parse(text) if text else ((), ())
    if findings and key:
        bad.append(BadText(key, findings, unreadable=rules is None))
    return rules or ()


_SOURCES: Mapping[PolicyName, Callable[[ProfileConfig], Source]] = {
    "volcano": lambda profile: (profile.volcano.level_rules_configmap, profile.volcano.level_rules),
    "kai": lambda profile: (profile.kai.type_defaults_configmap, profile.kai.type_defaults),
}
_POLICIES: Mapping[PolicyName, Callable[[ProfileConfig, Texts, list[BadText]], Policy]] = {
    "volcano": _volcano_policy,
    "kai": _kai_policy,
}
_DIALECTS: Mapping[DialectName, Callable[[ProfileConfig], Dialect]] = {
    "volcano": lambda _: VolcanoDialect(),
    "kai": lambda profile: KaiDialect(profile.kai.queue_label_key, profile.kai.node_pool_label_key),
}
