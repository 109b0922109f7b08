"""Flags as they were typed, and the configuration that they make.

Flags win over the file, the file wins over what is built in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from podgrouper.config import words
from podgrouper.config.flags.rows import Row, Typed
from podgrouper.config.flags.table import ROWS
from podgrouper.config.model import Config, ProfileConfig
from podgrouper.config.program import Findings
from podgrouper.config.sections import meant
from podgrouper.config.shapes import Bad
from podgrouper.core.rules import Finding

SCHEDULER_NAME = "--scheduler-name"


@dataclass(frozen=True, slots=True)
class Flags:
    """What a person typed, as text."""

    profiles: Sequence[str] = ()
    scheduler_names: Sequence[str] = ()
    typed: Mapping[str, Typed] = field(default_factory=dict)
    """Flag -> what stood behind it, for the flags of the table."""


def with_flags(config: Config, flags: Flags) -> Config | Findings:
    """The configuration that a command runs with, or everything that is wrong with the flags."""
    chosen, found = _profiles(config, flags)
    ready = replace(config, profiles=chosen)
    findings = [*found]
    typed = [row for row in ROWS if row.flag in flags.typed]
    for row in typed:
        changed = row.change(ready, flags.typed[row.flag], row.flag)
        if isinstance(changed, Bad):
            findings += changed.findings
        else:
            ready = changed.value
    findings += _of_no_profile(typed, ready)
    findings += _checked(typed, ready)
    return tuple(findings) or ready


def _of_no_profile(typed: Sequence[Row], config: Config) -> Iterator[Finding]:
    """Flags of a policy that no profile has."""
    policies = {profile.policy for profile in config.profiles}
    for row in typed:
        if row.policy and policies and row.policy not in policies:
            message = (
                f"this is a flag for profiles of the policy `{row.policy}`, and none is chosen: "
                f"add --profile {row.policy} or remove it"
            )
            yield Finding(row.flag, message)


def _checked(typed: Sequence[Row], config: Config) -> Iterator[Finding]:
    names = frozenset(row.flag for row in typed)
    for row in typed:
        problem = row.check(config, names)
        if problem:
            yield Finding(row.flag, problem)


def _profiles(config: Config, flags: Flags) -> tuple[tuple[ProfileConfig, ...], Findings]:
    """The profiles that were chosen, and what is wrong with the choice."""
    known = [profile.name for profile in config.profiles]
    unknown = tuple(
        Finding("--profile", f"there is no profile {name!r}: {meant(name, known)}")
        for name in flags.profiles
        if name not in known
    )
    chosen = tuple(p for p in config.profiles if not flags.profiles or p.name in flags.profiles)
    if not flags.scheduler_names or not chosen:
        return chosen, unknown
    if len(chosen) > 1:
        names = " or ".join(f"--profile {profile.name}" for profile in chosen)
        message = f"it is not clear whose name this is: add {names}, or say it as schedulerNames in --config"
        return chosen, (*unknown, Finding(SCHEDULER_NAME, message))
    read = words.SCHEDULERS.read(list(flags.scheduler_names), SCHEDULER_NAME)
    if isinstance(read, Bad):
        return chosen, (*unknown, *read.findings)
    return (replace(chosen[0], schedulers=read.value),), unknown
