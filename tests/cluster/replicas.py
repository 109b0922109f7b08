"""Replicas as processes, each under a user of its own, and what their work has to come to."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import yaml

from tests.cluster.audit import AuditEvent
from tests.cluster.program import Program, Programs
from tests.cluster.scenes import GANGS, MEMBERS, Scene
from tests.cluster.waiting import eventually

LEASE_SECONDS, RENEW_SECONDS = 6, 4
SLOW = ("--kube-api-qps=60", "--kube-api-burst=10")
"""Work for fifteen seconds, so that whatever happens happens in the middle of it."""
TIMES = ("--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=4s")


class Replica:
    """One of them. `way` gives the kubeconfig of a user, where it is not the plane's own."""

    def __init__(
        self, scene: Scene, programs: Programs, folder: Path, way: Callable[[str], Path] | None = None
    ) -> None:
        where = f"--leader-elect-resource-namespace={scene.namespace}"
        config = folder / "lease.yaml"
        config.write_text(yaml.safe_dump({"leaderElection": {"resourceNamespace": scene.namespace}}))
        self.scene = scene.again(f"--config={config}")
        kubeconfig = (way or scene.plane.kubeconfig)(self.scene.user)
        flags = (f"--profile={scene.profile.name}", "--leader-elect", where, *TIMES, *SLOW)
        self.program: Program = programs.start(kubeconfig, *flags)

    def writes(self) -> list[AuditEvent]:
        asked = self.scene.plane.audit(self.scene.user)
        return [event for event in asked if event.changes and event.resource != "leases"]

    def first_write(self) -> datetime:
        return eventually(lambda: self.writes()[0].at, within=LEASE_SECONDS + 15)


def ends_as_with_one(scene: Scene, *replicas: Replica) -> None:
    scene.all_linked()
    assert len(scene.groups()) == GANGS
    assert Counter(Counter(scene.links().values()).values()) == {MEMBERS: GANGS}
    written = Counter((event.verb, event.path) for replica in replicas for event in replica.writes())
    assert [asked for asked, times in written.items() if times > 1 and asked[0] == "patch"] == []
