"""The page of groupers, from the registry."""

from collections.abc import Sequence

from podgrouper.core.model import Kind
from podgrouper.policies.kai import keys
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.groupers.plain import UNKNOWN
from podgrouper.policies.kai.policy import KaiPolicy
from podgrouper.policies.kai.registry import GROUPERS
from podgrouper.policies.kai.settings import SKIP_TOP_OWNER

EVERY = KaiPolicy(groupers=()).reads
"""What is read whatever the kind."""
LINK = frozenset({keys.GROUP_OF_POD, keys.PART_OF_POD})
"""What a pod got from us: no choice of anybody."""
TOPOLOGY = (keys.TOPOLOGY, keys.TOPOLOGY_REQUIRED, keys.TOPOLOGY_PREFERRED)


def groupers_page(notice: str) -> str:
    """Every grouper of the kai policy."""
    rows = "\n".join(_row(_named(grouper.kinds), grouper) for grouper in GROUPERS)
    return f"""# Groupers

{notice}

How the policy `kai` groups each kind. Pods belong together at the top of their owner chain, and the kind
found there chooses the row. Your own kinds get [a grouper of your own](../guides/own-grouper.md).

Whatever the kind, a group follows

- the labels {_quoted(sorted(EVERY.labels - LINK))} of its owners and pods,
- the annotations {_quoted(sorted(EVERY.annotations - LINK))} of both,
- the annotations {_quoted(TOPOLOGY)} of its owners.

Kinds that only wrap another workload (`skipTopOwner` adds more): {_named(SKIP_TOP_OWNER)}. The owner below
them counts.

| kind | rule | read of the kind | read of pods | also heeds |
|---|---|---|---|---|
{rows}
{_row("any other", UNKNOWN)}
"""


def _row(kinds: str, grouper: Grouper) -> str:
    reads = grouper.reads
    declared = (path for kind in grouper.kinds for path in sorted(reads.paths.get(kind, ())))
    paths = [path for path in dict.fromkeys(declared) if path]
    of_pods = sorted((reads.labels | reads.annotations) - EVERY.labels - EVERY.annotations)
    cells = (kinds, grouper.rule, _quoted(paths), _quoted(of_pods), _quoted(grouper.heeds))
    return f"| {' | '.join(cells)} |"


def _named(kinds: Sequence[Kind]) -> str:
    """Versions of one kind together."""
    versions: dict[tuple[str, str], list[str]] = {}
    for kind in kinds:
        versions.setdefault((kind.group, kind.kind), []).append(kind.version)
    return ", ".join(_spoken(group, kind, found) for (group, kind), found in versions.items())


def _spoken(group: str, kind: str, versions: Sequence[str]) -> str:
    of = "" if versions == ["*"] else " " + ", ".join(versions)
    return f"{kind} (`{group or 'core'}`{of})"


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)
