"""What passes between podgrouper and the process of a plugin.

Questions are values of ours and go there as they are. Answers come from code that nobody here has read:
bytes that are checked against the type that was promised (`policies.kai.outside.typed`).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from podgrouper.core.model import Kind, Owner
from podgrouper.policies.kai.outside.typed import Needs
from podgrouper.policies.kai.scene import Scene


@dataclass(frozen=True, slots=True)
class Declare:
    """Which groupers are there, and what do they need? Answered with a `Declared` for each."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """`Grouper.wants`, answered with `Wants`."""

    grouper: str
    scene: Scene


@dataclass(frozen=True, slots=True)
class Grouped:
    """`Grouper.group`, answered with a `Grouping`."""

    grouper: str
    scene: Scene


@dataclass(frozen=True, slots=True)
class Outgrown:
    """`Grouper.outgrown`, answered with a truth value."""

    grouper: str
    owner: Owner
    group: str


Question: TypeAlias = Declare | Wanted | Grouped | Outgrown


class How(StrEnum):
    """What kind of answer it is; all but the first are followed by words."""

    DONE = "done"
    BAD_VALUE = "bad value"
    MISTYPED = "mistyped"
    RAISED = "raised"


@dataclass(frozen=True, slots=True)
class Declared:
    """What a plugin says about one of its groupers, which goes by the name of its class."""

    name: str
    kinds: tuple[Kind, ...]
    overrides: bool
    free_steps: tuple[int, ...]
    needs: Needs
