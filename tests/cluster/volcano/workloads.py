"""Workloads as people write them for Volcano, and what became of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from podgrouper.core.model import Kind
from podgrouper.core.precedents import RULES as WHO_MADE_IT
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.program import Program, Programs, output_of
from tests.cluster.scenes import VOLCANO, Scene

LINK = VOLCANO.link
GANG_SIZE = "scheduling.volcano.sh/group-min-member"
DEPLOYMENT = Kind("apps/v1", "Deployment")
REPLICA_SET = Kind("apps/v1", "ReplicaSet")
STATEFUL_SET = Kind("apps/v1", "StatefulSet")
JOB = Kind("batch/v1", "Job")
EVENT = Kind("v1", "Event")
WORKFLOW = Kind("argoproj.io/v1alpha1", "Workflow")
GPU = "nvidia.com/gpu"

RULES = """\
podgroup-level-rules:
- apiversion: apps/v1
  kind: deployment
  adjust-level: 0
- apiversion: argoproj.io/v1alpha1
  kind: workflow
  adjust-level: -1
"""
"""Those of the seeds' user cases."""


def start_with_rules(scene: Scene, programs: Programs, rules: str = RULES) -> Program:
    """The program, with a ConfigMap of this test's own."""
    data = {"volcano-controller.conf": rules}
    metadata = {"namespace": scene.namespace, "name": "rules"}
    scene.plane.api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    flags = ["--profile=volcano", f"--level-rules-configmap={scene.namespace}/rules"]
    scene.plane.allow(scene.user, output_of("rbac", *flags))
    return programs.start(scene.plane.kubeconfig(scene.user), *flags)


def annotated(workload: Object, annotations: Mapping[str, str]) -> Object:
    return {**workload, "metadata": {**workload["metadata"], "annotations": dict(annotations)}}


def asking_for_gpus(workload: Object, count: int) -> Object:
    """Every pod of it asks for so many."""
    spec = workload["spec"]["template"]["spec"]
    spec["containers"][0]["resources"] = {"requests": {GPU: str(count)}, "limits": {GPU: str(count)}}
    return workload


def stateful_set(namespace: str, name: str, replicas: int, pod_annotations: Mapping[str, str]) -> Object:
    """All of its pods at once."""
    made = objects.replica_set(namespace, name, VOLCANO.scheduler, replicas)
    template = made["spec"]["template"]
    template["metadata"]["annotations"] = dict(pod_annotations)
    spec = {**made["spec"], "serviceName": name, "podManagementPolicy": "Parallel", "template": template}
    return {**made, "kind": "StatefulSet", "spec": spec}


def inherited(group: Object) -> Mapping[str, str]:
    """The annotations of a group, without the note which rules made it."""
    found = group["metadata"].get("annotations", {})
    return {key: value for key, value in found.items() if key != WHO_MADE_IT}


def scale(scene: Scene, kind: Kind, name: str, replicas: int) -> None:
    scene.plane.api.patch(kind, scene.namespace, name, {"spec": {"replicas": replicas}})


def owners(scene: Scene) -> list[str]:
    """What owns the groups that there are: `ReplicaSet/web-5c8`."""
    references = (group["metadata"]["ownerReferences"] for group in scene.groups().values())
    return sorted(f"{owner['kind']}/{owner['name']}" for listed in references for owner in listed)


def controllers_of(pods: Sequence[Object]) -> set[str]:
    return {pod["metadata"]["ownerReferences"][0]["uid"] for pod in pods}


def events(scene: Scene, reason: str) -> list[Any]:
    return [event for event in scene.plane.api.all_of(EVENT, scene.namespace) if event["reason"] == reason]
