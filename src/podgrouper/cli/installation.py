"""What it takes to run podgrouper in a cluster, as objects for `kubectl apply -f -`."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from podgrouper.cli.roles import Subject, role_objects
from podgrouper.config.model import Config
from podgrouper.core.model import Json

CONFIG_FOLDER, CONFIG_KEY = "/etc/podgrouper", "config.yaml"
DIGEST = "podgrouper.io/config"
"""On the pods: a changed configuration rolls them."""
RESOURCES = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}}
"""Measured on the embedded API, pods of 5 KB in gangs of ten: 53 MB with none, 70 MB with 5,000, 97 MB with
20,000, first list and linking included. A plugin takes some 40 MB more."""
USER = 65532
"""Nobody in particular, and not root."""


@dataclass(frozen=True, slots=True)
class Installation:
    """How somebody wants it installed."""

    name: str
    namespace: str
    image: str
    replicas: int
    flags: Sequence[str] = ()
    """For `podgrouper run`, besides the configuration file."""
    config_file: str | None = None
    """The text of the configuration file."""
    health_port: int = 8080
    """Where it is asked how it is; 0: nowhere."""
    owners_guarded: bool = False
    """By the admission plugin OwnerReferencesPermissionEnforcement."""


def installed(wanted: Installation, config: Config) -> tuple[Json, ...]:
    """Everything, in an order that can be applied."""
    return tuple(_objects(wanted, config))


def _objects(wanted: Installation, config: Config) -> Iterator[Json]:
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": wanted.namespace}}
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _metadata(wanted)}
    account = Subject(wanted.namespace, wanted.name)
    yield from role_objects(config, wanted.name, account, guarded=wanted.owners_guarded)
    if wanted.config_file is not None:
        yield {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": _metadata(wanted),
            "data": {CONFIG_KEY: wanted.config_file},
        }
    yield _deployment(wanted)


def _deployment(wanted: Installation) -> Json:
    labels = _labels(wanted)
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _metadata(wanted),
        "spec": {
            "replicas": wanted.replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels, **_digest(wanted)},
                "spec": _pod(wanted),
            },
        },
    }


def _pod(wanted: Installation) -> Json:
    mounts = wanted.config_file is not None
    volumes = {"volumes": [{"name": "config", "configMap": {"name": wanted.name}}]} if mounts else {}
    return {
        "serviceAccountName": wanted.name,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "runAsGroup": USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_container(wanted)],
        **volumes,
    }


def _container(wanted: Installation) -> Json:
    mounts = wanted.config_file is not None
    flags = [*wanted.flags, *([f"--config={CONFIG_FOLDER}/{CONFIG_KEY}"] if mounts else [])]
    mount = {"name": "config", "mountPath": CONFIG_FOLDER, "readOnly": True}
    return {
        "name": "podgrouper",
        "image": wanted.image,
        "command": ["podgrouper", "run"],
        "args": flags,
        **(_probes(wanted.health_port) if wanted.health_port else {}),
        "resources": RESOURCES,
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        **({"volumeMounts": [mount]} if mounts else {}),
    }


def _probes(port: int) -> Json:
    """Ready is also who only waits for its turn to write: a rollout goes on."""
    return {
        "ports": [{"name": "health", "containerPort": port}],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "health"}, "periodSeconds": 20},
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "health"}, "periodSeconds": 5},
    }


def _metadata(wanted: Installation) -> Json:
    return {"name": wanted.name, "namespace": wanted.namespace, "labels": _labels(wanted)}


def _labels(wanted: Installation) -> Json:
    return {"app.kubernetes.io/name": "podgrouper", "app.kubernetes.io/instance": wanted.name}


def _digest(wanted: Installation) -> Mapping[str, Json]:
    if wanted.config_file is None:
        return {}
    return {"annotations": {DIGEST: hashlib.sha256(wanted.config_file.encode()).hexdigest()[:16]}}


def as_arguments(flags: Mapping[str, str | Iterable[str]]) -> Iterator[str]:
    """Flags as they are typed; those that may be repeated once for each value."""
    for flag, typed in flags.items():
        for value in (typed,) if isinstance(typed, str) else typed:
            yield f"{flag}={value}"
