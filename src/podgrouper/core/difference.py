"""What a PodGroup that exists would have to change, field by field, as a merge patch.

Everything here reads one table, the dialect's `FieldRule`s. Values are compared by meaning: absent
equals empty, `0.5` equals `500m`, a field that the server fills in equals one that we leave out.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property

from podgrouper.core.fields import dig, items, text
from podgrouper.core.interfaces import FieldRule, Ownership
from podgrouper.core.model import Json
from podgrouper.core.quantity import parse

Path = tuple[str, ...]
ANY = "*"
FIELD = "f:"
"""Before the name of a field in `fieldsV1`."""


DECIDED = ("metadata.labels", "metadata.annotations", "metadata.ownerReferences", "spec")
"""What of a PodGroup is decided; the rules of dialects say more of it, and nothing of the rest."""


def as_decided(desired: Json, live: Json) -> bool:
    """Equal to the letter, as most groups are most of the time: then no rule finds a difference."""
    return all(dig(desired, path) == dig(live, path) for path in DECIDED)


def difference(desired: Json, live: Json, rules: tuple[FieldRule, ...], written: Container[Path]) -> Json:
    """The merge patch that takes `live` to `desired`; empty when nothing differs.

    `written` are the paths whose values we wrote: only those are taken away again when nobody names
    them any more.
    """
    patch: dict[str, object] = {}
    for path, rule in _fields(desired, live, rules):
        wanted, found = _value(desired, path), _value(live, path)
        ours = found is not None and _empty(wanted) and path in written
        if _writes(rule, wanted, found, ours):
            _put(patch, path, None if plain(wanted) is None else _value_patch(wanted, found))
        if rule.excludes and wanted is not None:
            rival = (*path[:-1], rule.excludes)
            if _value(live, rival) is not None:
                _put(patch, rival, None)
    return patch


def _fields(desired: Json, live: Json, rules: tuple[FieldRule, ...]) -> Iterator[tuple[Path, FieldRule]]:
    """Every field that a rule speaks of; a `*` stands for the keys that no other rule names."""
    named = {rule.path for rule in rules}
    for rule in rules:
        if rule.path[-1] != ANY:
            yield rule.path, rule
            continue
        place = rule.path[:-1]
        for key in dict.fromkeys((*_keys(desired, place), *_keys(live, place))):
            if (*place, key) not in named:
                yield (*place, key), rule


def _writes(rule: FieldRule, wanted: object, found: object, ours: bool) -> bool:
    match rule.ownership:
        case Ownership.NEVER:
            return False
        case Ownership.CREATION:
            return _empty(found) and not _empty(wanted)
        case Ownership.LASTING if _empty(wanted):
            return False
        case Ownership.NAMED if _empty(wanted) and not _named_empty(wanted):
            return ours
        case Ownership.NAMED | Ownership.LASTING | Ownership.OURS:
            return not _same(rule, wanted, found)


def _named_empty(wanted: object) -> bool:
    """An empty string is a value where it stands for itself: in a label or annotation."""
    return wanted == ""


def _same(rule: FieldRule, wanted: object, found: object) -> bool:
    one = rule.absent_as if wanted is None else wanted
    other = rule.absent_as if found is None else found
    if rule.quantities and isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same_quantity(one[key], other[key]) for key in one)
    return plain(one) == plain(other)


def _same_quantity(one: object, other: object) -> bool:
    first, second = (parse(value) if isinstance(value, str | int) else None for value in (one, other))
    return first == second if first is not None and second is not None else one == other


def plain(value: object) -> object:
    """The value without what means nothing: empty maps, lists and nulls. Zero, false and "" do mean."""
    if isinstance(value, (dict, Mapping)):
        kept = {key: plain(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item is not None} or None
    if isinstance(value, list | tuple):
        return [plain(item) for item in value] or None
    return value


def _value_patch(wanted: object, found: object) -> object:
    """Maps are patched key by key, for a merge patch leaves alone the keys that it does not name."""
    if wanted is None or not isinstance(wanted, Mapping) or not isinstance(found, Mapping):
        return wanted
    gone: dict[str, object] = {key: None for key in found if wanted.get(key) is None}
    return gone | {
        key: _value_patch(item, found.get(key))
        for key, item in wanted.items()
        if item is not None and plain(item) != plain(found.get(key))
    }


def merged(target: object, patch: object) -> object:
    """RFC 7386: what the server makes of a merge patch."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(target) if isinstance(target, Mapping) else {}
    for key, item in patch.items():
        if item is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), item)
    return result


class WrittenBy(Container[Path]):
    """The paths that these field managers wrote, as `metadata.managedFields` shows them (fieldsV1).

    Read when somebody asks, which nobody does for a group that is as it should be.
    """

    def __init__(self, live: Json, managers: frozenset[str]) -> None:
        self._live = live
        self._managers = managers

    def __contains__(self, path: object) -> bool:
        return path in self.paths

    @cached_property
    def paths(self) -> frozenset[Path]:
        return frozenset(
            path
            for entry in items(self._live, "metadata.managedFields")
            if text(entry, "manager") in self._managers
            for path in _paths(entry.get("fieldsV1"), ())
        )


def entries_of(obj: Json, managers: frozenset[str]) -> list[Json]:
    """What `managedFields` says about these managers, without the time.

    Items of lists are left out: they are named by uid, and nobody asks for them. So of groups that are alike
    it says the same.
    """
    entries = items(obj, "metadata.managedFields")
    return [
        {"manager": entry["manager"], "fieldsV1": _fields_only(entry.get("fieldsV1"))}
        for entry in entries
        if text(entry, "manager") in managers
    ]


def _fields_only(fields: object) -> object:
    if not isinstance(fields, (dict, Mapping)):
        return None
    return {key: _fields_only(below) for key, below in fields.items() if str(key).startswith(FIELD)}


def _paths(fields: object, at: Path) -> Iterable[Path]:
    if at:
        yield at
    if isinstance(fields, (dict, Mapping)):
        for key, below in fields.items():
            if isinstance(key, str) and key.startswith(FIELD):
                yield from _paths(below, (*at, key.removeprefix(FIELD)))


def _value(obj: object, path: Path) -> object:
    for key in path:
        if not isinstance(obj, (dict, Mapping)):
            return None
        obj = obj.get(key)
    return obj


def _keys(obj: Json, place: Path) -> tuple[str, ...]:
    there = _value(obj, place)
    return tuple(there) if isinstance(there, Mapping) else ()


def _put(patch: dict[str, object], path: Path, value: object) -> None:
    for key in path[:-1]:
        below = patch.setdefault(key, {})
        if not isinstance(below, dict):
            return
        patch = below
    patch[path[-1]] = value


def _empty(value: object) -> bool:
    return value is None or value == "" or plain(value) is None
