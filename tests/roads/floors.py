"""How many members of a KAI PodGroup must start together."""

from collections.abc import Mapping

from podgrouper.core.fields import integer, items, text
from podgrouper.core.model import Json


def floors(group: Json) -> Mapping[str, int]:
    """Of each part by its name, and of the group as a whole under no name."""
    parts = {text(part, "name"): integer(part, "minMember", 0) for part in items(group, "spec.subGroups")}
    return {"": integer(group, "spec.minMember", 0), **parts}
