"""Values as the server prints them inside its messages."""

import json


def go_json(value: object) -> str:
    """JSON as Go encodes it: keys sorted, no spaces, `<`, `>` and `&` escaped."""
    printed = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=dict)
    return printed.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")
