"""Conditions of Argo's resource steps: `status.succeeded > 0, status.failed < 1`."""

import operator
import re
from collections.abc import Callable, Mapping

from podgrouper.core.fields import dig
from podgrouper.core.model import Json

_TERM = re.compile(r"\s*(?P<path>[\w.\-]+)\s*(?P<op>==|!=|>=|<=|=|>|<)\s*(?P<value>\S+)\s*")
_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}


def holds(expression: str, obj: Json) -> bool:
    """Whether all terms hold. A field that is not there fulfils nothing but `!=`."""
    return all(_holds(term, obj) for term in expression.split(","))


def _holds(term: str, obj: Json) -> bool:
    found = _TERM.fullmatch(term)
    if found is None:
        return False
    there, value = dig(obj, found["path"]), found["value"]
    if found["op"] in ("=", "=="):
        return there is not None and str(there) == value
    if found["op"] == "!=":
        return str(there) != value
    try:
        return _OPERATORS[found["op"]](float(str(there)), float(value))
    except ValueError:
        return False
