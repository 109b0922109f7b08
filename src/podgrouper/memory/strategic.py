"""Strategic merge patch: lists of built-in kinds that merge by key, and the directives that steer it.

The directives are those of the API conventions ("Strategic Merge Patch" in
contributors/devel/sig-api-machinery): `$patch`, `$deleteFromPrimitiveList`, `$setElementOrder`,
`$retainKeys`.
"""

from collections.abc import Mapping, Sequence

from podgrouper.core.model import Json
from podgrouper.memory.lists import SET, merge_key
from podgrouper.memory.refusals import bad_request

Path = tuple[str, ...]

_DELETE_FROM = "$deleteFromPrimitiveList/"
_ORDER = "$setElementOrder/"
_RETAIN = "$retainKeys"
_PATCH = "$patch"


def strategically_merged(obj: Json, patch: Json) -> object:
    return _merged(obj, patch, ())


def _merged(target: object, patch: Json, at: Path) -> object:
    directive = patch.get(_PATCH)
    if directive == "delete":
        return {}
    body = {key: item for key, item in patch.items() if not key.startswith("$")}
    if directive == "replace":
        return _without_nulls(body)
    result = dict(target) if isinstance(target, Mapping) else {}
    retained = patch.get(_RETAIN)
    if isinstance(retained, list | tuple):
        result = {key: item for key, item in result.items() if key in retained}
    for key, gone in _directed(patch, _DELETE_FROM):
        kept = result.get(key)
        if isinstance(kept, list | tuple):
            result[key] = [item for item in kept if item not in gone]
    for key, item in body.items():
        if item is None:
            result.pop(key, None)
        else:
            result[key] = _field(result.get(key), item, (*at, key))
    for key, order in _directed(patch, _ORDER):
        there = result.get(key)
        if isinstance(there, list | tuple):
            result[key] = _ordered(there, order, merge_key((*at, key)))
    return result


def _directed(patch: Json, prefix: str) -> list[tuple[str, Sequence[object]]]:
    return [
        (key.removeprefix(prefix), value)
        for key, value in patch.items()
        if key.startswith(prefix) and isinstance(value, list | tuple)
    ]


def _field(target: object, patch: object, at: Path) -> object:
    if isinstance(patch, Mapping):
        return _merged(target, patch, at)
    if not isinstance(patch, list | tuple):
        return patch
    key = merge_key(at)
    if key == SET:
        there = list(target) if isinstance(target, list | tuple) else []
        return there + [item for item in patch if item not in there]
    if key:
        return _merged_list(target if isinstance(target, list | tuple) else (), patch, key, at)
    return list(patch)


def _merged_list(target: Sequence[object], patch: Sequence[object], key: str, at: Path) -> list[object]:
    """Elements are the same when their key is; new ones go to the end."""
    items = [item for item in patch if isinstance(item, Mapping)]
    if len(items) != len(patch):
        raise bad_request(f"error decoding patch: {'.'.join(at)} holds something that is no object")
    if any(item.get(_PATCH) == "replace" for item in items):
        return [_without_nulls(item) for item in items if _PATCH not in item]
    result = list(target)
    for item in items:
        if item.get(key) is None:
            raise bad_request(f"map: {dict(item)} does not contain declared merge key: {key}")
        place = next((number for number, old in enumerate(result) if _keyed(old, key, item[key])), None)
        if item.get(_PATCH) == "delete":
            result = [old for old in result if not _keyed(old, key, item[key])]
        elif place is None:
            result.append(_merged(None, item, at))
        else:
            result[place] = _merged(result[place], item, at)
    return result


def _keyed(item: object, key: str, value: object) -> bool:
    return isinstance(item, Mapping) and item.get(key) == value


def _ordered(there: Sequence[object], order: Sequence[object], key: str) -> list[object]:
    """By the given order; elements that it does not name keep their place behind the one before them."""
    wanted = [entry.get(key) if isinstance(entry, Mapping) else entry for entry in order]
    named = sorted(
        (item for item in there if _identity(item, key) in wanted),
        key=lambda item: wanted.index(_identity(item, key)),
    )
    queue = iter(named)
    return [next(queue) if _identity(item, key) in wanted else item for item in there]


def _identity(item: object, key: str) -> object:
    return item.get(key) if isinstance(item, Mapping) else item


def _without_nulls(value: object) -> object:
    if isinstance(value, Mapping):
        return {
            key: _without_nulls(item)
            for key, item in value.items()
            if item is not None and not key.startswith("$")
        }
    return [_without_nulls(item) for item in value] if isinstance(value, list | tuple) else value
