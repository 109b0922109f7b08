"""Pretends that pods run, so that controllers which wait for running pods go on."""

import threading
from types import TracebackType

from podgrouper.core.model import POD
from tests.cluster.api import Api, Object, Refused

_PAUSE = 0.1
_RUNNING = {
    "phase": "Running",
    "conditions": [
        {"type": "Ready", "status": "True"},
        {"type": "ContainersReady", "status": "True"},
    ],
}


class PretendKubelet:
    """From `with` to its end every pod of a namespace becomes Running and Ready soon after it was made.

    Pods need no node for that, and without one the API server deletes them at once when asked to. A failure
    in its thread is raised at the end of `with`.
    """

    def __init__(self, api: Api, namespace: str) -> None:
        self._api = api
        self._namespace = namespace
        self._over = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="kubelet")

    def __enter__(self) -> "PretendKubelet":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        if self._failure:
            raise self._failure

    def _run(self) -> None:
        try:
            while not self._over.wait(_PAUSE):
                for pod in self._api.all_of(POD, self._namespace):
                    self._start(pod)
        except Exception as failure:
            self._failure = failure

    def _start(self, pod: Object) -> None:
        if pod["status"].get("phase") != "Pending":
            return
        try:
            self._api.patch(POD, self._namespace, pod["metadata"]["name"], {"status": _RUNNING}, "status")
        except Refused as refused:
            if refused.status != 404:  # deleted since we looked
                raise
