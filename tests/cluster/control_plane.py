"""A real control plane for tests: etcd and kube-apiserver, and if wanted the programs that live on them.

All of it listens on 127.0.0.1 only, keeps its files in one folder and dies with the tests.
"""

import itertools
import json
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.request import urlopen

import yaml

from podgrouper.core.model import Kind
from podgrouper.kube.config import Cluster, from_kubeconfig
from tests.cluster import audit, objects, servers
from tests.cluster.api import Api, Object, kind_of
from tests.cluster.processes import Child, Died, free_port
from tests.cluster.servers import ADMIN, CONTROLLERS, TESTERS, Options, Place, token_of
from tests.cluster.waiting import eventually

ROLE = Kind("rbac.authorization.k8s.io/v1", "ClusterRole")
BINDING = Kind("rbac.authorization.k8s.io/v1", "ClusterRoleBinding")

_ATTEMPTS = 3
"""A port that was free may be taken when its program comes."""
_READY_SECONDS = 60.0
"""Four on an idle machine; tests may share theirs."""


class KubectlFailed(Exception):
    """kubectl ended with another code than 0; the message is what it wrote on stderr."""


class ControlPlane:
    """etcd and an API server with RBAC, from `with` to its end. Start it in the main thread."""

    def __init__(self, folder: Path, binaries: Path, options: Options = servers.BARE) -> None:
        self.options = options
        self._place = Place(folder, binaries)
        self._programs: dict[str, Child] = {}
        self._fresh_users = iter(TESTERS)
        self._roles = itertools.count(1)
        self._granted: dict[str, list[tuple[Object, Object]]] = {}
        self._audit_log = audit.AuditLog(self._place.audit_log)
        self.api: Api
        """As the admin."""

    def __enter__(self) -> "ControlPlane":
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        return self._place.url

    @property
    def etcd_url(self) -> str:
        """The storage behind the API server, which speaks JSON too."""
        return f"http://127.0.0.1:{self._place.ports['etcd']}"

    @property
    def pids(self) -> Mapping[str, int]:
        """Of the programs that run now, by name."""
        return {name: program.pid for name, program in self._programs.items()}

    @property
    def certificate(self) -> str:
        """Of the server and of the authority that signed it, in PEM."""
        return self._place.certificate.read_text()

    def fresh_user(self) -> str:
        """A user without rights whom nobody used before: its audit log is that of one test."""
        return next(self._fresh_users)

    def kubeconfig(self, user: str = ADMIN) -> Path:
        """A file that speaks to this plane as that user."""
        path = self._place.folder / f"{user}.kubeconfig"
        path.write_text(yaml.safe_dump(servers.kubeconfig(self._place, user)))
        return path

    def cluster(self, user: str = ADMIN) -> Cluster:
        """What our own client needs, by way of the kubeconfig."""
        return from_kubeconfig([self.kubeconfig(user)], "", {})

    def kubectl(self, *arguments: str, stdin: str | None = None, user: str = ADMIN) -> str:
        """What kubectl prints. Raises `KubectlFailed`."""
        command = [self._place.binary("kubectl"), f"--kubeconfig={self.kubeconfig(user)}", *arguments]
        environ = {"HOME": str(self._place.folder)}
        done = subprocess.run(
            command, input=stdin or "", env=environ, text=True, capture_output=True, timeout=60, check=False
        )
        if done.returncode:
            raise KubectlFailed(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def api_as(self, user: str) -> Api:
        return Api(self._place.ports["kube-apiserver"], self.certificate, token_of(user))

    def apply(self, wanted: str | Iterable[Mapping[str, Any]]) -> list[Object]:
        """Creates or changes objects, given as such or as YAML text, as the admin."""
        return self.api.apply(_documents(wanted) if isinstance(wanted, str) else wanted)

    def allow(self, user: str, roles: str | Iterable[Mapping[str, Any]]) -> None:
        """Gives the user the rules of every role in there, each where it holds, and nothing else of it.

        Under names of its own, so that the roles of two tests never mix. Holds when this returns.
        """
        wanted = _documents(roles) if isinstance(roles, str) else roles
        rules: dict[str, list[Any]] = {"": []}
        for role in wanted:
            if role["kind"] in ("ClusterRole", "Role"):
                rules.setdefault(role.get("metadata", {}).get("namespace", ""), []).extend(role["rules"])
        for namespace, inside in rules.items():
            self._grant(user, namespace, inside)

    def disallow(self, user: str) -> None:
        """Takes back whatever the user was given by `allow`. Holds when this returns."""
        for role, mark in self._granted.pop(user, ()):
            namespace, name = role["metadata"].get("namespace", ""), role["metadata"]["name"]
            self.api.delete(kind_of(objects.binding_of(role, user)), namespace, name)
            review = objects.access_review(user, mark, namespace)
            eventually(partial(self._may, review), lambda may: not may)

    def _grant(self, user: str, namespace: str, rules: Iterable[Any]) -> None:
        name = f"{user}-{next(self._roles)}"
        mark = objects.right_to_nothing(name)
        role = objects.role(namespace, name, [*rules, mark])
        self.apply([role, objects.binding_of(role, user)])
        self._granted.setdefault(user, []).append((role, mark))
        eventually(lambda: self._may(objects.access_review(user, mark, namespace)))

    def forbid(self, user: str) -> None:
        """Takes back what `allow` gave for all namespaces at once. Holds when this returns."""
        roles = [role for role in self.api.all_of(ROLE) if role["metadata"]["name"].startswith(f"{user}-")]
        for role in roles:
            for kind in (BINDING, ROLE):
                self.api.delete(kind, "", role["metadata"]["name"])
        marks = [objects.access_review(user, role["rules"][-1]) for role in roles]
        eventually(lambda: not any(self._may(mark) for mark in marks))

    @contextmanager
    def namespace(self) -> Iterator[str]:
        """An empty namespace; at the end it goes with everything in it."""
        made = self.api.create(objects.namespace(generate_name="test-"))
        name = made["metadata"]["name"]
        yield name
        self.api.clear(name)

    def audit(self, user: str) -> list[audit.AuditEvent]:
        """That user's requests, complete up to those that were answered before this call."""
        marker = self.api_as(audit.MARKER)
        self._audit_log.flush(lambda path: marker.ask("GET", path))
        return self._audit_log.of(user)

    def add_nodes(self, count: int, capacity: Mapping[str, str] = objects.BIG_NODE) -> None:
        """Nodes that nobody runs: pods can be bound to them, and then nothing happens."""
        for number in range(count):
            self.api.create(objects.node(f"node-{number}", capacity))

    def kill_api_server(self) -> None:
        """SIGKILL: connections break in the middle of whatever they carry."""
        self._programs["kube-apiserver"].kill()

    def start_api_server(self) -> None:
        """At the same address as before, with the same data."""
        self._launch(
            "kube-apiserver", servers.api_server(self._place, self.options), self._api_server_answers
        )

    def pause(self, program: str) -> None:
        """SIGSTOP: its connections stay, and nobody answers on them."""
        self._programs[program].signal(signal.SIGSTOP)

    def resume(self, program: str) -> None:
        self._programs[program].signal(signal.SIGCONT)

    def start_controllers(self) -> None:
        self.kubeconfig(CONTROLLERS)
        command = servers.controller_manager(self._place, self.options)
        self._launch("kube-controller-manager", command, self._made_a_service_account)

    def start_scheduler(self) -> None:
        self.kubeconfig(CONTROLLERS)
        settings = servers.scheduler_configuration(self._place, self.options)
        (self._place.folder / "scheduler.json").write_text(json.dumps(settings))
        self._launch("kube-scheduler", servers.scheduler(self._place, self.options), lambda: True)

    def stop(self) -> None:
        """Ends all programs, the last started first, and keeps their logs. Never raises, idempotent."""
        while self._programs:
            self._programs.popitem()[1].stop()
        shutil.rmtree(self._place.folder / "etcd", ignore_errors=True)  # 128 MB for each plane

    def logs(self) -> str:
        """The tails of all logs, for a test that failed."""
        return "\n".join(program.tail() for program in self._programs.values())

    def expect_running(self) -> None:
        """Raises `Died` if one of the programs ended by itself."""
        for program in self._programs.values():
            program.expect_running()

    def _start(self) -> None:
        servers.write_files(self._place)
        _until_its_ports_are_free(self._start_etcd)
        _until_its_ports_are_free(self._start_first_api_server)
        self.api = self.api_as(ADMIN)
        eventually(lambda: self.api.ask("GET", "/api/v1/namespaces/default"), within=_READY_SECONDS)
        self.apply(self.options.crds)
        if self.options.controllers:
            self.start_controllers()
        if self.options.scheduler:
            self.start_scheduler()

    def _start_etcd(self) -> None:
        self._take_ports("etcd", "etcd-peers")
        self._launch("etcd", servers.etcd(self._place), self._etcd_answers)

    def _start_first_api_server(self) -> None:
        self._take_ports("kube-apiserver")
        self.start_api_server()

    def _take_ports(self, *names: str) -> None:
        ports = {**self._place.ports, **{name: free_port() for name in names}}
        self._place = replace(self._place, ports=ports)

    def _launch(self, name: str, command: Sequence[str], ready: Callable[[], object]) -> None:
        program = Child(name, command, self._place.log(name), {"HOME": str(self._place.folder)})
        self._programs[name] = program
        eventually(lambda: not program.running or ready(), within=_READY_SECONDS)
        program.expect_running()

    def _etcd_answers(self) -> bool:
        with urlopen(f"http://127.0.0.1:{self._place.ports['etcd']}/health", timeout=5) as answer:
            return bool(json.load(answer)["health"] == "true")

    def _api_server_answers(self) -> bool:
        return self.api_as(ADMIN).ask_text("GET", "/readyz") == (200, "ok")

    def _made_a_service_account(self) -> object:
        """What kube-controller-manager does first; proves nothing on a plane where it ran before."""
        return self.api.get(Kind("v1", "ServiceAccount"), "default", "default")

    def _may(self, review: Mapping[str, Any]) -> bool:
        """The authorizer reads roles from a watch, so a new one holds some moments after it is stored."""
        answer = self.api.create(review)
        return bool(answer["status"]["allowed"])


def _until_its_ports_are_free(start: Callable[[], None]) -> None:
    """A program that ends at once most likely found a port taken: it gets others, a few times."""
    for _ in range(_ATTEMPTS - 1):
        with suppress(Died):
            return start()
    return start()


def _documents(text: str) -> list[Any]:
    return [document for document in yaml.safe_load_all(text) if document]
