"""All that a grouper of one's own is written with: these names stay. See docs/guides/own-grouper.md."""

from podgrouper.core.fields import annotations, labels
from podgrouper.core.groups import Group, Grouping, Part, Placement, Topology, Unplaced
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import GroupWanted, Kind, Member, ObjectWanted, Owner, Pod, PodsWanted, Skip, Want
from podgrouper.core.reasons import Reason
from podgrouper.policies.kai.defaults import BUILD, INFERENCE, TRAIN, default_group
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outcomes import attempted, joined, seated
from podgrouper.policies.kai.scene import Scene
from podgrouper.policies.kai.values import (
    BadValue,
    members_at,
    number_at,
    object_at,
    text_at,
    value_at,
    whole_number,
)

__all__ = [
    "BUILD",
    "INFERENCE",
    "TRAIN",
    "BadValue",
    "Group",
    "GroupWanted",
    "Grouper",
    "Grouping",
    "Kind",
    "Member",
    "ObjectWanted",
    "Owner",
    "Part",
    "Placement",
    "Pod",
    "PodsWanted",
    "Reads",
    "Reason",
    "Scene",
    "Skip",
    "Topology",
    "Unplaced",
    "Want",
    "annotations",
    "attempted",
    "default_group",
    "joined",
    "labels",
    "members_at",
    "number_at",
    "object_at",
    "seated",
    "text_at",
    "value_at",
    "whole_number",
]
