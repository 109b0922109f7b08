"""A grouper whose every answer comes from the process of its plugin."""

from collections.abc import Sequence
from dataclasses import dataclass

from podgrouper.core.groups import Grouping
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Kind, Owner, Want
from podgrouper.plugins.process import Process
from podgrouper.plugins.questions import Declared, Grouped, Outgrown, Wanted
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outside.typed import Wants
from podgrouper.policies.kai.scene import Scene


@dataclass(frozen=True, slots=True)
class Remote(Grouper):
    """What it is and needs was declared when the plugin was loaded, and holds from then on."""

    process: Process
    name: str
    kinds: tuple[Kind, ...]
    overrides: bool
    free_steps: frozenset[int]
    reads: Reads
    patient: bool = True

    @classmethod
    def of(cls, process: Process, declared: Declared) -> "Remote":
        return cls(
            process,
            declared.name,
            declared.kinds,
            declared.overrides,
            frozenset(declared.free_steps),
            declared.needs.all,
        )

    def wants(self, scene: Scene) -> Sequence[Want]:
        return self.process.ask(Wanted(self.name, scene), Wants).all

    def outgrown(self, owner: Owner, group: str) -> bool:
        return self.process.ask(Outgrown(self.name, owner, group), bool)

    def group(self, scene: Scene) -> Grouping:
        return self.process.ask(Grouped(self.name, scene), Grouping)
