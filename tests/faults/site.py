"""Everything that a fault can happen to, and what has to be right after it.

A control plane, a proxy before it, the program behind the proxy as the user of its role, a load, and
objects of others that nobody but they may touch.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from podgrouper import planning
from podgrouper.config.model import Config
from podgrouper.core.model import POD, Kind
from tests.cluster import objects
from tests.cluster.api import Object, Refused
from tests.cluster.audit import AuditEvent
from tests.cluster.control_plane import ControlPlane
from tests.cluster.program import Program, Programs, output_of
from tests.cluster.scenes import KAI, VOLCANO
from tests.cluster.waiting import eventually
from tests.faults.load import OWNERS, THING, THINGS, Load
from tests.faults.proxy import Proxy, by_proxy
from tests.faults.webhook import Webhook
from tests.faults.writes import repeated

PROFILES = ("--profile=volcano", "--profile=kai")
GROUPS = (VOLCANO.group, KAI.group)
THEIRS = "theirs"
_THINGS_ARE_READ = {"apiGroups": [THING.group], "resources": ["things"], "verbs": ["get", "list", "watch"]}


class Site:
    """From `with` to its end the program runs and the load goes on."""

    def __init__(
        self, plane: ControlPlane, namespace: str, folder: Path, *, seed: int, page: int = 0
    ) -> None:
        self.plane = plane
        self.namespace = namespace
        self.proxy = Proxy(plane.url, plane.certificate, page=page)
        self.webhook = Webhook()
        self.load = Load(plane.api, namespace, seed)
        self.user = plane.fresh_user()
        self.program: Program
        self.memories: list[float] = []
        """MiB of the program after each fault."""
        self._programs = Programs(folder)
        self._folder = folder
        self._ends: ExitStack
        self._since = 0
        self._theirs: Mapping[str, str] = {}
        """Objects of others by kind and name: what stands in them."""

    def __enter__(self) -> "Site":
        self.plane.apply([THINGS])
        self.allow()
        self._make_theirs()
        with ExitStack() as ends:
            for part in (self.proxy, self.webhook, self._programs):
                ends.enter_context(part)
            kubeconfig = by_proxy(self.plane.kubeconfig(self.user), self.proxy, self._folder)
            self.program = self._programs.start(kubeconfig, *PROFILES)
            ends.enter_context(self.load)
            self._ends = ends.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def allow(self) -> None:
        """What the program asks for, and the owners of these tests."""
        self.plane.allow(self.user, output_of("rbac", *PROFILES))
        self.plane.allow(self.user, [objects.cluster_role("things", [_THINGS_ARE_READ])])

    def last(self, seconds: float) -> None:
        """Lets the load go on for so long."""
        threading.Event().wait(seconds)

    def recover(self, within: float) -> float:
        """Seconds until the program has nothing left to do in a world that stands still."""
        healed = time.monotonic()
        with self.load.paused():
            self.load.add_one_of_each()
            eventually(self.undone, lambda undone: undone == [], within=within)
            return time.monotonic() - healed

    def logs(self) -> str:
        return self._programs.logs()

    def undone(self) -> list[str]:
        """What the pure road would still do with the objects that are there, and pods that it leaves out."""
        plan = planning.plan(self._objects(), Config())
        skipped = [found for found in plan.skipped if not found.pod.name.startswith(THEIRS)]
        changes = (*plan.created, *(ref for ref, _ in plan.changed), *plan.deleted)
        return [
            *map(str, changes),
            *(f"link of {link.pod.name}" for link in plan.links),
            *(f"{found.pod} without a group: {found.skip}" for found in skipped),
        ]

    def foreign_changes(self) -> list[str]:
        """Objects of others that are not what they were."""
        now = self._look_at_theirs()
        return [name for name, before in self._theirs.items() if now.get(name) != before]

    def _look_at_theirs(self) -> Mapping[str, str]:
        found = (obj for obj in self._objects() if obj["metadata"]["name"].startswith(THEIRS))
        return {f"{obj['kind']} {obj['metadata']['name']}": repr(obj) for obj in found}

    def begin_anew(self) -> None:
        """What was written until now is gone, and what others made with it."""
        self._theirs = self._look_at_theirs()
        self._since = len(self._writes())

    def repeated_writes(self) -> list[str]:
        """Since this was asked for the last time."""
        writes = self._writes()
        since, self._since = self._since, len(writes)
        return repeated(writes[since:])

    def _writes(self) -> list[AuditEvent]:
        return [event for event in self.plane.audit(self.user) if event.changes]

    def _objects(self) -> list[Object]:
        kinds = (POD, *OWNERS, *GROUPS)
        return [found for kind in kinds for found in self._all_of(kind)]

    def _all_of(self, kind: Kind) -> Iterator[Object]:
        """Nothing of a kind that is not served just now."""
        try:
            found = self.plane.api.all_of(kind, self.namespace)
        except Refused as refused:
            if refused.status != 404:
                raise
            return
        for obj in found:
            yield {**obj, "apiVersion": kind.api_version, "kind": kind.kind}

    def _make_theirs(self) -> None:
        linked = objects.pod(self.namespace, f"{THEIRS}-linked", VOLCANO.scheduler)
        linked["metadata"]["annotations"] = {VOLCANO.link: THEIRS}
        other = objects.pod(self.namespace, f"{THEIRS}-other", "default-scheduler")
        group = objects.custom(VOLCANO.group, self.namespace, THEIRS)
        for obj in (linked, other, {**group, "spec": {"minMember": 7}}):
            self.plane.api.create(obj)
        self._theirs = self._look_at_theirs()
