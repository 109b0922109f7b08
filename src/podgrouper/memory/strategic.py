"""Strategic merge patch: lists of built-in kinds that merge by key, and the directives that steer it.

The directives are those of the API conventions ("Strategic Merge Patch" in
contributors/devel/sig-api-machinery): `$patch`, `$deleteFromPrimitiveList`, `$setElementOrder`,
`$retainKeys`.
"""

from collections.abc import Mapping, Sequence

from podgrouper.core.model import Json
from podgrouper.memory.lists import SET, merge_key
from podgrouper.memory.printing import go_value
from podgrouper.memory.refusals import Refused, bad_request

Path = tuple[str, ...]

_DELETE_FROM = "$deleteFromPrimitiveList/"
_ORDER = "$setElementOrder/"
_RETAIN = "$retainKeys"
_PATCH = "$patch"


def strategically_merged(obj: Json, patch: Json) -> object:
    """Raises `Refused`: 500, as the server does, for a directive or an element that makes no sense."""
    return _merged(obj, patch, ())


def _merged(target: object, patch: Json, at: Path) -> object:
    if _PATCH in patch:
        return _directed(patch)
    result = dict(target) if isinstance(target, Mapping) else {}
    retained = patch.get(_RETAIN)
    if isinstance(retained, list | tuple):
        result = {key: item for key, item in result.items() if key in retained}
    for key, gone in _lists(patch, _DELETE_FROM).items():
        result[key] = [item for item in _list(result.get(key)) if item not in gone]
    orders = _lists(patch, _ORDER)
    for key, order in orders.items():
        if key not in patch and key in result:
            there = _list(result[key])
            result[key] = _ordered(there, order, there, merge_key((*at, key)))
    for key, item in patch.items():
        if key.startswith("$"):
            continue
        if item is None:
            result.pop(key, None)
        else:
            result[key] = _field(result.get(key), item, (*at, key), orders.get(key))
    return result


def _directed(patch: Json) -> object:
    if patch[_PATCH] == "delete":
        return {}
    if patch[_PATCH] == "replace":
        return _plain(patch)
    raise Refused(500, "", f"unknown patch type: {patch[_PATCH]} in map: {go_value(patch)}")


def _lists(patch: Json, prefix: str) -> Mapping[str, Sequence[object]]:
    """What one of the directives beside a list says, by the name of the list."""
    return {
        key.removeprefix(prefix): value
        for key, value in patch.items()
        if key.startswith(prefix) and isinstance(value, list | tuple)
    }


def _field(target: object, patch: object, at: Path, order: Sequence[object] | None) -> object:
    if isinstance(patch, Mapping):
        return _merged(target, patch, at)
    if not isinstance(patch, list | tuple):
        return patch
    key = merge_key(at)
    if not key or target is None or _replaces(patch):
        return _plain(patch)
    there = _list(target)
    if key == SET:
        merged = there + [item for item in patch if item not in there]
    else:
        merged = _merged_list(there, patch, key, at)
    return _ordered(merged, patch if order is None else order, there, key)


def _replaces(patch: Sequence[object]) -> bool:
    return any(isinstance(item, Mapping) and item.get(_PATCH) == "replace" for item in patch)


def _merged_list(target: list[object], patch: Sequence[object], key: str, at: Path) -> list[object]:
    """Elements are the same when their key is."""
    result = target
    for item in patch:
        if not isinstance(item, Mapping):
            raise bad_request(f"error decoding patch: {'.'.join(at)} holds something that is no object")
        if item.get(key) is None:
            words = f"map: {go_value(item)} does not contain declared merge key: {key}"
            raise Refused(500, "", words)
        same = [_identity(old, key) == item[key] for old in result]
        if item.get(_PATCH) == "delete":
            result = [old for old, hit in zip(result, same, strict=True) if not hit]
        elif any(same):
            place = same.index(True)
            result = [*result[:place], _merged(result[place], item, at), *result[place + 1 :]]
        else:
            result = [*result, _plain(item)]
    return result


def _ordered(
    items: Sequence[object], order: Sequence[object], live: Sequence[object], key: str
) -> list[object]:
    """What the patch names in its order, and between it what it does not name in the order of the live list.

    Of the two that are next, the unnamed one comes first only if both were there and it stood before.
    """
    wanted = [_identity(entry, key) for entry in order]
    stood = [_identity(item, key) for item in live]
    named = [item for item in items if _identity(item, key) in wanted]
    named.sort(key=lambda item: wanted.index(_identity(item, key)))
    rest = [item for item in items if _identity(item, key) not in wanted]
    result: list[object] = []
    while named and rest:
        ours, theirs = _identity(named[0], key), _identity(rest[0], key)
        first = ours in stood and stood.index(theirs) < stood.index(ours)
        result.append((rest if first else named).pop(0))
    return result + named + rest


def _identity(item: object, key: str) -> object:
    return item.get(key) if isinstance(item, Mapping) else item


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _plain(value: object) -> object:
    """A patch as a value: without nulls and without directives."""
    if isinstance(value, Mapping):
        return {
            key: _plain(item) for key, item in value.items() if item is not None and not key.startswith("$")
        }
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value if not _only_directs(item)]
    return value


def _only_directs(item: object) -> bool:
    return isinstance(item, Mapping) and _PATCH in item
