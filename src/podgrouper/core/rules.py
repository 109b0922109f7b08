"""Rules that people write in ConfigMaps, as values: `config` reads them, policies obey them."""

from dataclasses import dataclass
from typing import Literal

NoMatch = Literal["controller", "root"]


@dataclass(frozen=True, slots=True)
class LevelRule:
    """Pods below an owner of this kind belong together there, or so many levels above it."""

    api_version: str
    """Compared exactly."""
    kind: str
    """In lower case: kinds are compared without regard to it."""
    level: int = 0


@dataclass(frozen=True, slots=True)
class TypeDefault:
    """What a workload of this type gets when nobody says otherwise. An empty group stands for any group."""

    kind: str
    group: str = ""
    priority_class: str = ""
    preemptibility: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a text that could not be used, and where in it; the rest is in force."""

    path: str
    message: str
