"""Objects that nobody writes by mistake: what an API server lets through, and what none would.

As bytes, because some of it no encoder writes. Made when they are asked for: most have a megabyte.
"""

import json
from collections.abc import Callable, Mapping

from tests.builders import Object
from tests.golden.running import LINKS
from tests.roads.costs import profile_called

Make = Callable[[], bytes]

MANY = 10_000
LARGEST_OBJECT = 1_500_000
"""What etcd takes."""
LARGEST_ANNOTATIONS = 256 * 1024
VOLCANO, KAI = "scheduling.volcano.sh/", "kai.scheduler/"
NUMBERS = ("1e400", "-1e400", "NaN", "-0", "-0.0", "9" * 5000, "1" + "0" * MANY, str(2**63), str(-(2**64)))
NAMES = ("../", "..", ".", "%2f..%2f", "a/b", "a%00", "\u0085", "\x00", "\u202e", "x" * MANY, "-", "A_b", " ")


def _container(name: str = "main", **more: object) -> Object:
    return {"name": name, "image": "main", **more}


def _pod(spec: Object | None = None, status: Object | None = None, **metadata: object) -> bytes:
    """`SCHEDULER` and `NAMESPACE` are put in by whoever uses it."""
    named = {"name": "hostile", "namespace": "NAMESPACE", "uid": "uid-hostile", "resourceVersion": "7"}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**named, "creationTimestamp": "2026-01-09T00:00:00Z", **metadata},
        "spec": {"schedulerName": "SCHEDULER", "containers": [_container()], **(spec or {})},
        "status": {"phase": "Pending", **(status or {})},
    }
    return json.dumps(pod).encode()


def _annotated(**annotations: str) -> bytes:
    """Keys without their domain, under both domains."""
    keys = {f"{domain}{key}": value for domain in (VOLCANO, KAI) for key, value in annotations.items()}
    return _pod(annotations=keys)


def _everywhere(value: str) -> bytes:
    """In every annotation that somebody reads, links aside: a pod that has one is left alone."""
    read = profile_called("volcano").reads.annotations | profile_called("kai").reads.annotations
    return _pod(annotations=dict.fromkeys(sorted(read - set(LINKS.values())), value))


def _labelled(value: str) -> bytes:
    """In every label that somebody reads."""
    read = profile_called("volcano").reads.labels | profile_called("kai").reads.labels
    return _pod(labels=dict.fromkeys(sorted(read), value))


def _linked(value: str) -> bytes:
    return _pod(annotations=dict.fromkeys(LINKS.values(), value))


def _owned(**changes: object) -> bytes:
    return _pod(ownerReferences=[_reference(**changes)])


def _reference(**changes: object) -> Object:
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "uid-rs", **changes}


def _resourced(lists: str, amount: object, count: int = 1, **more: object) -> bytes:
    resources = [{"requests": {f"a.b/r{n}": amount}, "limits": {f"a.b/r{n}": amount}} for n in range(count)]
    containers = [_container(f"c{n}", resources=asked, **more) for n, asked in enumerate(resources)]
    statuses = [{"name": f"c{n}", "resources": asked} for n, asked in enumerate(resources)]
    return _pod({lists: containers}, {"containerStatuses": statuses})


def _raw(raw: str, **places: object) -> bytes:
    """JSON that no encoder writes, in place of the text RAW."""
    return _pod(**places).replace(b'"RAW"', raw.encode("utf-8", "surrogatepass"))


IN_METADATA: Mapping[str, object] = {"annotations": {"x": "RAW"}}
IN_SPEC: Mapping[str, object] = {"spec": {"x": "RAW"}}
IN_RESOURCES: Mapping[str, object] = {"spec": {"containers": [{"resources": {"requests": {"cpu": "RAW"}}}]}}


def _nested(levels: int) -> str:
    return "[" * levels + "]" * levels


