"""What the server fills into built-in kinds, and the few things it insists on.

Partial schemas in the language of `schemas`: fields that they do not name are kept as they are. Only
defaults that somebody here reads or compares are listed; a real server adds more.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from podgrouper.core.difference import merged
from podgrouper.core.fields import dig, items, labels, mapping, strings, text
from podgrouper.core.model import POD, Json, Kind
from podgrouper.memory.printing import go_json
from podgrouper.memory.refusals import Cause, forbidden_field, invalid_value, not_supported, required

DEPLOYMENT = Kind("apps/v1", "Deployment")
REPLICA_SET = Kind("apps/v1", "ReplicaSet")
STATEFUL_SET = Kind("apps/v1", "StatefulSet")
DAEMON_SET = Kind("apps/v1", "DaemonSet")
JOB = Kind("batch/v1", "Job")
CRON_JOB = Kind("batch/v1", "CronJob")
NAMESPACE = Kind("v1", "Namespace")
EVENT = Kind("v1", "Event")
PRIORITY_CLASS = Kind("scheduling.k8s.io/v1", "PriorityClass")


def _fields(**defaults: object) -> Json:
    """A schema with these defaults."""
    return {"properties": {name: {"default": value} for name, value in defaults.items()}}


def _with(schema: Json, **below: Json) -> Json:
    """The schema with schemas for some more of its fields."""
    return {**schema, "properties": {**mapping(schema, "properties"), **below}}


_CONTAINER = _with(
    _fields(
        resources={},
        terminationMessagePath="/dev/termination-log",
        terminationMessagePolicy="File",
        imagePullPolicy="Always",
    ),
    ports={"items": _fields(protocol="TCP")},
)
_POD_SPEC = _with(
    _fields(
        restartPolicy="Always",
        terminationGracePeriodSeconds=30,
        dnsPolicy="ClusterFirst",
        securityContext={},
        schedulerName="default-scheduler",
    ),
    containers={"items": _CONTAINER},
    initContainers={"items": _CONTAINER},
)
_TEMPLATE = _with({}, spec=_POD_SPEC)
_ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}}
_JOB_SPEC = _with(
    _fields(
        backoffLimit=6,
        completionMode="NonIndexed",
        suspend=False,
        manualSelector=False,
        podReplacementPolicy="TerminatingOrFailed",
    ),
    template=_TEMPLATE,
)

_SCHEMAS: Mapping[Kind, Json] = {
    POD: _with(
        {},
        spec=_with(_POD_SPEC, enableServiceLinks={"default": True}),
        status={"default": {}, "properties": {"phase": {"default": "Pending"}}},
    ),
    DEPLOYMENT: _with(
        _fields(status={}),
        spec=_with(
            _fields(replicas=1, revisionHistoryLimit=10, progressDeadlineSeconds=600, strategy=_ROLLING),
            template=_TEMPLATE,
        ),
    ),
    REPLICA_SET: _with(_fields(status={"replicas": 0}), spec=_with(_fields(replicas=1), template=_TEMPLATE)),
    STATEFUL_SET: _with(
        _fields(status={"replicas": 0, "availableReplicas": 0}),
        spec=_with(
            _fields(
                replicas=1,
                revisionHistoryLimit=10,
                podManagementPolicy="OrderedReady",
                updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
                serviceName="",
                persistentVolumeClaimRetentionPolicy={"whenDeleted": "Retain", "whenScaled": "Retain"},
            ),
            template=_TEMPLATE,
        ),
    ),
    DAEMON_SET: _with(
        {},
        spec=_with(
            _fields(
                revisionHistoryLimit=10,
                updateStrategy={
                    "type": "RollingUpdate",
                    "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0},
                },
            ),
            template=_TEMPLATE,
        ),
    ),
    JOB: _with(_fields(status={}), spec=_JOB_SPEC),
    CRON_JOB: _with(
        _fields(status={}),
        spec=_with(
            _fields(
                concurrencyPolicy="Allow",
                suspend=False,
                successfulJobsHistoryLimit=3,
                failedJobsHistoryLimit=1,
            )
        ),
    ),
    NAMESPACE: _fields(spec={"finalizers": ["kubernetes"]}, status={"phase": "Active"}),
    PRIORITY_CLASS: _fields(preemptionPolicy="PreemptLowerPriority"),
}

NOTHING_FILLED: Json = MappingProxyType({})


def schema_of(kind: Kind) -> Json:
    return _SCHEMAS.get(kind, NOTHING_FILLED)


def completed(obj: Json, kind: Kind) -> Json:
    """With the defaults that depend on other fields: the counts of a Job, the label of a namespace."""
    complete = _COMPLETIONS.get(kind)
    return _added(obj, complete(obj)) if complete else obj


def _counts(job: Json) -> Json:
    """One pod by default, and as many completions as that only if nobody said anything."""
    spec = mapping(job, "spec")
    if "parallelism" in spec:
        return {}
    return {"spec": {"parallelism": 1} | ({} if "completions" in spec else {"completions": 1})}


def _own_name(namespace: Json) -> Json:
    return {"metadata": {"labels": {"kubernetes.io/metadata.name": text(namespace, "metadata.name")}}}


_COMPLETIONS: Mapping[Kind, Callable[[Json], Json]] = {JOB: _counts, NAMESPACE: _own_name}


def derived(obj: Json, kind: Kind) -> Json:
    """With what the server writes into a new object itself, so that no field manager owns it."""
    if kind != JOB or dig(obj, "spec.manualSelector") is True:
        return obj
    owned = {
        "batch.kubernetes.io/controller-uid": text(obj, "metadata.uid"),
        "batch.kubernetes.io/job-name": text(obj, "metadata.name"),
        "controller-uid": text(obj, "metadata.uid"),
        "job-name": text(obj, "metadata.name"),
    }
    on_pods = {**strings(obj, "spec.template.metadata.labels"), **owned}
    selector = {"matchLabels": {_BY_UID: owned[_BY_UID]}}
    spec = {"selector": selector, "template": {"metadata": {"labels": on_pods}}}
    return _added(obj, {"metadata": {"labels": dict(labels(obj)) or on_pods}, "spec": spec})


_BY_UID = "batch.kubernetes.io/controller-uid"


def _added(obj: Json, addition: Json) -> Json:
    result = merged(obj, addition)
    assert isinstance(result, Mapping)
    return result


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
