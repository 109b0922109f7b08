"""Values as the server prints them inside its messages."""

import json
from collections.abc import Mapping


def go_json(value: object) -> str:
    """JSON as Go encodes maps: keys sorted, no spaces, `<`, `>` and `&` escaped."""
    return _encoded(value, sort_keys=True)


def go_struct(value: object) -> str:
    """JSON as Go encodes structs: fields in the order of the type."""
    return _encoded(value, sort_keys=False)


def go_value(value: object) -> str:
    """As Go's `%v` prints what it read from JSON."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return f"[{' '.join(map(go_value, value))}]"
    if isinstance(value, Mapping):
        return f"map[{' '.join(f'{key}:{go_value(value[key])}' for key in sorted(value))}]"
    return str(value)


def _encoded(value: object, *, sort_keys: bool) -> str:
    printed = json.dumps(value, sort_keys=sort_keys, ensure_ascii=False, separators=(",", ":"), default=dict)
    return printed.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")
