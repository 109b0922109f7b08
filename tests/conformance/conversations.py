"""What is asked of both servers. Each conversation has one question in mind, and an empty namespace."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.conformance.asking import JSON_PATCH, MERGE, STRATEGIC, Ask

SAMPLE_CRD: Mapping[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "samples.conformance.podgrouper.io"},
    "spec": {
        "group": "conformance.podgrouper.io",
        "scope": "Namespaced",
        "names": {"kind": "Sample", "plural": "samples", "singular": "sample", "listKind": "SampleList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {
                                    "text": {
                                        "type": "string",
                                        "minLength": 2,
                                        "maxLength": 3,
                                        "pattern": "^[a-z]+$",
                                    },
                                    "choice": {"type": "string", "enum": ["hard", "soft"]},
                                    "number": {
                                        "type": "integer",
                                        "format": "int32",
                                        "minimum": 0,
                                        "maximum": 10,
                                    },
                                    "positive": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
                                    "wide": {"type": "integer", "format": "int32"},
                                    "fraction": {"type": "number", "minimum": 0.5},
                                    "flag": {"type": "boolean"},
                                    "either": {"x-kubernetes-int-or-string": True},
                                    "nothing": {"type": "string", "nullable": True},
                                    "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                                    "filled": {"type": "integer", "default": 7},
                                    "map": {
                                        "type": "object",
                                        "maxProperties": 1,
                                        "additionalProperties": {"type": "string"},
                                    },
                                    "list": {
                                        "type": "array",
                                        "minItems": 1,
                                        "maxItems": 2,
                                        "items": {
                                            "type": "object",
                                            "properties": {"a": {"type": "integer", "default": 3}},
                                        },
                                    },
                                    "set": {
                                        "type": "array",
                                        "x-kubernetes-list-type": "set",
                                        "items": {"type": "string"},
                                    },
                                    "keyed": {
                                        "type": "array",
                                        "x-kubernetes-list-type": "map",
                                        "x-kubernetes-list-map-keys": ["name"],
                                        "items": {
                                            "type": "object",
                                            "required": ["name"],
                                            "properties": {
                                                "name": {"type": "string"},
                                                "value": {"type": "integer"},
                                            },
                                        },
                                    },
                                },
                            },
                            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
                        },
                    }
                },
            }
        ],
    },
}


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


def _patch(path: str, patch: object, form: str = MERGE) -> Ask:
    return Ask("PATCH", path, patch, form)


def _each_create(place: str, *bodies: object) -> Sequence[Ask]:
    return [Ask("POST", place, body) for body in bodies]


CONVERSATIONS: Mapping[str, Sequence[Ask]] = {
    "a pod is born with defaults": _each_create(
        "PODS",
        pod(labels={"a": "b"}, finalizers=["x.io/y"]),
        pod("volumes", {"volumes": [{"name": "v", "emptyDir": {}}], "schedulerName": "volcano"}),
        pod("owned", None, ownerReferences=[OWNER], annotations={"k": "v"}),
        pod("unknown-field", {"zzz": 1}),
        pod("priority", {"priorityClassName": "system-node-critical"}, namespace="NS"),
    ),
    "a pod that is none": _each_create(
        "PODS",
        {"metadata": {"name": "q"}, "spec": {}},
        pod("q", {"restartPolicy": "Nope"}),
        pod("q", {"priorityClassName": "nope"}),
        pod("Q_x"),
        pod("q", None, namespace="elsewhere"),
        pod("q", None, labels={"a": 1}),
        pod("q", None, uid="u", creationTimestamp="2020-01-01T00:00:00Z", resourceVersion="5"),
    ),
    "pods are patched": [
        Ask("POST", "PODS", pod()),
        _patch("PODS/p", {"metadata": {"annotations": {"z": "1"}}}),
        _patch("PODS/p", {"metadata": {"annotations": {"z": "1"}}}),
        _patch("PODS/p?fieldManager=two", {"metadata": {"annotations": {"z": "2", "y": "3"}}}),
        _patch("PODS/p?fieldManager=three", {"metadata": {"annotations": {"z": None}, "labels": {"l": "m"}}}),
        _patch("PODS/p", {"metadata": {"uid": "nope", "annotations": {"z": "1"}}}),
        _patch("PODS/p", {"metadata": {"uid": "nope", "annotations": {"z": "1"}}}, STRATEGIC),
        _patch("PODS/p", {"metadata": {"resourceVersion": "1", "annotations": {"z": "1"}}}),
        _patch("PODS/p", {"metadata": {"resourceVersion": "1", "annotations": {"z": "1"}}}, STRATEGIC),
        _patch("PODS/p", {"metadata": {"name": "other"}}),
        _patch("PODS/nope", {"metadata": {"annotations": {"z": "1"}}}),
        _patch("PODS/p", [{"op": "test", "path": "/metadata/annotations/y", "value": "no"}], JSON_PATCH),
        _patch("PODS/p", [{"op": "remove", "path": "/metadata/annotations/nope"}], JSON_PATCH),
        _patch(
            "PODS/p",
            [
                {"op": "test", "path": "/metadata/annotations/y", "value": "3"},
                {"op": "add", "path": "/metadata/annotations/pod-group-name", "value": "g"},
            ],
            JSON_PATCH,
        ),
    ],
    "lists of pods merge by key": [
        Ask("POST", "PODS", pod(finalizers=["x.io/a"], ownerReferences=[OWNER])),
        _patch("PODS/p", {"spec": {"containers": [{"name": "c", "image": "j"}]}}, STRATEGIC),
        _patch("PODS/p", {"metadata": {"finalizers": ["x.io/b"]}}, STRATEGIC),
        _patch("PODS/p", {"metadata": {"$deleteFromPrimitiveList/finalizers": ["x.io/a"]}}, STRATEGIC),
        _patch("PODS/p", {"metadata": {"ownerReferences": [{**OWNER, "uid": "v"}]}}, STRATEGIC),
        _patch("PODS/p", {"metadata": {"ownerReferences": [{"uid": "u", "$patch": "delete"}]}}, STRATEGIC),
        _patch("PODS/p", {"metadata": {"ownerReferences": [{"$patch": "replace"}, OWNER]}}, STRATEGIC),
        _patch("PODS/p/status", {"status": {"conditions": [{"type": "A", "status": "True"}]}}, STRATEGIC),
        _patch("PODS/p/status", {"status": {"conditions": [{"type": "B", "status": "True"}]}}, STRATEGIC),
        _patch(
            "PODS/p/status",
            {"status": {"conditions": [{"type": "A", "status": "False"}], "phase": "Running"}},
            STRATEGIC,
        ),
        _patch("PODS/p/status", {"status": {"conditions": [{"type": "A", "$patch": "delete"}]}}, STRATEGIC),
    ],
    "the status of a pod has its own door": [
        Ask("POST", "PODS", {**pod(), "status": {"phase": "Running"}}),
        _patch("PODS/p", {"status": {"phase": "Failed"}}),
        _patch(
            "PODS/p/status",
            {
                "status": {"phase": "Running"},
                "spec": {"schedulerName": "x"},
                "metadata": {"labels": {"a": "b"}},
            },
        ),
        Ask("GET", "PODS/p/status"),
    ],
    "a pod is bound once": [
        Ask("POST", "PODS", pod()),
        Ask("POST", "PODS/p/binding", {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n1"}}),
        Ask("POST", "PODS/p/binding", {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n2"}}),
        Ask("POST", "PODS/q/binding", {"metadata": {"name": "q"}, "target": {"kind": "Node", "name": "n2"}}),
        Ask("DELETE", "PODS/p", {"preconditions": {"uid": "nope"}}),
        Ask("DELETE", "PODS/p"),
        Ask("DELETE", "PODS/p?gracePeriodSeconds=0"),
        Ask("GET", "PODS/p"),
    ],
    "finalizers hold what is deleted": [
        Ask("POST", "PODS", pod(finalizers=["x.io/y"])),
        Ask("DELETE", "PODS/p"),
        Ask("POST", "PODS", pod()),
        _patch("PODS/p", {"metadata": {"finalizers": ["x.io/y", "x.io/z"]}}),
        _patch("PODS/p", {"metadata": {"finalizers": None}}),
        Ask("GET", "PODS/p"),
    ],
    "deletion says how dependents go": [
        Ask("POST", "DEPLOYMENTS", workload("Deployment")),
        Ask("POST", "REPLICASETS", workload("ReplicaSet")),
        Ask("POST", "STATEFULSETS", workload("StatefulSet")),
        Ask("POST", "JOBS", job()),
        Ask("DELETE", "DEPLOYMENTS/w", {"propagationPolicy": "Foreground"}),
        Ask("DELETE", "REPLICASETS/w", {"propagationPolicy": "Orphan"}),
        Ask("DELETE", "STATEFULSETS/w", {"propagationPolicy": "Background"}),
        Ask("DELETE", "JOBS/j"),
        Ask("DELETE", "JOBS/j", {"propagationPolicy": "Nope"}),
    ],
    "workloads have defaults and generations": [
        Ask("POST", "DEPLOYMENTS", workload("Deployment")),
        _patch("DEPLOYMENTS/w", {"metadata": {"annotations": {"a": "b"}}}),
        _patch("DEPLOYMENTS/w", {"spec": {"replicas": 3}}),
        _patch("DEPLOYMENTS/w/status", {"status": {"replicas": 3}}),
        _patch("DEPLOYMENTS/w/scale", {"spec": {"replicas": 4}}),
        Ask("GET", "DEPLOYMENTS/w/scale"),
        _patch("DEPLOYMENTS/w", {"spec": {"selector": {"matchLabels": {"app": "y"}}}}),
        Ask("POST", "REPLICASETS", workload("ReplicaSet", replicas=0)),
        Ask("POST", "STATEFULSETS", workload("StatefulSet")),
        Ask("POST", "JOBS", job()),
        Ask(
            "POST",
            "JOBS",
            {**job(parallelism=3, completionMode="Indexed", completions=3), "metadata": {"name": "i"}},
        ),
        Ask("POST", "JOBS", {**job(parallelism=2), "metadata": {"name": "k"}}),
    ],
    "podgroups of volcano are born": _each_create(
        "VOLCANO",
        {
            **volcano(labels={"a": "b"}, annotations={"x": "y"}, ownerReferences=[OWNER]),
            "status": {"phase": "Pending"},
        },
        volcano(),
        volcano("", generateName="gen-"),
        volcano(""),
        volcano("topology", {"networkTopology": {"highestTierAllowed": 2}}),
        volcano("parts", {"subGroupPolicy": [{"name": "a"}]}),
        volcano("resources", {"minResources": {"cpu": 1, "memory": "1Gi"}}),
        volcano("unknown", {"minMember": 1, "zzz": {"a": 1}}),
        {**volcano("empty"), "spec": {}},
    ),
    "podgroups of volcano are refused": _each_create(
        "VOLCANO",
        volcano("g", {"minMember": -1}),
        volcano("g", {"minMember": "1"}),
        volcano("g", {"minMember": 3_000_000_000}),
        volcano("g", {"queue": ""}),
        volcano("g", {"queue": "A"}),
        volcano("g", {"networkTopology": {"mode": "x"}}),
        volcano("g", {"minResources": {"cpu": "x"}}),
        volcano("g", {"minResources": {"cpu": True}}),
        volcano("g", {"subGroupPolicy": [{"subGroupSize": 0}]}),
        volcano("g", []),
        volcano("g", {"minMember": -1, "queue": "A", "networkTopology": {"mode": "x"}}),
        volcano("G_x"),
        {**volcano(), "kind": "Other"},
        {**volcano(), "apiVersion": ""},
        volcano("g", None, namespace="elsewhere"),
        volcano("g", None, ownerReferences=[{"apiVersion": "v1", "kind": "", "name": "", "uid": ""}]),
        volcano(
            "g",
            None,
            ownerReferences=[{**OWNER, "controller": True}, {**OWNER, "uid": "v", "controller": True}],
        ),
        volcano("g", None, ownerReferences={}),
        volcano("g", None, labels={"a b": "c", "ok": "b c"}, annotations={"x y": "z"}),
        volcano("g", None, labels={"a": 1}),
        volcano("g", None, labels=[]),
        volcano("g", None, finalizers=["bad"]),
    ),
    "podgroups of volcano have one door": [
        Ask("POST", "VOLCANO", volcano()),
        _patch("VOLCANO/g", {"spec": {"minMember": 2, "queue": None}}),
        _patch("VOLCANO/g", {"spec": {"minMember": 2}}),
        _patch("VOLCANO/g?fieldManager=scheduler", {"status": {"phase": "Running"}}),
        _patch("VOLCANO/g/status", {"status": {"phase": "Pending"}}),
        _patch("VOLCANO/g", {"spec": {"minMember": 3}}, STRATEGIC),
        _patch("VOLCANO/g", [{"op": "replace", "path": "/spec/minMember", "value": 5}], JSON_PATCH),
        _patch("VOLCANO/g", {"kind": "Other"}),
        _patch("VOLCANO/g", {"metadata": {"generation": 7, "creationTimestamp": None, "selfLink": "x"}}),
        _patch("VOLCANO/g", {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}),
        _patch("VOLCANO/g", {"spec": {"minMember": -1}}),
    ],
    "fields have managers": [
        Ask("POST", "VOLCANO", volcano(annotations={"a": "1"})),
        _patch("VOLCANO/g?fieldManager=two", {"spec": {"minMember": 3, "priorityClassName": "p"}}),
        _patch("VOLCANO/g?fieldManager=three", {"spec": {"minMember": 4, "priorityClassName": None}}),
        _patch("VOLCANO/g?fieldManager=two", {"metadata": {"ownerReferences": [OWNER]}}),
        _patch(
            "VOLCANO/g?fieldManager=two", {"metadata": {"ownerReferences": [{**OWNER, "controller": True}]}}
        ),
        _patch("VOLCANO/g?fieldManager=two", {"metadata": {"annotations": {"a": "2", "b": "3"}}}),
        _patch("VOLCANO/g?fieldManager=two", {"metadata": {"annotations": None, "finalizers": ["x.io/y"]}}),
        _patch("VOLCANO/g?fieldManager=two", {"metadata": {"finalizers": []}}),
    ],
    "podgroups of kai have a status door": [
        Ask("POST", "KAI", {**kai(), "status": {"phase": "x"}}),
        _patch("KAI/g", {"status": {"conditions": []}, "spec": {"minMember": 2}}),
        _patch(
            "KAI/g/status",
            {
                "status": {"conditions": [{"type": "a"}]},
                "spec": {"minMember": 3},
                "metadata": {"labels": {"q": "w"}},
            },
        ),
        Ask("PUT", "KAI/g", kai("g", {"minMember": 5})),
        Ask("PUT", "KAI/g", kai("g", {"minMember": 5}, resourceVersion="1")),
        Ask("PUT", "KAI/nope", kai("nope")),
        Ask("PUT", "KAI/g", kai("other", {"minMember": 5}, resourceVersion="1")),
        _patch(
            "KAI/g", {"spec": {"subGroups": [{"name": "a", "minMember": 1}, {"name": "b", "parent": "a"}]}}
        ),
        _patch("KAI/g", {"spec": {"subGroups": [{"name": ""}]}}),
        _patch("KAI/g", {"spec": {"subGroups": [{"minMember": 1}]}}),
        _patch("KAI/g", {"spec": {"preemptibility": "maybe"}}),
    ],
    "deletes have preconditions": [
        Ask("POST", "VOLCANO", volcano()),
        Ask("DELETE", "VOLCANO/g", {"preconditions": {"uid": "nope"}}),
        Ask("DELETE", "VOLCANO/g", {"preconditions": {"resourceVersion": "3"}}),
        Ask("DELETE", "VOLCANO/nope", {"preconditions": {"uid": "nope"}}),
        Ask("DELETE", "VOLCANO/g"),
        Ask("DELETE", "VOLCANO/g"),
        Ask("POST", "VOLCANO", volcano(finalizers=["x.io/y"])),
        Ask("DELETE", "VOLCANO/g"),
        Ask("POST", "VOLCANO", volcano()),
        _patch("VOLCANO/g", {"spec": {"minMember": 9}}),
        _patch("VOLCANO/g", {"metadata": {"finalizers": None}}),
    ],
    "what is no JSON": [
        Ask("PATCH", "VOLCANO/g", "{}", "text/plain"),
        Ask("POST", "VOLCANO", volcano()),
        Ask("PATCH", "VOLCANO/g", "{}", "text/plain"),
        Ask("PUT", "VOLCANO"),
    ],
    "schemas refuse": _each_create(
        "SAMPLES",
        sample({"text": "abcd"}),
        sample({"text": "a"}),
        sample({"text": "AB"}),
        sample({"choice": "x"}),
        sample({"number": -1}),
        sample({"number": 11}),
        sample({"number": "1"}),
        sample({"positive": 0}),
        sample({"wide": 3_000_000_000}),
        sample({"fraction": 0.1}),
        sample({"flag": "true"}),
        sample({"either": True}),
        sample({"map": {"a": 1}}),
        sample({"map": {"a": "1", "b": "2"}}),
        sample({"list": []}),
        sample({"list": [{}, {}, {}]}),
        sample({"list": [1]}),
        sample({"set": ["a", "a"]}),
        sample({"keyed": [{"name": "a"}, {"name": "a"}]}),
        sample({"keyed": [{"value": 1}]}),
        sample("x"),
    ),
    "schemas fill in and drop": _each_create(
        "SAMPLES",
        sample({}, "a"),
        sample({"list": [{}, {"a": 1, "b": 2}], "zzz": 1}, "b"),
        sample({"nothing": None, "text": None, "filled": None}, "c"),
        sample({"open": {"a": {"b": [1, None]}}}, "d"),
        sample({"keyed": [{"name": "a"}, {"name": "b", "value": 1}], "set": ["x", "y"]}, "e"),
        {**sample({}, "f"), "zzz": 1, "status": {"phase": "x"}},
        sample({"fraction": 1, "either": "50%"}, "g"),
    ),
    "lists are sorted, chosen from, and cut to a form": [
        Ask("POST", "VOLCANO", volcano("b", None, labels={"app": "x", "tier": "1"})),
        Ask("POST", "VOLCANO", volcano("a", None, labels={"app": "y"})),
        Ask("GET", "VOLCANO"),
        Ask("GET", "VOLCANO?labelSelector=app%3Dx"),
        Ask("GET", "VOLCANO?labelSelector=app!%3Dx"),
        Ask("GET", "VOLCANO?labelSelector=app%20in%20(x,y),tier"),
        Ask("GET", "VOLCANO?labelSelector=app%20notin%20(x),!tier"),
        Ask("GET", "VOLCANO?labelSelector=tier%3E0"),
        Ask("GET", "VOLCANO?fieldSelector=metadata.name%3Da"),
        Ask("GET", "VOLCANO?fieldSelector=metadata.name!%3Da"),
        Ask("GET", "VOLCANO?fieldSelector=spec.queue%3Ddefault"),
        Ask("GET", "VOLCANO", headers=PARTIAL_LIST),
        Ask("GET", "VOLCANO/a", headers=PARTIAL),
        Ask("DELETE", "VOLCANO?labelSelector=app%3Dx"),
        Ask("GET", "VOLCANO", headers=PARTIAL_LIST),
    ],
    "pods are chosen by their fields": [
        Ask("POST", "PODS", pod("a", {"schedulerName": "volcano"})),
        Ask("POST", "PODS", pod("b")),
        Ask("POST", "PODS/b/binding", {"metadata": {"name": "b"}, "target": {"kind": "Node", "name": "n1"}}),
        Ask("GET", "PODS?fieldSelector=spec.schedulerName%3Dvolcano", headers=PARTIAL_LIST),
        Ask("GET", "PODS?fieldSelector=spec.schedulerName!%3Dvolcano", headers=PARTIAL_LIST),
        Ask("GET", "PODS?fieldSelector=spec.nodeName%3D", headers=PARTIAL_LIST),
        Ask("GET", "PODS?fieldSelector=spec.nodeName%3D,status.phase%3DPending", headers=PARTIAL_LIST),
        Ask("GET", "PODS?fieldSelector=spec.foo%3Dx"),
    ],
    "lists do not know what watches know": [
        Ask("GET", "PODS?sendInitialEvents=true"),
        Ask("GET", "PODS?resourceVersionMatch=Exact"),
        Ask("GET", "PODS?watch=true&sendInitialEvents=true&allowWatchBookmarks=true"),
        Ask("GET", "PODS?watch=true&resourceVersionMatch=NotOlderThan"),
        Ask("GET", "PODS?watch=true&sendInitialEvents=true&resourceVersionMatch=Exact"),
        Ask("GET", "PODS?resourceVersion=abc"),
    ],
    "a watch begins with what there is": [
        Ask("POST", "VOLCANO", volcano("a")),
        Ask("POST", "VOLCANO", volcano("b", None, labels={"app": "x"})),
        Ask("GET", "VOLCANO?watch=true&timeoutSeconds=1"),
        Ask("GET", "VOLCANO?watch=true&timeoutSeconds=1&labelSelector=app", headers=PARTIAL),
        Ask("GET", "VOLCANO?watch=true&timeoutSeconds=1&resourceVersion=0&fieldSelector=metadata.name%3Da"),
    ],
    "things that are not there": [
        Ask("GET", "/apis/nope.io/v1/things"),
        Ask("GET", "/api/v1/things"),
        Ask("GET", "PODS/nope"),
        Ask("GET", "/api/v1/namespaces/nope-nope/pods/x"),
        Ask("POST", "/api/v1/namespaces/nope-nope/pods", pod()),
        Ask("POST", "/apis/scheduling.volcano.sh/v1beta1/namespaces/nope-nope/podgroups", volcano()),
        Ask("PUT", "PODS/nope", pod("nope")),
        Ask("DELETE", "PODS/nope"),
    ],
    "discovery of custom kinds": [
        Ask("GET", "/apis/scheduling.volcano.sh"),
        Ask("GET", "/apis/scheduling.volcano.sh/v1beta1"),
        Ask("GET", "/apis/scheduling.run.ai/v2alpha2"),
    ],
    "small built-in kinds": [
        Ask("POST", "CONFIGMAPS", {"metadata": {"name": "c"}, "data": {"a": "1"}}),
        _patch("CONFIGMAPS/c", {"data": {"b": "2"}}),
        _patch("CONFIGMAPS/c", {"data": {"a": None, "b": None}}),
        Ask("PUT", "CONFIGMAPS/c", {"metadata": {"name": "c"}, "data": {"d": "4"}}),
        Ask("DELETE", "CONFIGMAPS/c"),
        Ask(
            "POST",
            "LEASES",
            {
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {"name": "l"},
                "spec": {"holderIdentity": "x"},
            },
        ),
        Ask(
            "POST",
            "EVENTS",
            {
                "metadata": {"name": "e"},
                "involvedObject": {"kind": "Pod", "namespace": "elsewhere"},
                "reason": "R",
            },
        ),
    ],
}
