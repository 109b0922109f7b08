"""Argo Workflows in short form: steps or a DAG of containers and resources.

A container step is a pod. A resource step is a pod as well, Argo's executor, which creates the object of
its manifest and ends when that object has ended; its part is played here. No parameters, loops, retries or
conditions.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import yaml

from podgrouper.core.fields import annotations, being_deleted, dig, items, kind_of, mapping, text
from podgrouper.core.model import POD, Json, Kind
from podgrouper.memory.writing import with_metadata
from podgrouper.sandbox.actors.cluster import Cluster, controlled_by
from podgrouper.sandbox.actors.conditions import holds
from podgrouper.sandbox.actors.pods import conditions_with, phase, pod_from, revision_of

WORKFLOW = Kind("argoproj.io/v1alpha1", "Workflow")
EXECUTOR = "quay.io/argoproj/argoexec:latest"
_OF_WORKFLOW = "workflows.argoproj.io/workflow"
_CREATED = "workflows.argoproj.io/node-id"
ENDS = ("Succeeded", "Failed")
POLL = timedelta(seconds=1)
"""An object that the executor waits for need not belong to the workflow."""


@dataclass(frozen=True, slots=True)
class Step:
    """One template that is run once, after others."""

    name: str
    template: Json
    after: frozenset[str]


def act(cluster: Cluster, workflow: Json) -> datetime | None:
    if being_deleted(workflow) or text(workflow, "status.phase") in ENDS:
        return None
    phases: dict[str, str] = {}
    for step in steps_of(workflow):
        phases[step.name] = _run(cluster, workflow, step, phases)
    cluster.report(workflow, _status(workflow, phases, cluster.time))
    return cluster.now + POLL if "Running" in phases.values() else None


def steps_of(workflow: Json) -> tuple[Step, ...]:
    """The steps of the entrypoint, each after those that it waits for."""
    templates = {text(one, "name"): one for one in items(workflow, "spec.templates")}
    entry = templates.get(text(workflow, "spec.entrypoint"), {})
    if "steps" in entry:
        return tuple(_of_groups(entry, templates))
    if "dag" in entry:
        return tuple(_of_dag(entry, templates))
    return (Step(text(workflow, "metadata.name"), entry, frozenset()),)


def _of_groups(entry: Json, templates: Mapping[str, Json]) -> Iterator[Step]:
    """Steps of one group run side by side, after all of the group before."""
    before: frozenset[str] = frozenset()
    groups = dig(entry, "steps")
    for group in groups if isinstance(groups, list | tuple) else ():
        listed = (
            [one for one in group if isinstance(one, Mapping)] if isinstance(group, list | tuple) else [group]
        )
        for one in listed:
            yield Step(text(one, "name"), templates.get(text(one, "template"), {}), before)
        before |= {text(one, "name") for one in listed}


def _of_dag(entry: Json, templates: Mapping[str, Json]) -> Iterator[Step]:
    """In the order in which they can run: a task that waits for itself is never reached."""
    left = list(items(entry, "dag.tasks"))
    reached: set[str] = set()
    while ready := [one for one in left if _names(one, "dependencies") <= reached]:
        for one in ready:
            yield Step(
                text(one, "name"), templates.get(text(one, "template"), {}), _names(one, "dependencies")
            )
        reached |= {text(one, "name") for one in ready}
        left = [one for one in left if one not in ready]


def _run(cluster: Cluster, workflow: Json, step: Step, phases: Mapping[str, str]) -> str:
    """The phase of a step, after whatever can be done for it now."""
    earlier = [phases[name] for name in step.after]
    if "Failed" in earlier or "Omitted" in earlier:
        return "Omitted"
    if any(one != "Succeeded" for one in earlier):
        return "Pending"
    name = _pod_name(workflow, step)
    pod = next((one for one in cluster.controlled(workflow, POD) if text(one, "metadata.name") == name), None)
    if pod is None:
        cluster.create(_pod(workflow, step, name), workflow)
        return "Pending"
    if "resource" in step.template and phase(pod) == "Running":
        _execute(cluster, workflow, step, pod)
    return phase(pod)


def _pod(workflow: Json, step: Step, name: str) -> Json:
    container = step.template.get("container") or {"command": ["argoexec", "resource", "create"]}
    assert isinstance(container, Mapping)
    spec = {
        "restartPolicy": "Never",
        "containers": [{"image": EXECUTOR, **container, "name": "main"}],
        **{
            key: value
            for key in ("schedulerName", "nodeSelector", "priorityClassName")
            if (value := step.template.get(key) or dig(workflow, f"spec.{key}"))
        },
    }
    metadata = [mapping(workflow, "spec.podMetadata"), mapping(step.template, "metadata")]
    marks = {_OF_WORKFLOW: text(workflow, "metadata.name"), "workflows.argoproj.io/completed": "false"}
    given = {
        key: {**mapping(metadata[0], key), **mapping(metadata[1], key)} for key in ("labels", "annotations")
    }
    node = {"workflows.argoproj.io/node-name": f"{text(workflow, 'metadata.name')}.{step.name}"}
    return pod_from(
        {"metadata": given, "spec": spec},
        name=name,
        labels=marks,
        annotations=node | {"kubectl.kubernetes.io/default-container": "main"},
    )


def _pod_name(workflow: Json, step: Step) -> str:
    """`<workflow>-<template>-<hash>`, as Argo's version 2 names have it."""
    name = text(workflow, "metadata.name")
    return f"{name}-{text(step.template, 'name')}-{revision_of({'node': f'{name}.{step.name}'})}"


