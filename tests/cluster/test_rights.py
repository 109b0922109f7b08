"""Exactly what `podgrouper rbac` prints is enough, and none of it is too much.

Under each configuration the program does all that it can do, on a server that guards owners, as a user
who has got its role and nothing else; then the server's audit log is compared with what the role grants.
The server knows no WatchList, so that `list` is needed too.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from podgrouper.core.kinds import plural_of
from podgrouper.core.model import POD, Kind
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import ENFORCING, Planes
from tests.cluster.loader import create_all
from tests.cluster.program import output_of
from tests.cluster.rights import Right, definitions, granted, never_made, readable_kinds, used
from tests.cluster.scenes import KAI, VOLCANO, Profile, Scene
from tests.cluster.servers import Options
from tests.cluster.waiting import eventually

EXAMPLE = Path(__file__).parents[2] / "examples" / "customjob.py"
SECONDS = 60.0
REPLICA_SET, SETS = Kind("apps/v1", "ReplicaSet"), Kind("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")
MEMBERS = ("train-0", "train-1", "train-2")
SIZE = {"scheduling.volcano.sh/group-min-member": "3", "kai.scheduler/batch-min-member": "3"}
HEALTHY = [{"type": "Ready", "status": "True"}]
UPKEEP = {"writeStatus": "always", "recover": "restart", "recoverAfterSeconds": 1}
ALL_OF_KAI = {
    "typeDefaults": {"configMap": {"namespace": "default", "name": "types"}},
    "namespaceLabelSelector": "!none",
    "plugins": [str(EXAMPLE)],
}


@dataclass(frozen=True)
class Case:
    """A configuration, and what differs in what it makes."""

    policy: str
    made: Profile
    more: Mapping[str, object]
    here_alone: bool = False

    @property
    def out_of_reach(self) -> set[str]:
        """What no Role can grant."""
        return {"priorityclasses"} if self.here_alone and self.policy == "kai" else set()

    def config(self, namespace: str) -> Object:
        profile = {"policy": self.policy, "dialect": self.made.name, **self.more}
        where = {"namespaces": [namespace]} if self.here_alone else {}
        leading = {"enabled": True, "resourceNamespace": namespace}
        return {"profiles": [profile], "leaderElection": leading, **where}


CASES = [
    pytest.param(Case("volcano", VOLCANO, {}), id="volcano"),
    pytest.param(Case("kai", KAI, {}), id="kai"),
    pytest.param(Case("volcano", VOLCANO, UPKEEP), id="volcano, with upkeep"),
    pytest.param(Case("kai", KAI, {**UPKEEP, "kai": ALL_OF_KAI}), id="kai, with upkeep and everything else"),
    pytest.param(Case("kai", VOLCANO, {}), id="KAI's workloads on Volcano"),
    pytest.param(Case("volcano", VOLCANO, UPKEEP, here_alone=True), id="volcano, in one namespace"),
    pytest.param(Case("kai", KAI, UPKEEP, here_alone=True), id="kai, in one namespace"),
]


@pytest.fixture(scope="module")
def guarded_plane(planes: Planes, crds: str) -> ControlPlane:
    volcano = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "volcano-system"}}
    wanted = f"{crds}\n---\n{yaml.safe_dump_all(definitions())}"
    plane = planes(Options(admission=ENFORCING.admission, feature_gates=("WatchList=false",), crds=wanted))
    plane.apply([volcano])
    return plane


@pytest.fixture
def where(guarded_plane: ControlPlane) -> Iterator[str]:
    """An empty namespace on the plane."""
    with guarded_plane.namespace() as name:
        yield name


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture
def scene(guarded_plane: ControlPlane, where: str, case: Case) -> Scene:
    return Scene(guarded_plane, where, case.made, guarded_plane.fresh_user())


def pods_below_what_is_not_there(scene: Scene, rights: frozenset[Right]) -> None:
    """One below each kind that may be got."""
    got = {(group, resource) for _, group, resource, verb in rights if verb == "get"}
    kinds = [
        kind
        for kind in (*readable_kinds(), POD, scene.profile.group)
        if (kind.group, plural_of(kind.kind)) in got
    ]
    create_all(
        scene.plane,
        (
            objects.pod(scene.namespace, f"below-{number}", scene.profile.scheduler, never_made(kind))
            for number, kind in enumerate(dict.fromkeys(kinds))
        ),
    )


def a_workload_comes_changes_and_goes(scene: Scene, policy: str) -> None:
    """So that its group is made, changed and deleted."""
    api, (kind, wanted, labels) = scene.plane.api, scaled(scene, policy)
    owner = api.create(wanted)
    member = objects.pod(scene.namespace, "web-0", scene.profile.scheduler, owner)
    api.create({**member, "metadata": {**member["metadata"], "labels": labels}})
    group = eventually(lambda: scene.links()["web-0"], within=SECONDS)
    api.patch(
        kind, scene.namespace, "web", {"metadata": {"annotations": {**SIZE, "volcano.sh/note": "another"}}}
    )
    eventually(lambda: scene.groups()[group], lambda found: "another" in str(found), within=SECONDS)
    api.patch(kind, scene.namespace, "web", {"spec": {"replicas": 0}})
    api.delete(POD, scene.namespace, "web-0")
    eventually(lambda: group not in scene.groups(), within=SECONDS)


def scaled(scene: Scene, policy: str) -> tuple[Kind, Object, Mapping[str, str]]:
    """A workload that loses its group when it is scaled down, and the labels of its pod."""
    if policy == "volcano":
        return REPLICA_SET, objects.replica_set(scene.namespace, "web", scene.profile.scheduler), {}
    spec = {"replicas": 1, "leaderWorkerTemplate": {"size": 1}}
    marks = {f"leaderworkerset.sigs.k8s.io/{word}-index": "0" for word in ("group", "worker")}
    return SETS, {**objects.custom(SETS, scene.namespace, "web"), "spec": spec}, marks


def a_gang_breaks(scene: Scene, case: Case) -> None:
    """Where its status is written and it is started anew, its members are evicted."""
    if "recover" not in case.more:
        return
    api = scene.plane.api
    job = objects.job(scene.namespace, "train", scene.profile.scheduler, len(MEMBERS))
    owner = api.create({**job, "metadata": {**job["metadata"], "annotations": SIZE}})
    for name in MEMBERS:
        api.create(objects.pod(scene.namespace, name, scene.profile.scheduler, owner))
    eventually(lambda: set(MEMBERS) <= scene.links().keys(), within=SECONDS)
    for name in MEMBERS:
        api.patch(
            POD, scene.namespace, name, {"status": {"phase": "Running", "conditions": HEALTHY}}, "status"
        )
    group = scene.links()[MEMBERS[0]]
    eventually(lambda: "Running" in str(scene.groups()[group].get("status")), within=SECONDS)
    api.delete(POD, scene.namespace, MEMBERS[0])
    eventually(lambda: not set(MEMBERS) & {pod["metadata"]["name"] for pod in scene.pods()}, within=SECONDS)


def test_the_role_is_enough_and_nothing_of_it_is_too_much(scene, case, programs, tmp_path):
    config = tmp_path / "podgrouper.yaml"
    config.write_text(json.dumps(case.config(scene.namespace)))
    roles = output_of("rbac", f"--config={config}", "--block-owner-deletion")
    rights = granted(roles)
    scene.plane.allow(scene.user, roles)

    programs.start(scene.plane.kubeconfig(scene.user), f"--config={config}")
    pods_below_what_is_not_there(scene, rights)
    a_workload_comes_changes_and_goes(scene, case.policy)
    a_gang_breaks(scene, case)
    output_of("diff", f"--kubeconfig={scene.plane.kubeconfig(scene.user)}", f"--config={config}")

    def idle() -> list[Right]:
        return sorted(rights - used(scene.plane.audit(scene.user), rights))

    eventually(idle, lambda found: found == [], within=30)
    refused = {event.resource for event in scene.plane.audit(scene.user) if event.code == 403}
    assert refused == case.out_of_reach
