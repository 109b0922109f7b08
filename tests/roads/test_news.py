"""What `kubectl describe` shows of a group's life: each change of meaning once, and nothing else."""

from collections.abc import Callable

import pytest

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.fields import dig, ref_of, text
from podgrouper.core.model import Kind, Ref
from tests.builders import Object, controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import EVENT, Sandbox

VOLCANO = Config(profiles=(BUILT_IN[0],))
GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
REPLICA_SET = Kind("apps/v1", "ReplicaSet")
SIZE = "scheduling.volcano.sh/group-min-member"
NAME = "podgroup-uid-web"
Step = Callable[[Sandbox], None]


def web(floor: int = 2, replicas: int = 2, **annotations: str) -> Object:
    spec = {"replicas": replicas}
    return owner("apps/v1 ReplicaSet", "web", spec=spec, annotations={SIZE: str(floor), **annotations})


PODS = [pod(name, controls(web())) for name in "ab"]


def told(sandbox: Sandbox) -> list[tuple[str, str, str]]:
    """About what, the reason, the words; in the order in which it was told."""
    return [
        (f"{dig(event, 'involvedObject.kind')}", text(event, "reason"), text(event, "message"))
        for event in sorted(sandbox.store.list(EVENT), key=lambda event: text(event, "firstTimestamp"))
    ]


def lived(sandbox: Sandbox, *steps: Step) -> None:
    """A controller looks on while these things happen, one after the other."""

    async def life() -> None:
        async with sandbox.controller(VOLCANO):
            await sandbox.quiet()
            for step in steps:
                step(sandbox)
                await sandbox.quiet()

    virtual_time.run(life())


def asks_for(floor: int) -> Step:
    return lambda sandbox: sandbox.store.load(web(floor))


def says(word: str) -> Step:
    return lambda sandbox: sandbox.store.load(web(**{"volcano.sh/word": word}))


def test_a_workload_that_gets_its_group_costs_no_event():
    sandbox = Sandbox([web(), *PODS])

    lived(sandbox)

    assert told(sandbox) == []


def test_an_event_is_about_that_life_of_the_object():
    sandbox = Sandbox([web(), *PODS])

    lived(sandbox, asks_for(1))

    lives = {dig(event, "involvedObject.uid") for event in sandbox.store.list(EVENT)}
    (group,) = sandbox.store.list(GROUP)
    assert lives == {"uid-web", ref_of(group).uid}


def test_another_floor_is_told_to_both_of_them_each_time():
    sandbox = Sandbox([web(), *PODS])

    lived(sandbox, asks_for(1), asks_for(2), asks_for(1))

    one = f"PodGroup {NAME}: minMember 1, minResources.count/pods 1, minResources.pods 1"
    two = f"PodGroup {NAME}: minMember 2, minResources.count/pods 2, minResources.pods 2"
    changed = [entry for entry in told(sandbox) if entry[1] == "GroupChanged"]
    assert sorted(changed) == sorted(
        (kind, "GroupChanged", words) for kind in ("PodGroup", "ReplicaSet") for words in (one, two, one)
    )


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([says("one"), says("two")], id="annotations that are handed on"),
        pytest.param([lambda sandbox: sandbox.store.load(pod("c", controls(web())))], id="one more pod"),
    ],
)
def test_what_changes_nothing_about_the_gang_is_not_told(steps):
    sandbox = Sandbox([web(), *PODS])

    lived(sandbox, *steps)

    assert told(sandbox) == []


def test_a_group_that_nobody_needs_any_more_is_told_of():
    sandbox = Sandbox([web(), *PODS])

    def scaled_away(sandbox: Sandbox) -> None:
        sandbox.store.load(web(replicas=0))
        for name in "ab":
            sandbox.store.delete(Ref(Kind("v1", "Pod"), "ns", name))

    lived(sandbox, scaled_away)

    assert told(sandbox) == [("ReplicaSet", "GroupDeleted", f"PodGroup {NAME}: nothing needs it any more")]


def test_a_restart_tells_nothing_again():
    sandbox = Sandbox([web(floor=0), *PODS])
    lived(sandbox, asks_for(1))
    before = told(sandbox)

    lived(sandbox)

    assert told(sandbox) == before


def test_a_refused_change_is_told_to_the_group_too():
    sandbox = Sandbox([web(), *PODS])

    def forbid(sandbox: Sandbox) -> None:
        sandbox.api.denied |= {("patch", GROUP)}
        sandbox.store.load(web(1))

    lived(sandbox, forbid)

    assert sorted(kind for kind, reason, _ in told(sandbox) if reason == "RightMissing") == [
        "Pod",
        "PodGroup",
        "ReplicaSet",
    ]


def test_what_is_wrong_finds_room_behind_ever_so_much_that_went_well():
    crowd = [pod(f"pod-{number}") for number in range(1200)]
    wrong = web()
    wrong["metadata"]["annotations"][SIZE] = "x"
    sandbox = Sandbox([*crowd, wrong, pod("zzz", controls(wrong))])

    lived(sandbox)

    assert [reason for _, reason, _ in told(sandbox) if reason == "BadValue"] == ["BadValue"]
