"""A group that the API refuses: its pod is told why, and it is made as soon as it may be."""

import asyncio
import json

import pytest

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.fields import dig, ref_of, text
from podgrouper.core.model import Json, Kind, Ref
from podgrouper.kube.requests import Request
from podgrouper.kube.transport import Answer
from podgrouper.memory.patches import MERGE
from tests.builders import controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import EVENT, Sandbox

VOLCANO = Config(profiles=(BUILT_IN[0],))
GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
QUEUE = Kind("scheduling.volcano.sh/v1beta1", "Queue")
QUEUE_NAME = "scheduling.volcano.sh/queue-name"
WORDS = 'admission webhook "validatepodgroup.volcano.sh" denied the request: queue `gpu` is not Open'


def queue(state: str) -> Json:
    return owner(f"{QUEUE}", "gpu", namespace="", status={"state": state})


TRAINING = owner("example.com/v1 Training", "train", annotations={QUEUE_NAME: "gpu"})
POD = pod("train-0", controls(TRAINING))


class Webhook:
    """Volcano's: lets PodGroups pass whose queue is open."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.denied: list[float] = []

    def __call__(self, request: Request) -> Answer | None:
        if request.method != "POST" or not request.path.endswith("/podgroups"):
            return None
        if text(self._sandbox.store.find(QUEUE, "", "gpu"), "status.state") == "Open":
            return None
        self.denied.append(asyncio.get_running_loop().time())
        status = {"kind": "Status", "status": "Failure", "code": 403, "reason": "Forbidden", "message": WORDS}
        return Answer(403, {}, json.dumps(status).encode())


def denying(*objects: Json) -> tuple[Sandbox, Webhook]:
    sandbox = Sandbox([TRAINING, POD, *objects])
    webhook = Webhook(sandbox)
    sandbox.refuse = webhook
    return sandbox, webhook


def groups(sandbox: Sandbox) -> list[str]:
    return [ref_of(group).name for group in sandbox.store.list(GROUP)]


def test_the_pod_and_what_makes_it_are_told_once_in_the_words_of_the_server():
    sandbox, _ = denying(queue("Closed"))

    async def half_an_hour() -> None:
        async with sandbox.controller(VOLCANO):
            await asyncio.sleep(1800)

    virtual_time.run(half_an_hour())

    events = sandbox.store.list(EVENT)
    assert sorted(
        (dig(event, "involvedObject.name"), event["type"], event["reason"]) for event in events
    ) == [("train", "Warning", "GroupRefused"), ("train-0", "Warning", "GroupRefused")]
    assert [WORDS in text(event, "message") for event in events] == [True, True]
    assert groups(sandbox) == []


def test_it_is_tried_again_a_minute_later_at_the_latest_and_not_much_more_often():
    sandbox, webhook = denying(queue("Closed"))

    async def an_hour() -> None:
        async with sandbox.controller(VOLCANO):
            await asyncio.sleep(3600)

    virtual_time.run(an_hour())

    pauses = [later - earlier for earlier, later in zip(webhook.denied, webhook.denied[1:], strict=False)]
    assert max(pauses) <= 60
    assert len(webhook.denied) <= 90


async def opened(sandbox: Sandbox) -> None:
    sandbox.store.patch(Ref(QUEUE, "", "gpu"), MERGE, {"status": {"state": "Open"}}, subresource="status")


async def made(sandbox: Sandbox) -> None:
    sandbox.store.load(queue("Open"))


async def chosen_anew(sandbox: Sandbox) -> None:
    sandbox.refuse = lambda _: None
    annotations = {"metadata": {"annotations": {QUEUE_NAME: "other"}}}
    sandbox.store.patch(Ref(Kind("example.com/v1", "Training"), "ns", "train"), MERGE, annotations)


@pytest.mark.parametrize(
    ("objects", "change"),
    [
        pytest.param([queue("Closed")], opened, id="the queue opens"),
        pytest.param([], made, id="the queue is made"),
        pytest.param([queue("Closed")], chosen_anew, id="the workload names another queue"),
    ],
)
def test_it_is_made_at_once_when(objects, change):
    sandbox, _ = denying(*objects)

    async def a_quarter_of_an_hour_and_a_moment() -> None:
        async with sandbox.controller(VOLCANO):
            await asyncio.sleep(900.5)
            await change(sandbox)
            await asyncio.sleep(0.5)

    virtual_time.run(a_quarter_of_an_hour_and_a_moment())

    assert groups(sandbox) == ["podgroup-uid-train"]


def test_queues_are_read_only_after_a_refusal():
    sandbox = Sandbox([TRAINING, POD, queue("Open")])

    async def quiet() -> None:
        async with sandbox.controller(VOLCANO):
            await sandbox.quiet()

    virtual_time.run(quiet())

    assert groups(sandbox) == ["podgroup-uid-train"]
    assert [request.path for request in sandbox.asked if "queues" in request.path] == []


def test_without_a_right_to_read_queues_it_is_tried_again_all_the_same():
    sandbox, _ = denying(queue("Closed"))
    sandbox.api.denied |= {(verb, QUEUE) for verb in ("get", "list", "watch")}

    async def later() -> None:
        async with sandbox.controller(VOLCANO):
            await asyncio.sleep(900)
            await opened(sandbox)
            await asyncio.sleep(60)

    virtual_time.run(later())

    assert groups(sandbox) == ["podgroup-uid-train"]
