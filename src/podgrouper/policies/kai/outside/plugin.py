"""A grouper that somebody else wrote, under the checks that keep its mistakes to its own workloads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from podgrouper.core.faults import ExtensionFailed, Fault
from podgrouper.core.groups import Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Kind, Owner, Want
from podgrouper.core.reasons import Reason
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outside.sense import Nonsense, sensible
from podgrouper.policies.kai.outside.typed import Mistyped, wants_of
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.values import BadValue

T = TypeVar("T")

LONGEST_WORDS = 500
"""Every pod of the workload is told, and a plugin may say anything."""


class Raised(Exception):
    """A plugin raised elsewhere; this is what, in words."""


class Hung(Exception):
    """A plugin gave no answer within its budget, in words."""


@dataclass(frozen=True, slots=True)
class Plugin(Grouper):
    """Names itself in whatever goes wrong: plugin, kind and workload."""

    name: str
    """As a person wrote it: a file, a module, an entry point."""
    grouper: Grouper
    kinds: tuple[Kind, ...]
    overrides: bool = False

    @classmethod
    def of(cls, name: str, grouper: Grouper) -> "Plugin":
        return cls(name, grouper, grouper.kinds, grouper.overrides)

    @property
    def reads(self) -> Reads:
        return self.grouper.reads

    @property
    def free_steps(self) -> frozenset[int]:
        return self.grouper.free_steps

    @property
    def patient(self) -> bool:
        return self.grouper.patient

    def wants(self, scene: Scene) -> Sequence[Want]:
        return self._tried(scene.owner, lambda: wants_of(self.grouper.wants(scene)).all)

    def outgrown(self, owner: Owner, group: str) -> bool:
        return self._tried(owner, lambda: _truth(self.grouper.outgrown(owner, group)))

    def group(self, scene: Scene) -> Grouping:
        return self._tried(scene.owner, lambda: sensible(self.grouper.group(scene), scene))

    def _tried(self, owner: Owner, call: Callable[[], T]) -> T:
        """A `BadValue` is the owner's fault and is told as such; everything else is the plugin's."""
        try:
            return call()
        except BadValue:
            raise
        except Exception as error:
            reason = Reason.GROUPER_HUNG if isinstance(error, Hung) else Reason.GROUPER_FAILED
            message = f"plugin {self.name}, {owner.ref}: {_words(error)[:LONGEST_WORDS]}"
            fault = Fault(f"plugin {self.name}", message, str(owner.ref.kind), reason)
            raise ExtensionFailed(fault) from error


def _words(error: Exception) -> str:
    match error:
        case Raised() | Hung():
            return str(error)
        case Mistyped() | Nonsense():
            return f"its answer makes no sense: {error}"
        case _:
            return f"{type(error).__name__}: {error}"


def _truth(said: object) -> bool:
    if not isinstance(said, bool):
        raise Mistyped(f"{type(said).__name__} is neither True nor False")
    return said
