"""An API server that has just started forbids everybody everything until it has read the roles."""

import asyncio
import json
from collections import Counter

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.fields import annotations
from podgrouper.core.model import POD
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer
from tests.builders import controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

TRAINING = owner("example.com/v1 Training", "train")
LINK = "pod-group-name"
ROLES_READ_SECONDS = 4.0


def forbidding(request: Request) -> Answer | None:
    """As long as the roles are not read. The pods were seen before it started."""
    seen_before = request.method == "GET" and request.path.endswith(("/pods", "/api", "/apis"))
    if seen_before or asyncio.get_running_loop().time() >= ROLES_READ_SECONDS:
        return None
    status = {"kind": "Status", "status": "Failure", "code": 403, "reason": "Forbidden", "message": "no"}
    return Answer(403, {}, json.dumps(status).encode())


def test_no_owner_disappears_behind_it():
    pods = [pod(f"train-{number}", controls(TRAINING), scheduler="kai-scheduler") for number in range(2)]
    sandbox = Sandbox([TRAINING, *pods])
    sandbox.refuse = forbidding

    async def a_minute() -> None:
        async with sandbox.controller(Config(profiles=(BUILT_IN[1],))):
            await asyncio.sleep(60)

    virtual_time.run(a_minute())

    linked = Counter(annotations(found).get(LINK) for found in sandbox.store.list(POD))
    assert list(linked.values()) == [2]
    assert None not in linked
