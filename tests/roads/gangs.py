"""A gang on the embedded API: its pods start, fail and go as a test says."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from podgrouper.config.model import BUILT_IN, Config, ProfileConfig
from podgrouper.core.fields import annotations, dig, items, ref_of, text
from podgrouper.core.interfaces import Lifecycle
from podgrouper.core.model import POD, Json, Kind, Ref
from podgrouper.dialects.kai_status import KaiLifecycle
from podgrouper.dialects.volcano_status import VolcanoLifecycle
from podgrouper.memory.patches import MERGE
from tests.builders import NAMESPACE, NOTHING, Object, controls, pod
from tests.roads import mpi
from tests.roads.sandboxed import Sandbox


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between the profiles as far as these tests can see."""

    built_in: ProfileConfig
    group: Kind
    lifecycle: Lifecycle

    def config(self, **upkeep: object) -> Config:
        return Config(profiles=(replace(self.built_in, **upkeep),))

    @property
    def scheduler(self) -> str:
        return self.built_in.schedulers[0]


VOLCANO = Dialect(
    BUILT_IN[0],
    Kind("scheduling.volcano.sh/v1beta1", "PodGroup"),
    VolcanoLifecycle(),
)
KAI = Dialect(
    BUILT_IN[1],
    Kind("scheduling.run.ai/v2alpha2", "PodGroup"),
    KaiLifecycle(),
)


LAUNCHER, *WORKERS = ALL = mpi.MEMBERS


class Gang:
    """The pods of an MPIJob with two workers, by their short names, in a sandbox of their own."""

    def __init__(
        self,
        dialect: Dialect,
        *pods: str,
        labels: Mapping[str, str] = NOTHING,
        words: Mapping[str, str] = NOTHING,
    ) -> None:
        self.dialect = dialect
        self.owner = mpi.job(labels, words)
        self.sandbox = Sandbox([self.owner, *map(self.pod, pods)])

    def pod(self, name: str, **more: object) -> Object:
        asks = {"name": "main", "image": "mpi", "resources": {"requests": {"cpu": "1"}}}
        spec = {"containers": [asks]}
        scheduler = self.dialect.scheduler
        return pod(f"train-{name}", controls(self.owner), scheduler=scheduler, spec=spec, **more)

    def made(self, *names: str) -> None:
        """The controller of these pods makes them, of an own life each, now."""
        for name in names:
            fresh = self.pod(name, uid="", creationTimestamp="", resourceVersion="")
            self.sandbox.store.create(fresh)

    def bound(self, *names: str) -> None:
        for name in names:
            self.sandbox.store.bind(NAMESPACE, f"train-{name}", "node")

    def becomes(self, phase: str, *names: str) -> None:
        for name in names:
            self._report(name, {"phase": phase})

    def runs(self, *names: str) -> None:
        self.bound(*names)
        self.becomes("Running", *names)

    def without_room(self, *names: str) -> None:
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
        for name in names:
            self._report(name, {"conditions": [condition]})

    def gone(self, *names: str) -> None:
        for name in names:
            self.sandbox.store.delete(self._ref(name), grace=0)

    def pods(self) -> Mapping[str, Json]:
        found = self.sandbox.store.list(POD, NAMESPACE)
        return {ref_of(one).name.removeprefix("train-"): one for one in found}

    def lives(self) -> Mapping[str, str]:
        """The uid of each pod that is not being deleted."""
        pods = self.pods().items()
        return {name: ref_of(one).uid for name, one in pods if not dig(one, "metadata.deletionTimestamp")}

    @property
    def group(self) -> Json:
        (found,) = self.sandbox.store.list(self.dialect.group, NAMESPACE)
        return found

    @property
    def phase(self) -> str:
        return str(self.dialect.lifecycle.read(self.group).phase)

    def condition(self, kind: str) -> Json:
        return next((one for one in items(self.group, "status.conditions") if text(one, "type") == kind), {})

    def noted(self, key: str) -> str:
        return annotations(self.group).get(key, "")

    def _ref(self, name: str) -> Ref:
        return Ref(POD, NAMESPACE, f"train-{name}")

    def _report(self, name: str, status: Json) -> None:
        self.sandbox.store.patch(self._ref(name), MERGE, {"status": status}, subresource="status")
