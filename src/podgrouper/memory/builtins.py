"""What the server fills into built-in kinds.

Partial schemas in the language of `schemas`: fields that they do not name are kept as they are. Only
defaults that somebody here reads or compares are listed; a real server adds more.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from podgrouper.core.difference import merged
from podgrouper.core.fields import dig, labels, mapping, strings, text
from podgrouper.core.model import POD, Json, Kind
from podgrouper.memory.pruning import OMIT_EMPTY

DEPLOYMENT = Kind("apps/v1", "Deployment")
REPLICA_SET = Kind("apps/v1", "ReplicaSet")
STATEFUL_SET = Kind("apps/v1", "StatefulSet")
DAEMON_SET = Kind("apps/v1", "DaemonSet")
JOB = Kind("batch/v1", "Job")
CRON_JOB = Kind("batch/v1", "CronJob")
NAMESPACE = Kind("v1", "Namespace")
NODE = Kind("v1", "Node")
CONFIG_MAP = Kind("v1", "ConfigMap")
SECRET = Kind("v1", "Secret")
EVENT = Kind("v1", "Event")
PRIORITY_CLASS = Kind("scheduling.k8s.io/v1", "PriorityClass")


def _fields(**defaults: object) -> Json:
    """A schema with these defaults."""
    return {"properties": {name: {"default": value} for name, value in defaults.items()}}


def _with(schema: Json, **below: Json) -> Json:
    """The schema with schemas for some more of its fields."""
    return {**schema, "properties": {**mapping(schema, "properties"), **below}}


_MAP: Json = {OMIT_EMPTY: True}
_NULL: Json = {"default": None, "nullable": True}
"""A time that Go writes as null when it is not there."""
_TIMED = _with({}, lastProbeTime=_NULL, lastTransitionTime=_NULL)
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
    nodeSelector=_MAP,
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
        status={
            "default": {},
            "properties": {"phase": {"default": "Pending"}, "conditions": {"items": _TIMED}},
        },
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
    NAMESPACE: _fields(status={"phase": "Active"}),
    NODE: _fields(spec={}, status={}),
    EVENT: _with(
        _fields(source={}, reportingComponent="", reportingInstance=""),
        eventTime=_NULL,
        firstTimestamp=_NULL,
        lastTimestamp=_NULL,
    ),
    CONFIG_MAP: {"properties": {"data": _MAP, "binaryData": _MAP}},
    SECRET: {"properties": {"data": _MAP}},
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


def _allocatable(node: Json) -> Json:
    """All that there is, as long as the node does not say otherwise."""
    status = mapping(node, "status")
    if "capacity" not in status or "allocatable" in status:
        return {}
    return {"status": {"allocatable": status["capacity"]}}


_COMPLETIONS: Mapping[Kind, Callable[[Json], Json]] = {
    JOB: _counts,
    NAMESPACE: _own_name,
    NODE: _allocatable,
}


def derived(obj: Json, kind: Kind) -> Json:
    """With what the server writes into a new object itself, so that no field manager owns it."""
    if kind == NAMESPACE:
        return _added(obj, {"spec": {"finalizers": ["kubernetes"]}})
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
