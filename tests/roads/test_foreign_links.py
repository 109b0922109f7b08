"""A pod that names a group which our rules did not choose: it stays there, and that is told once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.fields import annotations, dig, ref_of
from podgrouper.core.model import POD, Kind
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Stream
from podgrouper.sandbox.transport import MemoryTransport
from tests.builders import controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import EVENT, Sandbox

KAI = Config(profiles=BUILT_IN[1:])
GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
LINK = "pod-group-name"
SET = owner("apps/v1 StatefulSet", "web", spec={"replicas": 2})
THEIRS = owner("scheduling.run.ai/v2alpha2 PodGroup", "theirs", spec={"minMember": 1, "queue": "q"})
ELSEWHERE = pod("web-0", controls(SET), scheduler="kai-scheduler", annotations={LINK: "theirs"})


class LateGroups(MemoryTransport):
    """Watches of PodGroups show what is there at first, and then nothing for a minute."""

    @asynccontextmanager
    async def stream(self, request: Request) -> AsyncIterator[Stream]:
        async with super().stream(request) as stream:
            yield _Late(stream) if request.path.endswith("/podgroups") else stream


class _Late:
    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.status, self.headers = stream.status, stream.headers

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(self._stream)
        yield await anext(chunks)
        async for chunk in chunks:
            await asyncio.sleep(60)
            yield chunk


def test_it_keeps_its_link_whatever_happens_and_one_event_says_so():
    sandbox = Sandbox([SET, THEIRS, ELSEWHERE, pod("web-1", controls(SET), scheduler="kai-scheduler")])

    async def busy() -> None:
        async with sandbox.controller(KAI):
            await sandbox.quiet()
            for number in range(3):
                sandbox.store.load(ELSEWHERE | {"status": {"phase": "Running", "message": str(number)}})
                sandbox.store.load(pod(f"web-{number + 2}", controls(SET), scheduler="kai-scheduler"))
                await sandbox.quiet()

    virtual_time.run(busy())

    links = {ref_of(found).name: annotations(found).get(LINK) for found in sandbox.store.list(POD)}
    told = [
        (dig(event, "involvedObject.name"), event["reason"], event["type"])
        for event in sandbox.store.list(EVENT)
        if dig(event, "involvedObject.kind") == "Pod"
    ]
    assert links["web-0"] == "theirs"
    assert {name: group for name, group in links.items() if name != "web-0"} == dict.fromkeys(
        ["web-1", "web-2", "web-3", "web-4"], "pg-web-uid-web"
    )
    assert told == [("web-0", "LinkedElsewhere", "Normal")]
    assert dig(sandbox.store.get(GROUP, "ns", "theirs"), "spec") == {"minMember": 1, "queue": "q"}


def test_a_group_that_is_seen_after_its_pod_keeps_that_pod():
    sandbox = Sandbox([SET])
    transport = LateGroups(sandbox.api)

    async def late() -> None:
        async with sandbox.controller(KAI, transport):
            await sandbox.quiet()
            sandbox.store.load(THEIRS)
            sandbox.store.load(ELSEWHERE)
            await sandbox.quiet()

    virtual_time.run(late())

    (found,) = sandbox.store.list(POD)
    assert annotations(found).get(LINK) == "theirs"


def test_so_does_one_whose_name_was_looked_for_in_vain_before():
    sandbox = Sandbox([SET])
    transport = LateGroups(sandbox.api)
    early = pod("web-9", controls(SET), scheduler="kai-scheduler", annotations={LINK: "theirs"})

    async def late() -> None:
        async with sandbox.controller(KAI, transport):
            sandbox.store.load(early)
            await sandbox.quiet()
            sandbox.store.load(THEIRS)
            sandbox.store.load(ELSEWHERE)
            await sandbox.quiet()

    virtual_time.run(late())

    links = {ref_of(found).name: annotations(found).get(LINK) for found in sandbox.store.list(POD)}
    assert links == {"web-0": "theirs", "web-9": "pg-web-uid-web"}
