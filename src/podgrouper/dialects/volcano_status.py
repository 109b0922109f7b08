"""The status of Volcano's PodGroup. Its CRD has no status subresource: status is a part of the object."""

from collections.abc import Mapping, Sequence

from podgrouper.core.conditions import Status
from podgrouper.core.fields import integer, mapping, text
from podgrouper.core.groups import Part
from podgrouper.core.interfaces import Reads
from podgrouper.core.model import Json, Pod
from podgrouper.core.status import Floors, Phase
from podgrouper.dialects.conditions import conditions_of, listed


class VolcanoLifecycle:
    subresource = ""
    reads = Reads()

    def floors(self, group: Json) -> Floors:
        """`minMember`, and beside it the floor of every task of `minTaskMember`."""
        tasks = mapping(group, "spec.minTaskMember")
        parts = tuple(Part(name, floor=integer(tasks, name, 0)) for name in tasks if "." not in name)
        return Floors(integer(group, "spec.minMember", 0), parts=parts)

    def read(self, group: Json) -> Status:
        phase = text(group, "status.phase")
        return Status(
            Phase(phase) if phase in set(Phase) else None,
            running=integer(group, "status.running", 0),
            succeeded=integer(group, "status.succeeded", 0),
            failed=integer(group, "status.failed", 0),
            conditions=conditions_of(group),
        )

    def write(self, status: Status, live: Json) -> Json:
        if status == self.read(live):
            return {}
        said = {  # counters are left out when 0, as Volcano's own types do
            "phase": str(status.phase or Phase.PENDING),
            "running": status.running or None,
            "succeeded": status.succeeded or None,
            "failed": status.failed or None,
            "conditions": listed(status.conditions, live),
        }
        there = mapping(live, "status")
        return {"status": {name: value for name, value in said.items() if there.get(name) != value}}

    def usage(self, _live: Json, _members: Sequence[Pod], _classes: Mapping[str, Json], /) -> Json:
        """Volcano counts for itself."""
        return {}
