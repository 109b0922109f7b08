"""Bodies and paths that say nothing sensible."""

from tests.conformance.asking import JSON_PATCH, Ask
from tests.conformance.objects import Conversations, patch, pod, volcano

CONVERSATIONS: Conversations = {
    "what is no JSON": [
        Ask("PATCH", "VOLCANO/g", "{}", "text/plain"),
        Ask("POST", "VOLCANO", volcano()),
        Ask("PATCH", "VOLCANO/g", "{}", "text/plain"),
        Ask("PUT", "VOLCANO", volcano()),
        patch("VOLCANO", {}),
        Ask("POST", "VOLCANO/g", volcano()),
        Ask("PUT", "PODS", pod()),
        patch("PODS", {}),
        Ask("POST", "PODS/p", pod()),
        Ask("DELETE", "PODS/p/status"),
        Ask("GET", "PODS/p/nope"),
        Ask("POST", "VOLCANO", "nope"),
        Ask("POST", "VOLCANO", "[]"),
        Ask("POST", "VOLCANO", {"metadata": {"name": "x"}}),
        Ask("POST", "PODS", {**pod(), "kind": "Job"}),
        Ask("POST", "PODS", {**pod(), "apiVersion": "v2"}),
        Ask("POST", "PODS", "{}", "text/plain"),
        patch("VOLCANO/g", []),
        patch("VOLCANO/g", "nope"),
        patch("VOLCANO/g", {}, JSON_PATCH),
        patch("VOLCANO/g", [{"op": "nope", "path": "/spec"}], JSON_PATCH),
        patch("VOLCANO/g", [{"op": "add", "path": "spec"}], JSON_PATCH),
        patch("VOLCANO/g", {"metadata": {"labels": {"a": 1}}}),
        patch("VOLCANO/g", {"metadata": None}),
        patch("VOLCANO/g", {"apiVersion": "scheduling.volcano.sh/v1"}),
        Ask("DELETE", "VOLCANO/g", []),
        Ask("DELETE", "VOLCANO/g?gracePeriodSeconds=x"),
    ],
}
