"""What `podgrouper manifests` prints is applied to a real API server; its service account does the work."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from podgrouper.core.model import POD, Kind
from tests.cluster import objects
from tests.cluster.control_plane import ControlPlane
from tests.cluster.program import output_of
from tests.cluster.scenes import VOLCANO
from tests.cluster.waiting import eventually

DEPLOYMENT = Kind("apps/v1", "Deployment")
LEASE = Kind("coordination.k8s.io/v1", "Lease")
NAME = "podgrouper"


@pytest.fixture
def manifests(busy_plane: ControlPlane, busy_namespace: str) -> list[dict[str, Any]]:
    """Installed into an empty namespace."""
    where = (f"--install-namespace={busy_namespace}", "--profile=volcano")
    text = output_of("manifests", "--image=example/podgrouper:1", *where)
    busy_plane.apply(text)
    return list(yaml.safe_load_all(text))


@pytest.fixture
def kubeconfig(
    busy_plane: ControlPlane, busy_namespace: str, manifests: list[dict[str, Any]], tmp_path: Path
) -> Path:
    """With a token of the service account, as its pods would find one."""
    assert manifests
    path = f"/api/v1/namespaces/{busy_namespace}/serviceaccounts/{NAME}/token"
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = busy_plane.api.ask("POST", path, asked)["status"]["token"]
    config: Any = yaml.safe_load(busy_plane.kubeconfig().read_text())
    config["users"][0]["user"] = {"token": token}
    config["contexts"][0]["context"]["namespace"] = busy_namespace
    found = tmp_path / "kubeconfig"
    found.write_text(json.dumps(config))
    return found


def arguments(manifests: list[dict[str, Any]]) -> list[str]:
    (container,) = manifests[-1]["spec"]["template"]["spec"]["containers"]
    found: list[str] = container["args"]
    return found


def linked(pod: Mapping[str, Any]) -> bool:
    return VOLCANO.link in pod["metadata"].get("annotations", {})


def test_pods_of_the_deployment_are_made(busy_plane, busy_namespace, manifests):
    assert manifests[-1]["kind"] == "Deployment"

    made = eventually(
        lambda: busy_plane.api.all_of(POD, busy_namespace), lambda pods: len(pods) == 2, within=30
    )

    assert {pod["spec"]["serviceAccountName"] for pod in made} == {NAME}


def test_its_service_account_may_do_what_it_has_to_do(
    busy_plane, busy_namespace, manifests, kubeconfig, programs
):
    program = programs.start(kubeconfig, "--leader-elect", *arguments(manifests))
    owner = busy_plane.api.create(objects.replica_set(busy_namespace, "web", VOLCANO.scheduler))
    busy_plane.api.create(objects.pod(busy_namespace, "web-x", VOLCANO.scheduler, owner))

    eventually(lambda: linked(busy_plane.api.get(POD, busy_namespace, "web-x")), within=30)

    assert busy_plane.api.get(LEASE, busy_namespace, NAME)["spec"]["holderIdentity"]
    assert "forbidden" not in program.logs()
