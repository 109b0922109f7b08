"""Why a gang does not run: the causes that need no foreign scheduler, on a real API server.

All scripts are played side by side, each in a namespace of its own, with one controller for all of them.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
from click.testing import CliRunner

from podgrouper.cli.crds import shipped
from podgrouper.cli.main import podgrouper
from podgrouper.core.model import Kind
from tests.cluster import objects
from tests.cluster.api import Object, Refused, kind_of
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import Planes
from tests.cluster.program import Programs, output_of
from tests.cluster.scenes import silent_for
from tests.cluster.servers import ADMIN, BARE
from tests.cluster.waiting import eventually
from tests.roads.scripts import FOREIGN, SCRIPTS, VOLCANO_GROUP, Script, Step, told

PLAYED = {name: case for name, case in SCRIPTS.items() if name not in FOREIGN and not case[0].not_served}
NOT_SERVED = {name: case for name, case in SCRIPTS.items() if case[0].not_served}
SETTLED = 3.0
CRD = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
LOOP = objects.crd(Kind("example.com/v1", "Loop"), "loops")
DEFAULT_QUEUE = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "Queue",
    "metadata": {"name": "default"},
    "spec": {"weight": 1},
}
NO_GROUPS = {
    "apiGroups": ["scheduling.volcano.sh"],
    "apiVersions": ["*"],
    "operations": ["CREATE"],
    "resources": ["podgroups"],
}


@dataclass
class Stage:
    """A namespace in which one script is played."""

    plane: ControlPlane
    namespace: str
    uids: dict[str, str] = field(default_factory=dict)
    """Those of the script -> those that the server gave."""

    def make(self, script: Script) -> None:
        if script.denying:
            self._deny()
        for obj in script.objects:
            self._create(obj)
        for obj in script.objects:
            if "ownerReferences" in obj["metadata"]:
                owners = {"metadata": {"ownerReferences": self._owners(obj)}}
                self.plane.api.patch(kind_of(obj), self.namespace, obj["metadata"]["name"], owners)

    def happen(self, step: Step) -> None:
        place = "" if step.kind.kind == "Queue" else self.namespace
        name = step.name or self._only(step.kind)
        self.plane.api.patch(step.kind, place, name, step.patch, step.subresource)

    def explained(self, asked: str, user: str) -> Mapping[str, Any]:
        place = [f"--kubeconfig={self.plane.kubeconfig(user)}", "-n", self.namespace]
        words = ["explain", asked, *place, "-o", "json"]
        (subject,) = json.loads(CliRunner().invoke(podgrouper, words).output)["subjects"]
        return subject

    def _create(self, obj: Mapping[str, Any]) -> None:
        metadata = obj["metadata"]
        kept = {key: metadata[key] for key in ("name", "labels", "annotations") if key in metadata}
        place = {"namespace": self.namespace} if "namespace" in metadata else {}
        made: Object = {**obj, "metadata": {**kept, **place, "ownerReferences": self._owners(obj)}}
        answer = self.plane.api.create(made) if place else self.plane.apply([made])[0]
        self.uids[metadata.get("uid", "")] = answer["metadata"]["uid"]

    def _owners(self, obj: Mapping[str, Any]) -> list[Object]:
        """With the uids of this server, as far as those owners were made."""
        owners = obj["metadata"].get("ownerReferences", ())
        return [{**owner, "uid": self.uids.get(owner["uid"], owner["uid"])} for owner in owners]

    def _only(self, kind: Kind) -> str:
        (found,) = self.plane.api.all_of(kind, self.namespace)
        return str(found["metadata"]["name"])

    def _deny(self) -> None:
        """An admission policy for this namespace; holds when this returns."""
        group, name = "admissionregistration.k8s.io/v1", f"no-groups-in-{self.namespace}"
        here = {"matchLabels": {"kubernetes.io/metadata.name": self.namespace}}
        policy = {
            "matchConstraints": {"namespaceSelector": here, "resourceRules": [NO_GROUPS]},
            "validations": [{"expression": "false", "message": "not today"}],
        }
        binding = {"policyName": name, "validationActions": ["Deny"]}
        for kind, spec in (("", policy), ("Binding", binding)):
            made = {
                "apiVersion": group,
                "kind": f"ValidatingAdmissionPolicy{kind}",
                "metadata": {"name": name},
            }
            self.plane.apply([{**made, "spec": spec}])
        eventually(self._is_denied, within=20)

    def _is_denied(self) -> bool:
        path = self.plane.api.served(VOLCANO_GROUP).path(self.namespace)
        group = {"apiVersion": VOLCANO_GROUP.api_version, "kind": "PodGroup", "metadata": {"name": "test"}}
        try:
            self.plane.api.ask("POST", f"{path}?dryRun=All", group)
        except Refused as refused:
            return "not today" in str(refused)
        return False


@dataclass(frozen=True)
class Play:
    """All scripts, played to their ends."""

    stages: Mapping[str, Stage]
    user: str
    """The program's, who may only do what its role says."""


@pytest.fixture(scope="module")
def play(planes: Planes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Play]:
    plane = planes(BARE)
    plane.apply([*shipped(), LOOP, DEFAULT_QUEUE])
    user = plane.fresh_user()
    plane.allow(user, output_of("rbac"))
    with ExitStack() as ends:
        stages = {name: Stage(plane, ends.enter_context(plane.namespace())) for name in SCRIPTS}
        for name, (script, _) in PLAYED.items():
            stages[name].make(script)
        with Programs(tmp_path_factory.mktemp("causes")) as programs:
            programs.start(plane.kubeconfig(user))
            silent_for(SETTLED, plane, user)
            for name, (script, _) in PLAYED.items():
                for step in script.then:
                    stages[name].happen(step)
            silent_for(SETTLED, plane, user)
        for name, (script, _) in PLAYED.items():
            for step in script.away:
                stages[name].happen(step)
        yield Play(stages, user)


@pytest.mark.parametrize("name", PLAYED)
def test_the_cause_is_told_with_what_it_is_about_and_what_to_do(play, name):
    script, expected = PLAYED[name]

    subject = play.stages[name].explained(script.asked, play.user if script.hidden else ADMIN)

    assert told(subject, expected) == (expected.code, []), subject["causes"]


@pytest.mark.parametrize("name", NOT_SERVED)
def test_a_kind_that_is_not_served_is_told_as_well(play, name):
    script, expected = NOT_SERVED[name]
    stage, api = play.stages[name], play.stages[name].plane.api
    stage.make(script)
    api.delete(CRD, "", "podgroups.scheduling.volcano.sh")
    try:
        found = eventually(
            lambda: told(stage.explained(script.asked, ADMIN), expected),
            lambda found: found == (expected.code, []),
            within=20,
        )
    finally:
        stage.plane.apply(shipped())

    assert found == (expected.code, [])
