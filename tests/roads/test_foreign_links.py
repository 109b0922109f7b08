"""A pod that names a group which our rules did not choose: it stays there, and that is told once."""

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.fields import annotations, dig, ref_of
from podgrouper.core.model import POD, Kind
from tests.builders import controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import EVENT, Sandbox

KAI = Config(profiles=BUILT_IN[1:])
GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
LINK = "pod-group-name"
SET = owner("apps/v1 StatefulSet", "web", spec={"replicas": 2})
THEIRS = owner("scheduling.run.ai/v2alpha2 PodGroup", "theirs", spec={"minMember": 1, "queue": "q"})
ELSEWHERE = pod("web-0", controls(SET), scheduler="kai-scheduler", annotations={LINK: "theirs"})


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
