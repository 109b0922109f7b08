"""A validating webhook on PodGroups, as a cluster may have one: it denies, or does not answer."""

import asyncio
import base64
from collections.abc import Mapping
from enum import Enum
from types import TracebackType
from typing import Any

from aiohttp import web

from podgrouper.core.model import Kind
from tests.faults.background import Background

CONFIGURATION = Kind("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
NAME = "podgroups.tests.example.com"
PATIENCE_SECONDS = 2
"""So long the API server waits for it."""


class Mood(Enum):
    """What it does with what it is asked."""

    DENIES = "denies"
    HANGS = "hangs"


class Webhook:
    """From `with` to its end it can be asked; whether it is, its `configuration` says."""

    def __init__(self) -> None:
        self.mood = Mood.DENIES
        self.asked = 0
        self._server = Background(self._review)

    def __enter__(self) -> "Webhook":
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)

    def configuration(self, namespace: str, *, up: bool = True) -> Mapping[str, Any]:
        """The API server asks it about every PodGroup of the namespace; one that is not `up` at a port on
        which nobody listens."""
        authority = base64.b64encode(self._server.certificate.encode()).decode()
        url = self._server.url if up else "https://127.0.0.1:1"
        rule = {
            "apiGroups": ["scheduling.volcano.sh", "scheduling.run.ai"],
            "apiVersions": ["*"],
            "operations": ["CREATE", "UPDATE"],
            "resources": ["podgroups"],
        }
        webhook = {
            "name": NAME,
            "clientConfig": {"url": url, "caBundle": authority},
            "rules": [rule],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "failurePolicy": "Fail",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "timeoutSeconds": PATIENCE_SECONDS,
        }
        return {
            "apiVersion": CONFIGURATION.api_version,
            "kind": CONFIGURATION.kind,
            "metadata": {"name": NAME},
            "webhooks": [webhook],
        }

    async def _review(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked += 1
        if self.mood is Mood.HANGS:
            await asyncio.Event().wait()
        review = await request.json()
        answer = {
            "uid": review["request"]["uid"],
            "allowed": False,
            "status": {"code": 403, "message": "not on a Thursday"},
        }
        told = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": answer}
        return web.json_response(told)
