"""Flags of the command line, as values: they change a configuration and are checked like its file.

Flags win over the file, the file wins over what is built in.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from podgrouper.config import words
from podgrouper.config.model import Config, ProfileConfig
from podgrouper.config.program import NAMESPACES, Findings
from podgrouper.config.sections import meant
from podgrouper.config.shapes import Bad, Count, Number, Shape
from podgrouper.core.rules import Finding

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Flags:
    """What a person typed, as text; None and empty where nothing was typed."""

    profiles: Sequence[str] = ()
    scheduler_names: Sequence[str] = ()
    namespaces: Sequence[str] = ()
    log_level: str | None = None
    log_format: str | None = None
    health_address: str | None = None
    kube_api_qps: str | None = None
    kube_api_burst: str | None = None


@dataclass(slots=True)
class _Desk:
    """Reads flags one by one and keeps what is wrong with them."""

    findings: list[Finding] = field(default_factory=list)

    def read(self, flag: str, shape: Shape[T], typed: object, usual: T) -> T:
        """What was typed, or what holds without it."""
        if typed is None or typed == []:
            return usual
        read = shape.read(typed, flag)
        if isinstance(read, Bad):
            self.findings.extend(read.findings)
            return usual
        return read.value


def with_flags(config: Config, flags: Flags) -> Config | Findings:
    """The configuration that a command runs with, or everything that is wrong with the flags."""
    desk = _Desk()
    ready = replace(
        config,
        profiles=_profiles(config, flags, desk),
        namespaces=desk.read("--namespace", NAMESPACES.shape, list(flags.namespaces), config.namespaces),
        kube_api_qps=desk.read("--kube-api-qps", Number(), _number(flags.kube_api_qps), config.kube_api_qps),
        kube_api_burst=desk.read(
            "--kube-api-burst", Count(), _number(flags.kube_api_burst), config.kube_api_burst
        ),
        log_level=desk.read("--log-level", words.LOG_LEVEL, flags.log_level, config.log_level),
        log_format=desk.read("--log-format", words.LOG_FORMAT, flags.log_format, config.log_format),
        health_address=desk.read(
            "--health-address", words.ADDRESS, flags.health_address, config.health_address
        ),
    )
    if flags.kube_api_burst and not (flags.kube_api_qps or ready.kube_api_qps):
        desk.findings.append(Finding("--kube-api-burst", "this means nothing without --kube-api-qps"))
    return tuple(desk.findings) or ready


def _profiles(config: Config, flags: Flags, desk: _Desk) -> tuple[ProfileConfig, ...]:
    known = [profile.name for profile in config.profiles]
    desk.findings.extend(
        Finding("--profile", f"there is no profile {name!r}: {meant(name, known)}")
        for name in flags.profiles
        if name not in known
    )
    chosen = tuple(p for p in config.profiles if not flags.profiles or p.name in flags.profiles)
    if not flags.scheduler_names or not chosen:
        return chosen
    if len(chosen) > 1:
        names = " or ".join(f"--profile {profile.name}" for profile in chosen)
        message = f"it is not clear whose name this is: add {names}, or say it as schedulerNames in --config"
        desk.findings.append(Finding("--scheduler-name", message))
        return chosen
    typed = list(flags.scheduler_names)
    schedulers = desk.read("--scheduler-name", words.SCHEDULERS, typed, chosen[0].schedulers)
    return (replace(chosen[0], schedulers=schedulers),)


def _number(typed: str | None) -> object:
    """A number where it is one; else the text, which no number accepts."""
    if typed is None or not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,12})?", typed, re.ASCII):
        return typed
    return float(typed) if "." in typed else int(typed)
