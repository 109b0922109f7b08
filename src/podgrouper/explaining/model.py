"""The answer to "why is my gang not running?", as values."""

from dataclasses import dataclass

from podgrouper.core.model import Ref
from podgrouper.core.reasons import Reason
from podgrouper.core.status import Phase


@dataclass(frozen=True, slots=True)
class Step:
    """One object on the way up from a pod, or why it goes no further."""

    what: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class FieldShown:
    """A field of the group, and where its value comes from."""

    name: str
    value: str
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Count:
    """Of the whole group, or of one of its parts: how many must start together, exist and run."""

    part: str
    want: int
    have: int
    running: int


@dataclass(frozen=True, slots=True)
class Word:
    """What a scheduler said, and where."""

    where: str
    says: str


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that keeps a group from running, or that a person should know of it."""

    reason: Reason
    sentence: str
    blocks: bool = True


@dataclass(frozen=True, slots=True)
class Decided:
    """Which profile looked at the pods, and what it made of them."""

    profile: str = ""
    policy: str = ""
    dialect: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """One group, or pods that have none for the same reason."""

    pods: tuple[Ref, ...]
    """Those that the question leads to, by age."""
    chain: tuple[Step, ...]
    """From the top owner down to the first of these pods."""
    decided: Decided
    group: Ref | None = None
    exists: bool = False
    phase: Phase | None = None
    fields: tuple[FieldShown, ...] = ()
    counts: tuple[Count, ...] = ()
    words: tuple[Word, ...] = ()
    causes: tuple[Cause, ...] = ()

    @property
    def blocked_by(self) -> Cause | None:
        """The first thing to look after; None when nothing keeps it from running."""
        return next((cause for cause in self.causes if cause.blocks), None)


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that was found out about one object."""

    about: Ref
    subjects: tuple[Subject, ...]
