"""All plugins of a run, ready to be asked; or everything that is wrong with them, at once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points

from podgrouper.core.rules import Finding
from podgrouper.plugins.process import Process
from podgrouper.plugins.remote import Remote
from podgrouper.policies.kai.outside.clashes import clashes
from podgrouper.policies.kai.outside.plugin import Hung, Plugin, Raised
from podgrouper.policies.kai.outside.typed import Mistyped

ENTRY_POINTS = "podgrouper.groupers"
"""Where installed packages register theirs."""


@dataclass(frozen=True, slots=True)
class Source:
    """A plugin by the name that people know it by, and where it is loaded from."""

    name: str
    target: str


@dataclass(frozen=True, slots=True)
class Loaded:
    plugins: tuple[Plugin, ...]
    findings: tuple[Finding, ...]


def named(sources: Iterable[str]) -> tuple[Source, ...]:
    """Those that a person names."""
    return tuple(Source(source, source) for source in sources)


def installed() -> tuple[Source, ...]:
    """Those that installed packages register."""
    return tuple(
        Source(f"{point.name} ({point.dist.name if point.dist else 'no package'})", point.value)
        for point in sorted(entry_points(group=ENTRY_POINTS))
    )


def load(sources: Iterable[Source], budget: float) -> Loaded:
    """One process for each source. It may think about one workload for `budget` seconds."""
    plugins: list[Plugin] = []
    findings: list[Finding] = []
    for source in sources:
        try:
            plugins += _plugins(source, budget)
        except (Raised, Hung, Mistyped) as error:
            findings.append(Finding(f"plugin {source.name}", f"it cannot be loaded: {error}"))
    clashing = (Finding(f"plugin {plugin.name}", why) for plugin, why in clashes(plugins))
    return Loaded(tuple(plugins), (*findings, *clashing))


def _plugins(source: Source, budget: float) -> Iterator[Plugin]:
    process = Process(source.target, budget)
    for declared in process.declared():
        yield Plugin.of(source.name, Remote.of(process, declared))
