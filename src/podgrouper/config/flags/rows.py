"""A flag of the command line as a row of a table: what it accepts, whose it is, what it changes.

Checking, `--help` and docs/reference/cli.md walk these rows. A flag that somebody knows from another
program and that has no meaning here is a row too: it is told with what replaces it.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias, TypeVar

from podgrouper.config.model import Config, KaiSettings, PolicyName, ProfileConfig, VolcanoSettings
from podgrouper.config.shapes import Bad, Good, Read, Shape, refused
from podgrouper.core.model import Json

T = TypeVar("T")

Typed: TypeAlias = str | list[str]
"""What a person typed behind a flag: a text, or all of them where the flag may be repeated."""
Change: TypeAlias = Callable[[Config, Typed, str], Good[Config] | Bad]
"""The configuration with what was typed behind this flag, or what is wrong with it."""
Check: TypeAlias = Callable[[Config, Collection[str]], str]
"""What is wrong with a flag in view of the finished configuration and of all flags that were typed, in words;
empty when nothing is."""


def nothing_more(_config: Config, _typed: Collection[str]) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Row:
    """One flag."""

    flag: str
    metavar: str
    help: str
    change: Change
    policy: PolicyName | None = None
    """Only profiles of this policy know what to do with it. None: it does not depend on the policy."""
    running: bool = False
    """It matters to a program that keeps running, and to no other."""
    repeatable: bool = False
    short: str = ""
    switch: bool = False
    """Alone it means true; another value follows after `=`, as in every program written in Go."""
    check: Check = nothing_more


@dataclass(frozen=True, slots=True)
class Replaced:
    """A flag of another program that has no meaning here."""

    flag: str
    whose: str
    instead: str
    """What to do now, as a sentence."""

    def __str__(self) -> str:
        return f"this flag of {self.whose} has no meaning here: {self.instead}"


def sets(shape: Shape[T], put: Callable[[Config, T], Config]) -> Change:
    """Reads a value of this shape and puts it where it belongs."""

    def change(config: Config, typed: Typed, flag: str) -> Good[Config] | Bad:
        read = shape.read(typed, flag)
        return read if isinstance(read, Bad) else Good(put(config, read.value))

    return change


def in_all(put: Callable[[ProfileConfig, T], ProfileConfig]) -> Callable[[Config, T], Config]:
    """Puts a value into every profile."""

    def put_in_all(config: Config, value: T) -> Config:
        return replace(config, profiles=tuple(put(profile, value) for profile in config.profiles))

    return put_in_all


def in_kai(put: Callable[[KaiSettings, T], KaiSettings]) -> Callable[[Config, T], Config]:
    """Puts a value into the settings of every profile of the kai policy."""

    def put_in_all(config: Config, value: T) -> Config:
        return replace(
            config,
            profiles=tuple(
                replace(profile, kai=put(profile.kai, value)) if profile.policy == "kai" else profile
                for profile in config.profiles
            ),
        )

    return put_in_all


def in_volcano(put: Callable[[VolcanoSettings, T], VolcanoSettings]) -> Callable[[Config, T], Config]:
    """Puts a value into the settings of every profile of the volcano policy."""

    def put_in_all(config: Config, value: T) -> Config:
        return replace(
            config,
            profiles=tuple(
                replace(profile, volcano=put(profile.volcano, value))
                if profile.policy == "volcano"
                else profile
                for profile in config.profiles
            ),
        )

    return put_in_all


@dataclass(frozen=True, slots=True)
class Numeral(Generic[T]):
    """A number that was typed, read by the shape of the number."""

    shape: Shape[T]

    @property
    def accepts(self) -> str:
        return self.shape.accepts

    def read(self, value: object, path: str) -> Read[T]:
        return self.shape.read(_number(value), path)

    def schema(self) -> Json:
        return self.shape.schema()


def _number(typed: object) -> object:
    """A number where it is one; else the text, which no number accepts."""
    if not isinstance(typed, str) or not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,12})?", typed, re.ASCII):
        return typed
    return float(typed) if "." in typed else int(typed)


@dataclass(frozen=True, slots=True)
class Switch:
    """True or false in every spelling that Go's `strconv.ParseBool` takes."""

    accepts: str = "true or false"

    def read(self, value: object, path: str) -> Read[bool]:
        found = _GO_BOOLS.get(value) if isinstance(value, str) else None
        return refused(value, path, self.accepts) if found is None else Good(found)

    def schema(self) -> Json:
        return {"type": "boolean"}


_GO_BOOLS: Mapping[str, bool] = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}
