"""The status of KAI's PodGroup. Its API has neither phase nor counters, so both stand in a condition."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from podgrouper.core.conditions import Condition, Moment, Status
from podgrouper.core.fields import dig, integer, items, text
from podgrouper.core.groups import Part
from podgrouper.core.model import Json, Pod
from podgrouper.core.status import Floors, Phase
from podgrouper.dialects.conditions import conditions_of, listed
from podgrouper.dialects.kai_usage import READS, usage_patch

PHASE = "Phase"
"""The condition whose reason is the phase and whose message holds the counters."""
COUNTERS = re.compile(r"(\d{1,9}) running, (\d{1,9}) succeeded, (\d{1,9}) failed")


class KaiLifecycle:
    subresource = "status"
    reads = READS

    def floors(self, group: Json) -> Floors:
        """Where there are subgroups KAI looks at them alone, and a member that succeeded is gone for it."""
        parts = tuple(
            Part(
                text(entry, "name"),
                text(entry, "parent"),
                floor=integer(entry, "minMember", 0),
                floor_of_parts=_number(entry, "minSubGroup"),
            )
            for entry in items(group, "spec.subGroups")
        )
        return Floors(
            integer(group, "spec.minMember", 0 if parts else 1),
            _number(group, "spec.minSubGroup"),
            parts,
            total_counts=False,
            succeeded_count=False,
        )

    def read(self, group: Json) -> Status:
        conditions = conditions_of(group)
        told = next((one for one in conditions if one.type == PHASE), None)
        counted = COUNTERS.fullmatch(told.message) if told else None
        running, succeeded, failed = map(int, counted.groups()) if counted else (0, 0, 0)
        return Status(
            Phase(told.reason) if told and told.reason in set(Phase) else None,
            running,
            succeeded,
            failed,
            tuple(one for one in conditions if one.type != PHASE),
        )

    def write(self, status: Status, live: Json) -> Json:
        if status == self.read(live):
            return {}
        entries = listed((self._phase(status, live), *status.conditions), live)
        return {"status": {"conditions": entries}}

    def usage(self, live: Json, members: Sequence[Pod], classes: Mapping[str, Json], /) -> Json:
        """`resourcesStatus`, which KAI's queues are counted from."""
        return usage_patch(live, members, classes)

    def _phase(self, status: Status, live: Json) -> Condition:
        """With its old time while the phase stays."""
        phase = str(status.phase or Phase.PENDING)
        counted = f"{status.running} running, {status.succeeded} succeeded, {status.failed} failed"
        found = next((one for one in conditions_of(live) if one.type == PHASE), None)
        if found and found.reason == phase:
            return replace(found, message=counted)
        made = status.made or Moment("", "")
        return Condition(
            PHASE,
            holds=True,
            reason=phase,
            message=counted,
            since=made.time,
            transition=made.transition,
        )


def _number(obj: Json, path: str) -> int | None:
    return None if dig(obj, path) is None else integer(obj, path, 0)
