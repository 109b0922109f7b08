"""The extension point of the kai policy: one grouper for each family of workload kinds."""

from collections.abc import Sequence
from typing import Protocol

from podgrouper.core.groups import Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Kind, Owner, Want
from podgrouper.policies.kai.scene import Scene


class Grouper(Protocol):
    """Turns the workloads of its kinds into groups.

    Pure: it never gets a client, knows no time, and gives the same answer for the same scene. It may raise
    `BadValue` when what the owner says makes no sense; then no pod of this workload is grouped, and each is
    told why. Every member of the scene must be placed in a group or be unplaced with a reason.

    Derive from this class: then only `kinds` and `group` have to be written.
    """

    kinds: tuple[Kind, ...]
    """The kinds of owners that it groups: versions exactly, or `*` for any."""
    overrides: bool = False
    """It means to take the place of a built-in grouper of the same kind; else that is a mistake."""

    @property
    def rule(self) -> str:
        """How it groups, in the one line that opens its docstring. What docs/reference/groupers.md says."""
        return (self.__doc__ or "").partition("\n")[0]

    @property
    def heeds(self) -> tuple[str, ...]:
        """Labels and annotations of owners, and settings, by which a person steers it; for the same page."""
        return ()

    @property
    def patient(self) -> bool:
        """Its answers may take their time, and nobody else should wait meanwhile."""
        return False

    @property
    def free_steps(self) -> frozenset[int]:
        """Floors that a running group leaves upwards at once, as a matter of course (`floors.held_back`)."""
        return frozenset()

    @property
    def reads(self) -> Reads:
        """What it reads of pods and owners besides what every group reads."""
        return Reads()

    def wants(self, scene: Scene) -> Sequence[Want]:  # noqa: ARG002  # for those who want something
        """What else it needs: other objects, pods by label, groups by name."""
        return ()

    def outgrown(self, owner: Owner, group: str) -> bool:  # noqa: ARG002  # for kinds whose groups go
        """Whether a group of ours by that name was made for a part of the owner that is no more.

        Asked for groups of kinds in `Reads.self_standing`. One that a live pod names stays all the same.
        """
        return False

    def group(self, scene: Scene) -> Grouping:
        """The groups of this workload. There is at least one member."""
