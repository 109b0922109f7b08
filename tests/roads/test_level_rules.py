"""Level rules as they are read while the controller runs."""

import asyncio
from collections.abc import Awaitable, Callable

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.fields import annotations, dig, ref_of, text
from podgrouper.core.model import POD, Json, Kind, Ref
from podgrouper.memory.patches import MERGE
from tests.builders import controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

VOLCANO = Config(profiles=(BUILT_IN[0],))
LINK = "scheduling.k8s.io/group-name"
CONFIG_MAP = Ref(Kind("v1", "ConfigMap"), "volcano-system", "volcano-controller-configmap")
KEY = "volcano-controller.conf"
BY_STEP = "podgroup-level-rules:\n- {apiversion: example.com/v1, kind: flow, adjust-level: -1}\n"
BY_FLOW = "podgroup-level-rules:\n- {apiversion: example.com/v1, kind: flow}\n"
OTHERS = "networkTopologyDiscovery:\n- {source: ufm, enabled: true}\n"

FLOW = owner("example.com/v1 Flow", "flow")
STEP = owner("example.com/v1 Step", "step", controls(FLOW))
NEXT = owner("example.com/v1 Step", "next", controls(FLOW))


def rules(text_of_rules: str) -> Json:
    return owner("v1 ConfigMap", CONFIG_MAP.name, namespace=CONFIG_MAP.namespace, data={KEY: text_of_rules})


def say(sandbox: Sandbox, text_of_rules: str | None) -> None:
    sandbox.store.patch(CONFIG_MAP, MERGE, {"data": {KEY: text_of_rules}})


def links(sandbox: Sandbox) -> dict[str, str | None]:
    return {ref_of(one).name: annotations(one).get(LINK) for one in sandbox.store.list(POD)}


def groups(sandbox: Sandbox) -> set[str]:
    return {ref_of(one).name for one in sandbox.store.list(Kind("scheduling.volcano.sh/v1beta1", "PodGroup"))}


def events(sandbox: Sandbox) -> list[tuple[object, str]]:
    """Whose they are, by uid, and what they say."""
    return [(dig(event, "involvedObject.uid"), text(event, "message")) for event in sandbox.warned()]


def run(sandbox: Sandbox, story: Callable[[], Awaitable[None]]) -> None:
    async def told() -> None:
        async with sandbox.controller(VOLCANO):
            await sandbox.quiet()
            await story()
            await sandbox.quiet()

    virtual_time.run(told())


def test_rules_that_come_later_hold_for_new_workloads_and_tear_nothing_apart():
    sandbox = Sandbox([FLOW, STEP, NEXT, pod("old", controls(STEP))])

    async def story() -> None:
        sandbox.store.load(rules(BY_FLOW))
        await sandbox.quiet()
        sandbox.store.load(pod("replacement", controls(STEP)))
        sandbox.store.load(pod("new", controls(NEXT)))

    run(sandbox, story)

    assert links(sandbox) == {
        "old": "podgroup-uid-step",
        "replacement": "podgroup-uid-step",
        "new": "podgroup-uid-flow",
    }
    assert groups(sandbox) == {"podgroup-uid-step", "podgroup-uid-flow"}


def test_rules_that_go_leave_running_pods_where_they_are():
    sandbox = Sandbox([FLOW, STEP, NEXT, pod("old", controls(STEP)), rules(BY_FLOW)])

    async def story() -> None:
        sandbox.store.delete(CONFIG_MAP)
        await sandbox.quiet()
        sandbox.store.load(pod("replacement", controls(STEP)))
        sandbox.store.load(pod("new", controls(NEXT)))

    run(sandbox, story)

    assert links(sandbox) == {
        "old": "podgroup-uid-flow",
        "replacement": "podgroup-uid-flow",
        "new": "podgroup-uid-next",
    }


def test_rules_that_change_change_no_object():
    sandbox = Sandbox([FLOW, STEP, pod("old", controls(STEP)), rules(BY_FLOW)])
    written: list[str] = []

    async def story() -> None:
        before = len(sandbox.writes())
        say(sandbox, BY_STEP)
        await sandbox.quiet()
        written.extend(request.asked for request in sandbox.writes()[before:])

    run(sandbox, story)

    assert written == []


def test_a_text_that_cannot_be_read_leaves_the_rules_from_before_and_is_told():
    sandbox = Sandbox([FLOW, STEP, NEXT, pod("a", controls(STEP)), rules(BY_FLOW)])

    async def story() -> None:
        say(sandbox, "podgroup-level-rules: [")
        await sandbox.quiet()
        sandbox.store.load(pod("b", controls(NEXT)))

    run(sandbox, story)

    assert links(sandbox) == {"a": "podgroup-uid-flow", "b": "podgroup-uid-flow"}
    ((about, message),) = events(sandbox)
    assert about == f"uid-{CONFIG_MAP.name}"
    assert message.startswith(f"ConfigMap volcano-system/{CONFIG_MAP.name}, key {KEY}, line 2")
    assert message.endswith("; what it said before stays in force")


def test_every_mistake_is_an_event_on_the_config_map_and_the_other_rules_hold():
    text_of_rules = BY_FLOW + "- {kind: pod}\n- {apiversion: v1, kind: pod, adjust-level: up}\n"
    sandbox = Sandbox([FLOW, STEP, pod("a", controls(STEP)), rules(text_of_rules)])

    async def nothing() -> None:
        pass

    run(sandbox, nothing)

    assert links(sandbox) == {"a": "podgroup-uid-flow"}
    assert {about for about, _ in events(sandbox)} == {f"uid-{CONFIG_MAP.name}"}
    assert sorted(message.partition(", ")[2].partition(": ")[0] for _, message in events(sandbox)) == [
        f"key {KEY}, podgroup-level-rules[1].apiversion",
        f"key {KEY}, podgroup-level-rules[2].adjust-level",
    ]


def test_sections_of_others_are_neither_judged_nor_touched():
    sandbox = Sandbox([FLOW, STEP, pod("a", controls(STEP)), rules(OTHERS + BY_FLOW)])

    async def story() -> None:
        say(sandbox, OTHERS)
        await asyncio.sleep(60)

    run(sandbox, story)

    assert events(sandbox) == []
    assert [request.asked for request in sandbox.writes() if "configmaps" in request.path] == []
