"""Volcano's feature gates, as far as they have a meaning here: one of them does."""

from collections.abc import Iterator
from dataclasses import dataclass

from podgrouper.config.flags.rows import Switch
from podgrouper.config.shapes import Bad, Good, Read, refused, shown
from podgrouper.core.model import Json
from podgrouper.core.rules import Finding

WORKLOADS = "WorkLoadSupport"
ALL_ALPHA = "AllAlpha"
"""Sets every alpha gate that is not named itself, and that one is alpha."""
MEANINGLESS = (
    "AllBeta",
    "CSIStorage",
    "CronVolcanoJobSupport",
    "PodDisruptionBudgetsSupport",
    "PriorityClass",
    "QueueCommandSync",
    "ResourceTopology",
    "SchedulingGatesQueueAdmission",
    "VolcanoJobSupport",
)
"""Gates of other controllers of Volcano, and of its scheduler."""


@dataclass(frozen=True, slots=True)
class Gates:
    """`A=true,B=false`, in one flag or in several; read into what they say about the one gate that counts."""

    accepts: str = f"{WORKLOADS}=true or {WORKLOADS}=false"

    def read(self, value: object, path: str) -> Read[bool | None]:
        if not isinstance(value, list):
            return refused(value, path, self.accepts)
        pairs = [pair.strip() for text in value for pair in str(text).split(",") if pair.strip()]
        findings = [finding for pair in pairs for finding in self._findings(pair, path)]
        if findings:
            return Bad(tuple(findings))
        said = {name.strip(): switch.strip() for name, _, switch in (pair.partition("=") for pair in pairs)}
        return Good(_on(said.get(WORKLOADS, said.get(ALL_ALPHA))))

    def schema(self) -> Json:
        return {"type": "string"}

    def _findings(self, pair: str, path: str) -> Iterator[Finding]:
        name, _, switch = (part.strip() for part in pair.partition("="))
        if name in MEANINGLESS:
            yield Finding(path, f"the gate {name} has no meaning here: remove it")
        elif name not in (WORKLOADS, ALL_ALPHA):
            yield Finding(path, f"there is no gate {shown(name)}: give {self.accepts}")
        elif _on(switch) is None:
            yield Finding(path, f"{shown(pair)} is not accepted: give {self.accepts}")


def _on(switch: str | None) -> bool | None:
    read = Switch().read(switch, "")
    return read.value if isinstance(read, Good) else None
