"""The groupers of one's own that a configuration names, and those of installed packages, in it."""

from collections.abc import Iterable
from dataclasses import replace

from podgrouper.config.model import Config, ProfileConfig
from podgrouper.config.program import Findings
from podgrouper.plugins.loading import Loaded, installed, load, named


def with_plugins(config: Config) -> Config | Findings:
    """The configuration with every plugin loaded, or everything that is wrong with them."""
    loaded = tuple(_loaded(profile) for profile in config.profiles)
    found = tuple(dict.fromkeys(finding for one in loaded for finding in one.findings))
    profiles = zip(config.profiles, loaded, strict=True)
    return found or replace(config, profiles=tuple(_with(profile, one) for profile, one in profiles))


def wrong_with(sources: Iterable[str]) -> Findings:
    """What is wrong with plugins, where the configuration around them is no good either."""
    return load(named(sources), budget=1.0).findings


def _loaded(profile: ProfileConfig) -> Loaded:
    if profile.policy != "kai":
        return Loaded((), ())
    return load((*named(profile.kai.plugins), *installed()), profile.kai.plugin_seconds)


def _with(profile: ProfileConfig, loaded: Loaded) -> ProfileConfig:
    return replace(profile, kai=replace(profile.kai, groupers=(*loaded.plugins, *profile.kai.groupers)))
