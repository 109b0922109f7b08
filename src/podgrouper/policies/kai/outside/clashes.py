"""Kinds that more than one grouper claims: nobody could say which of them would be asked."""

from collections.abc import Iterator, Sequence

from podgrouper.core.model import Kind
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outside.plugin import Plugin
from podgrouper.policies.kai.registry import GROUPERS
from podgrouper.policies.kai.settings import ANY_VERSION


def clashes(plugins: Sequence[Plugin]) -> Iterator[tuple[Plugin, str]]:
    """The plugin that has to give way, and why, for every kind that is claimed twice."""
    for place, plugin in enumerate(plugins):
        for kind in plugin.kinds:
            other = next((one for one in plugins[:place] if _claims(one, kind)), None)
            if other is not None:
                yield plugin, f"plugin {other.name} groups {kind} too: keep one of them"
            elif not plugin.overrides and any(_claims(one, kind) for one in GROUPERS):
                yield plugin, f"{kind} has a built-in grouper: set `overrides = True` to take its place"
            elif plugin.overrides and not any(kind in one.kinds for one in GROUPERS):
                yield plugin, f"{kind} has no built-in grouper of that version: remove `overrides`"


def _claims(grouper: Grouper, kind: Kind) -> bool:
    return any(_same(kind, other) for other in grouper.kinds)


def _same(one: Kind, other: Kind) -> bool:
    if (one.group, one.kind) != (other.group, other.kind):
        return False
    return one.version == other.version or ANY_VERSION in (one.version, other.version)
