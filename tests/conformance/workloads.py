"""Workloads and the small built-in kinds around them."""

from collections.abc import Mapping

from tests.conformance.asking import STRATEGIC, Ask
from tests.conformance.objects import Conversations, job, patch, pod, volcano, workload

_CONFIG = {"name": "m", "defaultMode": 420}
_ONLY_RECREATE = {"$retainKeys": ["type"], "type": "Recreate"}


def _template(pod_spec: Mapping[str, object]) -> Ask:
    return patch("DEPLOYMENTS/w", {"spec": {"template": {"spec": pod_spec}}}, STRATEGIC)


CONVERSATIONS: Conversations = {
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
        patch("DEPLOYMENTS/w", {"metadata": {"annotations": {"a": "b"}}}),
        patch("DEPLOYMENTS/w", {"spec": {"replicas": 3}}),
        patch("DEPLOYMENTS/w/status", {"status": {"replicas": 3}}),
        patch("DEPLOYMENTS/w/scale", {"spec": {"replicas": 4}}),
        Ask("GET", "DEPLOYMENTS/w/scale"),
        patch("DEPLOYMENTS/w", {"spec": {"selector": {"matchLabels": {"app": "y"}}}}),
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
    "directives of strategic patches": [
        Ask("POST", "DEPLOYMENTS", workload("Deployment")),
        _template({"containers": [{"name": "b", "image": "i"}, {"name": "a", "image": "i"}]}),
        _template({"$setElementOrder/containers": [{"name": "a"}, {"name": "c"}, {"name": "b"}]}),
        _template({"containers": [{"name": "b", "$patch": "delete"}]}),
        _template({"containers": [{"name": "nope", "$patch": "delete"}]}),
        _template({"containers": [{"name": "c", "env": [{"name": "A", "value": "1"}]}]}),
        _template({"containers": [{"name": "c", "env": [{"name": "B"}, {"name": "A", "value": "3"}]}]}),
        _template({"containers": [{"name": "c", "args": ["x", "y"]}]}),
        _template({"containers": [{"name": "c", "args": ["z"]}]}),
        _template({"containers": [{"image": "no-name"}]}),
        _template({"containers": [{"$patch": "replace"}, {"name": "d", "image": "i"}]}),
        _template({"nodeSelector": {"a": "1", "b": "2"}}),
        _template({"nodeSelector": {"$patch": "replace", "c": "3"}}),
        _template({"nodeSelector": {"$patch": "delete"}}),
        _template({"volumes": [{"name": "v", "emptyDir": {}}]}),
        _template({"volumes": [{"name": "v", "emptyDir": None, "configMap": _CONFIG}]}),
        _template({"$patch": "nope"}),
        patch("DEPLOYMENTS/w", {"spec": {"strategy": _ONLY_RECREATE}}, STRATEGIC),
    ],
    "small built-in kinds": [
        Ask("POST", "CONFIGMAPS", {"metadata": {"name": "c"}, "data": {"a": "1"}}),
        patch("CONFIGMAPS/c", {"data": {"b": "2"}}),
        patch("CONFIGMAPS/c", {"data": {"a": None, "b": None}}),
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
        Ask(
            "POST",
            "EVENTS",
            {
                "metadata": {"name": "e"},
                "involvedObject": {"kind": "Pod", "namespace": "NS", "name": "p"},
                "reason": "R",
                "message": "m",
                "type": "Warning",
                "count": 1,
                "source": {"component": "c"},
            },
        ),
        patch("EVENTS/e", {"count": 2}),
    ],
    "kinds without a namespace": [
        Ask("POST", "/api/v1/nodes", {"metadata": {"name": "n-NS"}}),
        patch("/api/v1/nodes/n-NS/status", {"status": {"capacity": {"cpu": "4"}}}),
        patch("/api/v1/nodes/n-NS", {"spec": {"unschedulable": True}}),
        Ask("DELETE", "/api/v1/nodes/n-NS"),
        Ask("POST", "CLASSES", {"metadata": {"name": "NS"}, "value": 5}),
        patch("CLASSES/NS", {"value": 6}),
        patch("CLASSES/NS", {"description": "d"}),
        Ask("POST", "PODS", pod("p", {"priorityClassName": "NS"})),
        Ask("DELETE", "CLASSES/NS"),
    ],
    "a namespace goes when it is empty": [
        Ask("POST", "/api/v1/namespaces", {"metadata": {"name": "b-NS"}}),
        Ask("POST", "/api/v1/namespaces", {"metadata": {"name": "b-NS"}}),
        Ask("POST", "/api/v1/namespaces", {"metadata": {"name": "b.NS"}}),
        Ask("POST", "/api/v1/namespaces/b-NS/configmaps", {"metadata": {"name": "c"}}),
        Ask("DELETE", "/api/v1/namespaces/b-NS"),
        Ask("POST", "/api/v1/namespaces/b-NS/configmaps", {"metadata": {"name": "d"}}),
        Ask("POST", "/apis/scheduling.volcano.sh/v1beta1/namespaces/b-NS/podgroups", volcano()),
        Ask("DELETE", "/api/v1/namespaces/b-NS"),
    ],
}
