"""Sets of fields as `managedFields` write them down (fieldsV1): their union and difference."""

from collections.abc import Mapping

Tree = dict[str, object]


def tree(value: object) -> Tree:
    """A node of fieldsV1. Without children it stands for itself, with children only if `.` is among them."""
    return dict(value) if isinstance(value, Mapping) else {}


def union(one: Tree, other: Tree) -> Tree:
    result = dict(one)
    for key, below in other.items():
        if key not in result:
            result[key] = below
            continue
        mine, theirs = tree(result[key]), tree(below)
        if mine and theirs:
            result[key] = union(mine, theirs)
        elif mine or theirs:
            result[key] = {**(mine or theirs), ".": {}}
    return result


def minus(one: Tree, lost: Tree) -> Tree:
    """Without what was lost: a thing goes when it was lost itself, a branch when nothing is left of it."""
    result: Tree = {}
    for key, below in one.items():
        if key not in lost:
            result[key] = below
            continue
        mine, gone = tree(below), tree(lost[key])
        if not mine:
            if gone and "." not in gone:
                result[key] = below
            continue
        left = minus(mine, gone or {".": {}})
        if left:
            result[key] = {} if left.keys() == {"."} else left
    return result
