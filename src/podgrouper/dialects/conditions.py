"""Conditions as both PodGroups write them: a list of entries with a type, kept in their order."""

from collections.abc import Iterable, Iterator

from podgrouper.core.conditions import Condition
from podgrouper.core.fields import items, text
from podgrouper.core.model import Json


def conditions_of(group: Json) -> tuple[Condition, ...]:
    """What stands under `status.conditions`."""
    return tuple(
        Condition(
            text(entry, "type"),
            holds=text(entry, "status") == "True",
            reason=text(entry, "reason"),
            message=text(entry, "message"),
            since=text(entry, "lastTransitionTime"),
            transition=text(entry, "transitionID"),
        )
        for entry in items(group, "status.conditions")
    )


def listed(conditions: Iterable[Condition], live: Json) -> list[Json]:
    """The list with these entries in it; an entry that says the same stays to the letter, as do others'."""
    wanted = {one.type: one for one in conditions}
    return [*_standing(live, wanted), *map(_entry, wanted.values())]


def _standing(live: Json, wanted: dict[str, Condition]) -> Iterator[Json]:
    """The entries that are there already, brought up to date; takes out of `wanted` what it gives."""
    for entry, said in zip(items(live, "status.conditions"), conditions_of(live), strict=True):
        new = wanted.pop(said.type, said)
        yield entry if new == said else {**entry, **_entry(new)}


def _entry(condition: Condition) -> dict[str, object]:
    fields = {
        "type": condition.type,
        "status": "True" if condition.holds else "False",
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": condition.since,
        "transitionID": condition.transition,
    }
    return {name: value for name, value in fields.items() if value or name == "message"}