PODS: Mapping[str, Make] = {
    "an environment of 1.4 MB": lambda: _pod(
        {"containers": [_container(env=[{"name": f"E{n}", "value": "x" * 110} for n in range(MANY)])]}
    ),
    "10 000 owners": lambda: _pod(ownerReferences=[_reference(uid=f"uid-{n}") for n in range(MANY)]),
    "10 000 owners of 10 000 kinds": lambda: _pod(
        ownerReferences=[
            {"apiVersion": f"g{n}.io/v1", "kind": f"K{n}", "name": "o", "uid": f"u{n}"} for n in range(MANY)
        ]
    ),
    "10 000 labels": lambda: _pod(labels={f"label-{n}": "x" for n in range(MANY)}),
    "5 000 containers with a resource each": lambda: _resourced("containers", "1", MANY // 2),
    "5 000 init containers with a resource each": lambda: _resourced("initContainers", "1", MANY // 2),
    "5 000 sidecars with a resource each": lambda: _resourced(
        "initContainers", "1", MANY // 2, restartPolicy="Always"
    ),
    "as many containers as are counted": lambda: _resourced("containers", "1", 350),
    "as many sidecars as are counted": lambda: _resourced("initContainers", "1", 350, restartPolicy="Always"),
    "10 000 resources of one container": lambda: _pod(
        {"containers": [_container(resources={"requests": {f"a.b/r{n}": "1" for n in range(MANY)}})]}
    ),
    "10 000 conditions": lambda: _pod(
        status={"conditions": [{"type": f"c{n}", "status": "True"} for n in range(MANY)]}
    ),
    "huge managedFields": lambda: _pod(
        managedFields=[{"manager": "m", "fieldsV1": {f"f:k{n}": {} for n in range(8)}} for _ in range(MANY)]
    ),
    "256 KB of zeros as a gang size": lambda: _annotated(
        **{"group-min-member": "0" * LARGEST_ANNOTATIONS + "x"}
    ),
    "256 KB of a queue": lambda: _annotated(**{"queue-name": "a-." * (LARGEST_ANNOTATIONS // 3)}),
    "256 KB of a duration": lambda: _annotated(**{"preemption-delay": "1h" * (LARGEST_ANNOTATIONS // 2)}),
    "10 000 digits everywhere": lambda: _everywhere("9" * MANY),
    "10 000 digits in every label": lambda: _labelled("9" * MANY),
    "odd texts in every label": lambda: _labelled("\u0085\x00../"),
    "a label that reads as a group": lambda: _labelled("pg-train-uid-train"),
    "an absurd link": lambda: _linked("../" * MANY),
    "a quantity of 10 000 digits": lambda: _resourced("containers", "9" * MANY),
    "a quantity of a gigabyte": lambda: _resourced("containers", "1e999999999"),
    "a quantity that is a number": lambda: _resourced("containers", 10**300),
    "aliases in annotations": lambda: _everywhere("a: &a [x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]"),
    "a selector in annotations": lambda: _everywhere("a in (" + "(a+)+$," * 1000 + ")"),
    "U+0085 and NUL in annotations": lambda: _everywhere("a\u0085b\x00c\u2028d\x1be"),
    "lone surrogates in annotations": lambda: _everywhere("\ud800x\udc00"),
    "no texts for labels and annotations": lambda: _pod(labels=[1], annotations={"a": {"b": 1}, "c": None}),
    "no objects at all": lambda: _pod(
        spec={"containers": "x"}, status={"phase": 7}, ownerReferences={"a": 1}
    ),
    "itself as its owner": lambda: _owned(
        apiVersion="v1", kind="Pod", name="hostile", uid="uid-hostile", controller=True
    ),
    "JSON nested 10 000 deep in its metadata": lambda: _raw(_nested(MANY), **IN_METADATA),
    "JSON nested 10 000 deep in its spec": lambda: _raw(_nested(MANY), **IN_SPEC),
    "resources nested 10 000 deep": lambda: _raw(_nested(MANY), **IN_RESOURCES),
    "resources nested 900 deep": lambda: _raw('{"x":' * 900 + "1" + "}" * 900, **IN_RESOURCES),
    "JSON nested without end": lambda: _raw(_nested(LARGEST_OBJECT // 2), **IN_SPEC),
    "half a surrogate pair": lambda: _raw('"\\ud800\\u0000\\udfff"', **IN_METADATA),
    "a key twice": lambda: _raw('1, "schedulerName": "other", "schedulerName": "SCHEDULER"', **IN_SPEC),
    **{f"the number {raw[:12]}": lambda raw=raw: _raw(raw, **IN_RESOURCES) for raw in NUMBERS},
    **{
        f"an owner called {ascii(name)[:12]}": lambda name=name: _owned(name=name, uid=name) for name in NAMES
    },
    "owners of absurd kinds": lambda: _pod(ownerReferences=[_reference(kind=name) for name in NAMES]),
    "owners of absurd versions": lambda: _pod(
        ownerReferences=[_reference(apiVersion=f"{name}/{name}") for name in NAMES]
    ),
    **{f"everywhere {ascii(name)[:12]}": lambda name=name: _everywhere(name) for name in NAMES},
}
"""Each as the API server would show it, if it let it through."""


def pod_bytes(name: str, scheduler: str, namespace: str) -> bytes:
    return PODS[name]().replace(b"SCHEDULER", scheduler.encode()).replace(b"NAMESPACE", namespace.encode())


def to_create(name: str, number: int, scheduler: str, namespace: str) -> bytes:
    """As a client would send it: under a name of its own, and without what the server gives."""
    data = pod_bytes(name, scheduler, namespace).replace(
        b'"name": "hostile"', f'"name": "h-{number}"'.encode()
    )
    return data.replace(b'"resourceVersion": "7"', b'"resourceVersion": ""')


def _owner(kind: str, raw: str, **metadata: object) -> bytes:
    """An owner of this kind with that JSON at every place where a grouper looks."""
    api_version, _, word = kind.rpartition(" ")
    named = {"name": "o", "namespace": "NAMESPACE", "uid": "uid-o", "resourceVersion": "7", **metadata}
    obj = {"apiVersion": api_version, "kind": word, "metadata": named, "spec": "RAW", "status": "RAW"}
    return json.dumps(obj).encode().replace(b'"RAW"', raw.encode())


def _places(raw: str) -> str:
    """An object that has this value under every name that a grouper reads of a spec or status."""
    paths = (path for paths in profile_called("kai").reads.paths.values() for path in paths if path)
    names = sorted({word for path in paths for word in path.split(".")[1:]})
    return "{" + ",".join(f'"{name}":{raw}' for name in names) + "}"


VALUES: Mapping[str, Callable[[], str]] = {
    "a megabyte of numbers": lambda: _places("[" + "1," * 15_000 + "1]"),
    "a megabyte of objects": lambda: _places("[" + "{}," * 10_000 + "{}]"),
    "thousands of groups of workers": lambda: _places(
        "[" + ",".join(f'{{"groupName":"g{n}","replicas":1,"name":"g{n}"}}' for n in range(600)) + "]"
    ),
    "thousands of roles": lambda: _places(
        "{" + ",".join(f'"r{n}":{{"replicas":1,"minReplicas":1}}' for n in range(800)) + "}"
    ),
    "JSON nested 10 000 deep": lambda: '{"x":' * MANY + "1" + "}" * MANY,
    "JSON nested 900 deep": lambda: _places('{"x":' * 900 + "1" + "}" * 900),
    "a text of a megabyte": lambda: _places('"' + "x" * 30_000 + '"'),
    **{f"the number {raw[:12]}": lambda raw=raw: _places(raw) for raw in NUMBERS},
}


def owner_bytes(kind: str, value: str, namespace: str) -> bytes:
    labels = {f"label-{n}": "x" for n in range(MANY)} if value == "a megabyte of numbers" else {}
    return _owner(kind, VALUES[value](), labels=labels).replace(b"NAMESPACE", namespace.encode())
