"""What the server insists on in built-in kinds: the part that workloads and their pods meet."""

from collections.abc import Callable, Iterator, Mapping

from podgrouper.core.fields import items, mapping, text
from podgrouper.core.model import POD, Json, Kind
from podgrouper.memory.builtins import (
    DAEMON_SET,
    DEPLOYMENT,
    EVENT,
    JOB,
    PRIORITY_CLASS,
    REPLICA_SET,
    STATEFUL_SET,
)
from podgrouper.memory.printing import go_json
from podgrouper.memory.refusals import Cause, forbidden_field, invalid_value, not_supported, required


def built_in_problems(obj: Json, kind: Kind) -> Iterator[Cause]:
    """What the server would refuse of an object of a built-in kind."""
    check = _CHECKS.get(kind)
    return check(obj) if check else iter(())


def _pod(obj: Json) -> Iterator[Cause]:
    yield from _pod_spec(mapping(obj, "spec"), "spec")


def _pod_spec(spec: Json, at: str) -> Iterator[Cause]:
    if not items(spec, "containers"):
        yield required(f"{at}.containers")
    for number, container in enumerate(items(spec, "containers")):
        if not text(container, "name"):
            yield required(f"{at}.containers[{number}].name")
    policy = spec.get("restartPolicy")
    if policy not in (None, "Always", "OnFailure", "Never"):
        known = ('"Always"', '"OnFailure"', '"Never"')
        yield not_supported(f"{at}.restartPolicy", go_json(policy), known)


def _selecting(obj: Json) -> Iterator[Cause]:
    """Workloads whose selector must choose the pods of their own template."""
    wanted = mapping(obj, "spec.selector.matchLabels")
    if not mapping(obj, "spec.selector"):
        yield required("spec.selector")
    found = mapping(obj, "spec.template.metadata.labels")
    if any(found.get(key) != value for key, value in wanted.items()):
        words = "`selector` does not match template `labels`"
        yield invalid_value("spec.template.metadata.labels", go_json(found), words)
    yield from _pod_spec(mapping(obj, "spec.template.spec"), "spec.template.spec")


def _job_problems(obj: Json) -> Iterator[Cause]:
    yield from _pod_spec(mapping(obj, "spec.template.spec"), "spec.template.spec")
    policy = mapping(obj, "spec.template.spec").get("restartPolicy")
    if policy not in ("OnFailure", "Never"):
        field = "spec.template.spec.restartPolicy"
        yield not_supported(field, go_json(policy), ('"OnFailure"', '"Never"'))


def _event(obj: Json) -> Iterator[Cause]:
    about = text(obj, "involvedObject.namespace")
    expected = text(obj, "metadata.namespace")
    if about != expected and not (about == "" and expected == "default"):
        words = "does not match event.namespace"
        yield invalid_value("involvedObject.namespace", go_json(about), words)


_CHECKS: Mapping[Kind, Callable[[Json], Iterator[Cause]]] = {
    POD: _pod,
    DEPLOYMENT: _selecting,
    REPLICA_SET: _selecting,
    STATEFUL_SET: _selecting,
    DAEMON_SET: _selecting,
    JOB: _job_problems,
    EVENT: _event,
}

_FREE_IN_PODS = frozenset(
    {"activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "schedulingGates"}
)
_POD_WORDS = (
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
    "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
    "previously negative)"
)


def built_in_change_problems(before: Json, after: Json, kind: Kind) -> Iterator[Cause]:
    """What cannot change any more once it was written."""
    if kind == POD and _fixed(before) != _fixed(after):
        yield forbidden_field("spec", _POD_WORDS)
    if kind == PRIORITY_CLASS and before.get("value") != after.get("value"):
        yield forbidden_field("value", "may not be changed in an update.")
    if kind in _FIXED_SELECTORS and mapping(before, "spec.selector") != mapping(after, "spec.selector"):
        shown = go_json(mapping(after, "spec.selector"))
        yield invalid_value("spec.selector", shown, "field is immutable")


_FIXED_SELECTORS = frozenset({DEPLOYMENT, REPLICA_SET, STATEFUL_SET, DAEMON_SET, JOB})


def _fixed(pod: Json) -> Json:
    """The part of a pod's spec that is as it was created: all but images, gates and tolerations."""
    spec = mapping(pod, "spec")
    kept = {key: value for key, value in spec.items() if key not in _FREE_IN_PODS}
    for name in ("containers", "initContainers"):
        if name in kept:
            kept[name] = [
                {key: value for key, value in container.items() if key != "image"}
                for container in items(spec, name)
            ]
    return kept
