"""What a patch makes of an object: JSON merge patch (RFC 7386) and JSON patch (RFC 6902).

Nothing is changed in place. The result shares with the object whatever the patch did not touch.
"""

from collections.abc import Mapping, Sequence

from podgrouper.core.difference import merged
from podgrouper.core.model import Json
from podgrouper.memory.refusals import bad_request, patch_does_not_fit, unsupported_form
from podgrouper.memory.strategic import strategically_merged
from podgrouper.memory.values import same

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"

_ACCEPTED = (JSON_PATCH, MERGE, APPLY, STRATEGIC)
"""As the server lists them. Server-side apply is not spoken here yet: it is refused like an unknown form."""


def form_of(content_type: str, *, custom: bool) -> str:
    """The media type of a patch; raises `Refused` (415). Strategic patches are for built-in kinds only."""
    form = content_type.partition(";")[0].strip().lower()
    accepted = _ACCEPTED[:-1] if custom else _ACCEPTED
    if form == APPLY or form not in accepted:
        raise unsupported_form(accepted)
    return form


def patched(obj: Json, form: str, patch: object) -> object:
    """The object after a patch of that form."""
    if form == JSON_PATCH:
        return _operated(obj, patch)
    merge = strategically_merged if form == STRATEGIC else merged
    return merge(obj, _object(patch))


def _object(patch: object) -> Json:
    if not isinstance(patch, Mapping):
        raise bad_request(
            f"error decoding patch: json: cannot unmarshal {_json_type(patch)} "
            "into Go value of type map[string]interface {}"
        )
    return patch


def _operated(obj: Json, patch: object) -> object:
    if not isinstance(patch, list | tuple):
        raise bad_request(
            f"error decoding patch: json: cannot unmarshal {_json_type(patch)} "
            "into Go value of type []handlers.jsonPatchOp"
        )
    result: object = obj
    for operation in patch:
        result = _one(result, operation)
    return result


def _one(obj: object, operation: object) -> object:
    if not isinstance(operation, Mapping):
        raise bad_request("error decoding patch: an operation is no object")
    path = _pointer(operation.get("path"))
    match operation.get("op"):
        case "add":
            return _added(obj, path, operation.get("value"))
        case "remove":
            return _removed(obj, path)
        case "replace":
            return _replaced(obj, path, operation.get("value"))
        case "test":
            if not same(_tested(obj, path), operation.get("value")):
                raise patch_does_not_fit()
            return obj
        case "copy":
            return _added(obj, path, _at(obj, _pointer(operation.get("from"))))
        case "move":
            source = _pointer(operation.get("from"))
            return _added(_removed(obj, source), path, _at(obj, source))
    raise patch_does_not_fit()


def _pointer(text: object) -> tuple[str, ...]:
    if not isinstance(text, str) or (text and not text.startswith("/")):
        raise patch_does_not_fit()
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])


def _at(obj: object, path: tuple[str, ...]) -> object:
    for key in path:
        obj = _child(obj, key)
    return obj


def _tested(obj: object, path: tuple[str, ...]) -> object:
    """As `_at`; a key that is missing from a map that is there tests as null (measured)."""
    if not path:
        return obj
    around = _at(obj, path[:-1])
    return around.get(path[-1]) if isinstance(around, Mapping) else _child(around, path[-1])


def _child(obj: object, key: str) -> object:
    if isinstance(obj, Mapping) and key in obj:
        return obj[key]
    if isinstance(obj, list | tuple):
        return obj[_index(obj, key)]
    raise patch_does_not_fit()


def _index(items: Sequence[object], key: str, *, beyond: int = 0) -> int:
    """A position that is there; with `beyond` also the one after the last."""
    if not (key.isascii() and key.isdigit() and len(key) < 10) or int(key) >= len(items) + beyond:
        raise patch_does_not_fit()
    return int(key)


def _added(obj: object, path: tuple[str, ...], value: object) -> object:
    if not path:
        return value
    key, below = path[0], path[1:]
    if below:
        return _with(obj, key, _added(_child(obj, key), below, value))
    if isinstance(obj, Mapping):
        return {**obj, key: value}
    if isinstance(obj, list | tuple):
        at = len(obj) if key == "-" else _index(obj, key, beyond=1)
        return [*obj[:at], value, *obj[at:]]
    raise patch_does_not_fit()


def _removed(obj: object, path: tuple[str, ...]) -> object:
    if not path:
        raise patch_does_not_fit()
    key, below = path[0], path[1:]
    child = _child(obj, key)
    if below:
        return _with(obj, key, _removed(child, below))
    if isinstance(obj, Mapping):
        return {name: item for name, item in obj.items() if name != key}
    assert isinstance(obj, list | tuple)
    at = _index(obj, key)
    return [*obj[:at], *obj[at + 1 :]]


def _replaced(obj: object, path: tuple[str, ...], value: object) -> object:
    if not path:
        return value
    return _with(obj, path[0], _replaced(_child(obj, path[0]), path[1:], value))


def _with(obj: object, key: str, child: object) -> object:
    """The same container with another child at a place that is there."""
    if isinstance(obj, Mapping):
        return {**obj, key: child}
    assert isinstance(obj, list | tuple)
    at = _index(obj, key)
    return [*obj[:at], child, *obj[at + 1 :]]


def _json_type(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case str():
            return "string"
        case int() | float():
            return "number"
    return "object" if isinstance(value, Mapping) else "array"
