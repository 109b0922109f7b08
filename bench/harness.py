"""A control plane, a loader and clocks: what every scenario measures with."""

import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import yaml

from bench import contenders, machine
from bench.asked import Ask, asked
from bench.contenders import Contender, Entry
from bench.loading import Loading
from bench.lone_task import task_for
from bench.machine import Use
from bench.observations import Start
from bench.orders import Clear, Where
from bench.workloads import DEEPEST, deep_kind, plural_of
from podgrouper.cli.crds import shipped
from podgrouper.core.model import POD
from tests.cluster import objects
from tests.cluster.control_plane import ControlPlane
from tests.cluster.program import output_of
from tests.cluster.scenes import KAI, VOLCANO, Profile
from tests.cluster.servers import ADMIN, Options, token_of

PROFILES: Mapping[str, Profile] = {"volcano": VOLCANO, "kai": KAI}
SERVER = "kube-apiserver"
CONTENDER = "contender"
_READER = {
    "kind": "ClusterRole",
    "rules": [{"apiGroups": [deep_kind(1).group], "resources": ["*"], "verbs": ["get", "list", "watch"]}],
}
_STILL_SECONDS = 0.3
_STILL_CORES = 0.05
"""Less than that is no work on pods: bookmarks, timers, a look at the clock."""
_LONGEST_STILL = 15.0


@dataclass(frozen=True, slots=True)
class Look:
    """Clocks and counters at one moment."""

    use: Use
    asked: Mapping[Ask, int]
    known: Mapping[Ask, int]
    """What the loader asked for."""


class Bench:
    """One profile on one control plane: nobody works on it but the loader and one contender at a time."""

    def __init__(self, plane: ControlPlane, loading: Loading, profile: Profile, folder: Path) -> None:
        self.plane = plane
        self.loading = loading
        self.profile = profile
        self.user = plane.fresh_user()
        self.costs: dict[str, Start] = {}
        """Of starts, by contender: they are measured once."""
        self.met: set[str] = set()
        """The shapes of workloads that this server has seen linked."""
        self._folder = folder
        plane.allow(self.user, output_of("rbac", f"--profile={profile.name}"))
        plane.allow(self.user, [_READER])

    def ours(self) -> Entry:
        flags = (self.plane.kubeconfig(self.user), self._folder, f"--profile={self.profile.name}")
        return Entry("podgrouper", partial(contenders.ours, *flags))

    def lone(self, shape: str, members: int) -> Entry:
        """For gangs of this shape."""
        return self._client("lone client", "bench.lone", shape, members)

    def kopf_style(self, shape: str, members: int) -> Entry:
        """The same, done as frameworks with a task for each object do it."""
        return self._client("kopf style", "bench.kopf_style", shape, members)

    @contextmanager
    def namespace(self) -> Iterator[str]:
        """An empty one; at the end it goes with everything in it, be that ten thousand pods."""
        with self.plane.namespace() as name:
            yield name
            kinds = (POD, self.profile.group)
            self.loading.clear(Clear([self.plane.api.served(kind).path(name) for kind in kinds]))

    def look_before(self, contender: Contender | None = None) -> Look:
        """The counters first: reading them keeps the server busy, which nobody shall be charged with."""
        counts = self._asked()
        known = self.loading.tally()
        return Look(machine.read(self._pids(contender)), counts, known)

    def look_after(self, contender: Contender) -> Look:
        use = machine.read(self._pids(contender))
        return Look(use, self._asked(), self.loading.tally())

    def be_still(self, contender: Contender | None = None) -> None:
        """Waits until neither the server nor the contender has work left."""
        deadline = time.monotonic() + _LONGEST_STILL
        pids = self._pids(contender)
        while time.monotonic() < deadline:
            before = machine.read(pids)
            time.sleep(_STILL_SECONDS)
            spent = machine.between(before, machine.read(pids))
            if max(spent.cpu.values()) < _STILL_CORES * spent.seconds:
                return

    def _client(self, name: str, module: str, shape: str, members: int) -> Entry:
        task = task_for(where(self.plane, self.profile, self.user), self.profile, shape, members)
        return Entry(name, partial(contenders.Client, module, task, self._folder))

    def _asked(self) -> Counter[Ask]:
        return asked(self.plane.api.ask_text("GET", "/metrics")[1])

    def _pids(self, contender: Contender | None) -> Mapping[str, int]:
        pids = {**self.plane.pids, "loader": self.loading.pid, "bench": os.getpid()}
        return {**pids, CONTENDER: contender.pid} if contender else pids


def where(plane: ControlPlane, profile: Profile, user: str) -> Where:
    return Where(plane.url, plane.certificate, token_of(user), profile.scheduler, profile.link)


def plane_options() -> Options:
    """With the kinds that workloads are made of, without an audit log, and nobody acts on anything."""
    deep = [deep_kind(level) for level in range(2, DEEPEST + 1)]
    crds = [*shipped(), *(objects.crd(kind, plural_of(kind)) for kind in deep)]
    return Options(crds=yaml.safe_dump_all(crds), audited=False)


@contextmanager
def bench(plane: ControlPlane, profile: Profile, folder: Path) -> Iterator[Bench]:
    """With a loader, which ends with it."""
    with ExitStack() as ends:
        loading = ends.enter_context(Loading(where(plane, profile, ADMIN)))
        yield Bench(plane, loading, profile, folder)
