"""What a kind of workload gets when nobody says otherwise: the list that a cluster's owner writes."""

from collections.abc import Iterable, Iterator

from podgrouper.core.model import Kind, Owner
from podgrouper.core.rules import TypeDefault
from podgrouper.policies.kai.sources import Source


def priorities_of(owners: Iterable[Owner], rules: tuple[TypeDefault, ...]) -> Iterator[Source]:
    """The priority classes that the list names for these owners, in the order in which they are tried."""
    return (
        Source(rule.priority_class, _origin(rule))
        for owner in owners
        for rule in rules_for(owner.ref.kind, rules)
    )


def preemptibilities_of(owners: Iterable[Owner], rules: tuple[TypeDefault, ...]) -> Iterator[Source]:
    """The same for preemptibility. A list may write it as it likes; labels may not."""
    return (
        Source(rule.preemptibility.lower(), _origin(rule))
        for owner in owners
        for rule in rules_for(owner.ref.kind, rules)
    )


def rules_for(kind: Kind, rules: tuple[TypeDefault, ...]) -> Iterator[TypeDefault]:
    """The rule that names kind and group, then the one that names the kind alone. Versions play no part."""
    for wanted in (_name(kind.kind, kind.group), kind.kind):
        found = [rule for rule in rules if _name(rule.kind, rule.group) == wanted]
        yield from found[-1:]


def _name(kind: str, group: str) -> str:
    """KAI's form, in which `Job.batch` may also be written as one word."""
    return f"{kind}.{group}" if group else kind


def _origin(rule: TypeDefault) -> str:
    return f"type default of {_name(rule.kind, rule.group)}"
