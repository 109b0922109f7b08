"""A LeaderWorkerSet is scaled down and up again, with a controller that looks on, or comes later."""

import pytest

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.fields import annotations, ref_of
from podgrouper.core.model import POD, Kind, Ref
from tests.builders import Object, controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

KAI = Config(profiles=BUILT_IN[1:])
GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
INDEX, WORKER = "leaderworkerset.sigs.k8s.io/group-index", "leaderworkerset.sigs.k8s.io/worker-index"
LINK = "pod-group-name"


def lws(replicas: int) -> Object:
    spec = {"replicas": replicas, "leaderWorkerTemplate": {"size": 1}}
    return owner("leaderworkerset.x-k8s.io/v1 LeaderWorkerSet", "llm", spec=spec)


def leader(index: int) -> Object:
    marks = {INDEX: str(index), WORKER: "0"}
    return pod(f"llm-{index}", controls(lws(1)), scheduler="kai-scheduler", labels=marks)


def groups(sandbox: Sandbox) -> list[str]:
    return [ref_of(group).name.removeprefix("pg-llm-uid-llm-group-") for group in sandbox.store.list(GROUP)]


def test_the_group_of_a_replica_that_is_gone_is_deleted_and_comes_back_with_it():
    sandbox = Sandbox([lws(2), leader(0), leader(1)])
    seen: list[list[str]] = []

    async def scaled() -> None:
        async with sandbox.controller(KAI):
            await sandbox.quiet()
            seen.append(groups(sandbox))
            sandbox.store.load(lws(1))
            await sandbox.quiet()
            seen.append(groups(sandbox))
            sandbox.store.delete(Ref(POD, "ns", "llm-1"))
            await sandbox.quiet()
            seen.append(groups(sandbox))
            sandbox.store.load(lws(2))
            sandbox.store.load(leader(1))
            await sandbox.quiet()

    virtual_time.run(scaled())

    assert seen == [["0", "1"], ["0", "1"], ["0"]]
    assert groups(sandbox) == ["0", "1"]
    assert {ref_of(found).name for found in sandbox.store.list(POD) if LINK in annotations(found)} == {
        "llm-0",
        "llm-1",
    }


@pytest.mark.parametrize("left", [0, 1, 2])
def test_what_was_scaled_down_while_nobody_looked_is_deleted_at_the_start(left):
    sandbox = Sandbox([lws(3), *map(leader, range(3))])

    async def without_us() -> None:
        async with sandbox.controller(KAI):
            await sandbox.quiet()
        sandbox.store.load(lws(left))
        for index in range(left, 3):
            sandbox.store.delete(Ref(POD, "ns", f"llm-{index}"))
        async with sandbox.controller(KAI):
            await sandbox.quiet()

    virtual_time.run(without_us())

    assert groups(sandbox) == [str(index) for index in range(left)]
