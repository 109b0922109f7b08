"""Objects and requests that conversations are made of."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.conformance.asking import MERGE, Ask

Conversations = Mapping[str, Sequence[Ask]]
SAMPLE_CRD: Mapping[str, Any] = yaml.safe_load((Path(__file__).parent / "sample_crd.yaml").read_text("utf-8"))
"""A kind whose fields are one constraint each."""


def volcano(name: str = "g", spec: object = None, **metadata: object) -> dict[str, Any]:
    group = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup"}
    return {
        **group,
        "metadata": {"name": name, **metadata},
        "spec": spec if spec is not None else {"minMember": 1},
    }


def kai(name: str = "g", spec: object = None, **metadata: object) -> dict[str, Any]:
    return {**volcano(name, spec, **metadata), "apiVersion": "scheduling.run.ai/v2alpha2"}


def sample(spec: object, name: str = "s", **metadata: object) -> dict[str, Any]:
    about = {"apiVersion": "conformance.podgrouper.io/v1", "kind": "Sample"}
    return {**about, "metadata": {"name": name, **metadata}, "spec": spec}


def pod(name: str = "p", spec: Mapping[str, Any] | None = None, **metadata: object) -> dict[str, Any]:
    container = {
        "name": "c",
        "image": "i",
        "ports": [{"containerPort": 80}],
        "env": [{"name": "A", "value": "1"}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **metadata},
        "spec": {"containers": [container], **(spec or {})},
    }


TEMPLATE = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
BATCH_TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}


def workload(kind: str, **spec: object) -> dict[str, Any]:
    chosen = {"selector": {"matchLabels": {"app": "x"}}, "template": TEMPLATE, **spec}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "w"}, "spec": chosen}


def job(**spec: object) -> dict[str, Any]:
    body = {"template": BATCH_TEMPLATE, **spec}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": body}


OWNER = {"apiVersion": "v1", "kind": "Pod", "name": "n", "uid": "u"}
PARTIAL = {"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}
PARTIAL_LIST = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"}


def patch(path: str, patch: object, form: str = MERGE) -> Ask:
    return Ask("PATCH", path, patch, form)


def each_create(place: str, *bodies: object) -> Sequence[Ask]:
    return [Ask("POST", place, body) for body in bodies]
