"""The tree that the parts of a group form, for every dialect the same: what it must not be."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from podgrouper.core.groups import Part


def tree_problems(parts: Sequence[Part]) -> Iterator[str]:
    """Why these parts are no tree with a floor of pods at each leaf."""
    counts = Counter(part.name for part in parts)
    yield from (f"{count} subgroups are called {name!r}" for name, count in counts.items() if count > 1)
    above = {part.name: part.parent for part in parts}
    names, parents = above.keys(), set(above.values())
    for part in parts:
        if part.parent and part.parent not in names:
            yield f"subgroup {part.name!r} has an unknown parent {part.parent!r}"
        if _leads_back(part.name, above):
            yield f"the parents of subgroup {part.name!r} lead back to it"
        if part.name not in parents and (part.floor is None or part.floor_of_parts is not None):
            yield f"subgroup {part.name!r} has no subgroups below it and needs minMember alone"
        if part.name in parents and part.floor is not None:
            yield f"subgroup {part.name!r} has subgroups below it and cannot have minMember"


def _leads_back(name: str, above: Mapping[str, str]) -> bool:
    passed: set[str] = set()
    at = above[name]
    while at and at != name and at not in passed:
        passed.add(at)
        at = above.get(at, "")
    return at == name
