"""The stub as a child, seen from a scenario."""

import json
import ssl
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from urllib.request import Request, urlopen

from podgrouper.core.fields import text
from tests.cluster.processes import Child
from tests.cluster.waiting import eventually

READY_SECONDS = 30.0
READS = "GET"


class StubServer:
    """Serves as long as the context is open. `crowds` as its command line has them: `job=10000`."""

    def __init__(self, folder: Path, profile: str, crowds: Sequence[str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.kubeconfig = folder / "kubeconfig"
        command = [sys.executable, "-m", "bench.stub", f"--folder={folder}", f"--profile={profile}", *crowds]
        self._child = Child("stub", command, folder / "stub.log")

    def __enter__(self) -> "StubServer":
        eventually(lambda: not self._child.running or self.kubeconfig.exists(), within=READY_SECONDS)
        self._child.expect_running()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.stop()

    @property
    def pid(self) -> int:
        return self._child.pid

    def asked(self) -> Counter[str]:
        """Requests so far, by method and collection."""
        return Counter(json.loads(self._ask("GET", "/stub/asked")))

    def writes(self) -> int:
        return sum(count for ask, count in self.asked().items() if not ask.startswith(READS))

    def expire(self) -> None:
        """Ends every watch with 410: everything has to be listed again."""
        self._ask("POST", "/stub/expire")

    def _ask(self, method: str, path: str) -> bytes:
        context = ssl.create_default_context(cafile=str(self._folder / "ca.pem"))
        context.load_cert_chain(self._folder / "user.pem", self._folder / "user.key")
        config = json.loads(self.kubeconfig.read_text())
        url = text(config["clusters"][0], "cluster.server") + path
        with urlopen(Request(url, method=method), timeout=30, context=context) as answer:
            body: bytes = answer.read()
            return body
