"""Type defaults: what kinds of workloads get when nobody says otherwise, from text to values.

The form is KAI's: a JSON list of objects with `typeName`, `group`, `priorityName`, `preemptibility`. KAI
reads it with Go, which takes keys in any case and refuses the whole text for one value of a wrong type;
so do we, but we say everything that is wrong with it.
"""

import json
from collections.abc import Iterator, Mapping

from podgrouper.config.documents import too_long
from podgrouper.core.rules import Finding, TypeDefault

FIELDS = {
    "typename": ("typeName", "kind"),
    "group": ("group", "group"),
    "priorityname": ("priorityName", "priority_class"),
    "preemptibility": ("preemptibility", "preemptibility"),
}
"""Key in lower case -> as KAI's documentation writes it, and the field of a `TypeDefault`."""
PREEMPTIBILITIES = ("preemptible", "non-preemptible")


def parse_type_defaults(text: str) -> tuple[tuple[TypeDefault, ...] | None, tuple[Finding, ...]]:
    """The rules in the order of the text, and what is wrong with it. None: nothing of it can be used."""
    refused = too_long(text)
    if refused:
        return None, refused
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        return None, (Finding("types", f"is no JSON ({error}): write a list of objects"),)
    if entries is None:
        return (), ()
    if not isinstance(entries, list):
        return None, (Finding("types", "is no list: write a list of objects with typeName and priorityName"),)
    broken = tuple(finding for place, entry in enumerate(entries) for finding in _broken(place, entry))
    if broken:
        return None, broken
    rules = tuple(_rule(entry) for entry in entries)
    return rules, tuple(finding for place, rule in enumerate(rules) for finding in _doubtful(place, rule))


def _broken(place: int, entry: object) -> Iterator[Finding]:
    """What makes the whole text unusable."""
    if entry is None:
        return
    if not isinstance(entry, Mapping):
        yield Finding(f"types[{place}]", "is no object: write one with typeName and priorityName")
        return
    for key, value in entry.items():
        if key.lower() in FIELDS and not isinstance(value, str | None):
            yield Finding(f"types[{place}].{key}", f"is {str(value)[:60]}: write a text")


def _doubtful(place: int, rule: TypeDefault) -> Iterator[Finding]:
    """What has no effect, although the rest is in force."""
    if not rule.kind:
        yield Finding(f"types[{place}].typeName", "is missing: write the kind, as in Job or Job.batch")
    if rule.preemptibility and rule.preemptibility.lower() not in PREEMPTIBILITIES:
        wanted = " or ".join(PREEMPTIBILITIES)
        yield Finding(f"types[{place}].preemptibility", f"is {rule.preemptibility!r}: write {wanted}")


def _rule(entry: Mapping[str, str | None] | None) -> TypeDefault:
    fields = {
        FIELDS[key.lower()][1]: value
        for key, value in (entry or {}).items()
        if key.lower() in FIELDS and value is not None
    }
    return TypeDefault(
        fields.get("kind", ""),
        fields.get("group", ""),
        fields.get("priority_class", ""),
        fields.get("preemptibility", ""),
    )