def _execute(cluster: Cluster, workflow: Json, step: Step, pod: Json) -> None:
    """Argo's executor: creates the object once, then waits for what its conditions say."""
    resource = mapping(step.template, "resource")
    manifest = yaml.load(text(resource, "manifest"), Loader=yaml.CSafeLoader)
    if not isinstance(manifest, Mapping):
        _end(cluster, pod, "Failed")
        return
    found = _created(cluster, workflow, manifest, pod)
    if found is None:
        mark = {_CREATED: text(pod, "metadata.name")}
        labelled = with_metadata(
            manifest,
            namespace=text(workflow, "metadata.namespace"),
            annotations={**mapping(manifest, "metadata.annotations"), **mark},
        )
        owned = controlled_by(labelled, workflow) if resource.get("setOwnerReference") is True else labelled
        cluster.create(owned)
        return
    wanted = {"Succeeded": text(resource, "successCondition"), "Failed": text(resource, "failureCondition")}
    for how, expression in wanted.items():
        if expression and holds(expression, found):
            _end(cluster, pod, how)
            return
    if not any(wanted.values()):
        _end(cluster, pod, "Succeeded")


def _created(cluster: Cluster, workflow: Json, manifest: Json, pod: Json) -> Json | None:
    """What this executor has created, if it has."""
    kind = kind_of(manifest)
    if cluster.store.catalog.find(kind) is None:
        return None
    there = cluster.store.list(kind, text(workflow, "metadata.namespace"))
    name = text(pod, "metadata.name")
    return next((one for one in there if annotations(one).get(_CREATED) == name), None)


def _end(cluster: Cluster, pod: Json, how: str) -> None:
    """The executor's own end, which no kubelet could foresee."""
    over = {"type": "Ready", "status": "False", "reason": "PodCompleted"}
    conditions = conditions_with(pod, cluster.time, over)
    cluster.report(pod, {**mapping(pod, "status"), "phase": how, "conditions": conditions})


def _status(workflow: Json, phases: Mapping[str, str], now: str) -> Json:
    waits = any(one in ("Pending", "Running") for one in phases.values())
    how = "Running" if waits else "Failed" if "Failed" in phases.values() else "Succeeded"
    return {
        **mapping(workflow, "status"),
        "phase": how,
        "startedAt": text(workflow, "status.startedAt") or now,
        "nodes": {name: {"displayName": name, "phase": one} for name, one in phases.items()},
        **({} if waits else {"finishedAt": now}),
    }


def _names(task: Json, field: str) -> frozenset[str]:
    found = dig(task, field, [])
    return frozenset(str(one) for one in found) if isinstance(found, list | tuple) else frozenset()
