"""The part of the configuration file that says which pods are grouped how: the list `profiles`."""

from collections.abc import Iterator

from podgrouper.config import words
from podgrouper.config.model import BUILT_IN, ProfileConfig
from podgrouper.config.sections import Field, Section, Values, joined
from podgrouper.config.settings import KAI, VOLCANO
from podgrouper.config.shapes import ListOf, Optional
from podgrouper.config.upkeep import UPKEEP, WRITE_STATUS, recovery
from podgrouper.core.fields import dig, items, text
from podgrouper.core.model import Json
from podgrouper.core.rules import Finding

POLICY = Field("policy", words.POLICY, "How pods become groups.", required=True)
NAME = Field(
    "name",
    Optional(words.PROFILE_NAME, "the policy's name"),
    "What log, metrics and `--profile` call it.",
    otherwise="the policy's name",
)
DIALECT = Field(
    "dialect",
    Optional(words.DIALECT, "the policy's own"),
    "For which scheduler the groups are written down.",
    otherwise="the policy's own",
)
SCHEDULERS = Field(
    "schedulerNames",
    Optional(words.SCHEDULERS, "the dialect's own"),
    "The pods of these schedulers, by spec.schedulerName. No name may be in two profiles.",
    otherwise="`volcano` or `kai-scheduler`, by the dialect",
)
SETTINGS_VOLCANO = Field("volcano", VOLCANO, "Settings of the policy `volcano`.", {})
SETTINGS_KAI = Field("kai", KAI, "Settings of the policy `kai`.", {})


def _profile(values: Values) -> ProfileConfig:
    policy, name, chosen, schedulers = values[POLICY], values[NAME], values[DIALECT], values[SCHEDULERS]
    dialect = chosen or policy
    return ProfileConfig(
        name=name or policy,
        policy=policy,
        dialect=dialect,
        schedulers=schedulers or words.SCHEDULERS_OF[dialect],
        volcano=values[SETTINGS_VOLCANO],
        kai=values[SETTINGS_KAI],
        write_status=values[WRITE_STATUS],
        recovery=recovery(values),
    )


def _settings_of_another_policy(section: Json, path: str) -> Iterator[Finding]:
    policy = text(section, "policy")
    for other in words.POLICIES:
        if policy in words.POLICIES and other != policy and other in section:
            message = f"the policy is `{policy}`, so these settings play no part: remove them"
            yield Finding(joined(path, other), message)


PROFILE: Section[ProfileConfig] = Section(
    (NAME, POLICY, DIALECT, SCHEDULERS, *UPKEEP, SETTINGS_VOLCANO, SETTINGS_KAI),
    _profile,
    _settings_of_another_policy,
)
PROFILES = ListOf(PROFILE, "profiles", at_least_one=True)
BUILT_IN_AS_WRITTEN = [{"policy": profile.policy} for profile in BUILT_IN]


def overlaps(section: Json, path: str) -> Iterator[Finding]:
    """Names that two profiles claim. Looks at what can be read, whatever else is wrong with it."""
    names: dict[str, int] = {}
    claimed: dict[str, int] = {}
    for index, profile in enumerate(items(section, "profiles")):
        at = joined(path, f"profiles[{index}]")
        name = text(profile, "name") or text(profile, "policy")
        if name and names.setdefault(name, index) != index:
            yield Finding(joined(at, "name"), f"profiles[{names[name]}] is called {name!r} too: rename one")
        for place, scheduler in _claims(profile):
            owner = claimed.setdefault(scheduler, index)
            if owner != index:
                message = f"profiles[{owner}] claims the scheduler {scheduler!r} too: leave it to one of them"
                yield Finding(joined(at, place), message)


def _claims(profile: Json) -> Iterator[tuple[str, str]]:
    listed = dig(profile, SCHEDULERS.key)
    if isinstance(listed, list):
        for index, scheduler in enumerate(listed):
            if isinstance(scheduler, str):
                yield f"{SCHEDULERS.key}[{index}]", scheduler
        return
    dialect = text(profile, "dialect") or text(profile, "policy")
    for scheduler in words.SCHEDULERS_OF.get(dialect, ()):
        yield SCHEDULERS.key, scheduler
