"""The groupers of one's own that a configuration names, and those of installed packages, in it."""

from collections.abc import Iterable
from dataclasses import replace

from podgrouper.config.model import Config, ProfileConfig
from podgrouper.config.program import Findings
from podgrouper.plugins.loading import installed, load, named


def with_plugins(config: Config) -> Config | Findings:
    """The configuration with every plugin loaded, or everything that is wrong with them."""
    findings: list[Findings] = []
    profiles = tuple(_with_plugins(profile, findings) for profile in config.profiles)
    found = tuple(dict.fromkeys(finding for some in findings for finding in some))
    return found or replace(config, profiles=profiles)


def wrong_with(sources: Iterable[str]) -> Findings:
    """What is wrong with plugins, where the configuration around them is no good either."""
    return load(named(sources), budget=1.0).findings


def _with_plugins(profile: ProfileConfig, findings: list[Findings]) -> ProfileConfig:
    if profile.policy != "kai":
        return profile
    loaded = load((*named(profile.kai.plugins), *installed()), profile.kai.plugin_seconds)
    findings.append(loaded.findings)
    return replace(profile, kai=replace(profile.kai, groupers=loaded.plugins))
