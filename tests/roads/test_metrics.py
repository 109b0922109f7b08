"""What the metrics tell of groups: how many are in which phase, how long each took to get there."""

import asyncio
from collections.abc import Callable

import pytest

from podgrouper.config.model import Config
from podgrouper.controller.metrics import GROUPS, LINKED, REASONS, RUNNING, TABLE, Metrics
from podgrouper.controller.run import Controller
from podgrouper.core.model import POD, Kind, Ref
from podgrouper.memory.patches import MERGE
from tests.builders import Object, controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import BIRTH, Sandbox

GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
SIZE = "scheduling.volcano.sh/group-min-member"
BORN = BIRTH.strftime("%Y-%m-%dT%H:%M:%SZ")
WEB = owner("apps/v1 ReplicaSet", "web", spec={"replicas": 2}, annotations={SIZE: "2"})
Step = Callable[[Sandbox], None]


def member(name: str, phase: str = "Pending", scheduler: str = "volcano", **more: object) -> Object:
    return pod(name, controls(WEB), scheduler=scheduler, phase=phase, creationTimestamp=BORN, **more)


def phases(controller: Controller, profile: str = "volcano") -> dict[str, float]:
    """Those in which some group is."""
    samples = [sample for family in controller.metrics.registry.collect() for sample in family.samples]
    return {
        sample.labels["phase"]: sample.value
        for sample in samples
        if sample.name == GROUPS.name and sample.labels["profile"] == profile and sample.value
    }


def taken(controller: Controller, name: str, profile: str = "volcano") -> tuple[float, float]:
    """How many groups passed a milestone, and the seconds that they took together."""
    value = controller.metrics.registry.get_sample_value
    labels = {"profile": profile}
    return value(f"{name}_count", labels) or 0.0, value(f"{name}_sum", labels) or 0.0


def watched(sandbox: Sandbox, *steps: Step, read: Callable[[Controller], object]) -> list[object]:
    """What is read at first, and a minute after each of these things happened."""
    found: list[object] = []

    async def life() -> None:
        async with sandbox.controller(Config()) as controller:
            await asyncio.sleep(60)
            found.append(read(controller))
            for step in steps:
                step(sandbox)
                await asyncio.sleep(60)
                found.append(read(controller))

    virtual_time.run(life())
    return found


def loads(*objects: Object) -> Step:
    def step(sandbox: Sandbox) -> None:
        for obj in objects:
            sandbox.store.load(obj)

    return step


def all_are(phase: str) -> Step:
    """What a kubelet writes."""

    def step(sandbox: Sandbox) -> None:
        for name in "ab":
            ref = Ref(POD, "ns", name)
            sandbox.store.patch(ref, MERGE, {"status": {"phase": phase}}, subresource="status")

    return step


@pytest.mark.parametrize(
    ("profile", "scheduler"), [("volcano", "volcano"), ("kai", "kai-scheduler")], ids=["volcano", "kai"]
)
def test_groups_are_counted_by_the_phase_that_their_pods_show(profile, scheduler):
    found = watched(
        Sandbox([WEB, *(member(name, scheduler=scheduler) for name in "ab")]),
        all_are("Running"),
        all_are("Succeeded"),
        read=lambda controller: phases(controller, profile),
    )

    assert found == [{"Pending": 1}, {"Running": 1}, {"Completed": 1}]


def test_a_group_that_is_gone_is_counted_no_more():
    sandbox = Sandbox([pod("alone")])

    found = watched(sandbox, lambda sandbox: sandbox.store.delete(Ref(POD, "ns", "alone")), read=phases)

    assert found == [{"Pending": 1}, {}]


def test_a_group_that_is_refused_waits_like_any_other():
    sandbox = Sandbox([pod("alone")])
    sandbox.api.denied |= {("create", GROUP)}

    assert watched(sandbox, read=phases) == [{"Pending": 1}]


def test_a_refusal_counts_once_however_many_are_told():
    sandbox = Sandbox([WEB, member("a"), member("b")])
    sandbox.api.denied |= {("create", GROUP)}
    name, labels = REASONS.name, {"reason": "RightMissing"}

    found = watched(sandbox, read=lambda one: one.metrics.registry.get_sample_value(name, labels))

    assert found == [1]
    assert len(sandbox.warned()) == 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param(LINKED.name, [(0, 0), (1, 60), (1, 60), (1, 60)], id="linked"),
        pytest.param(RUNNING.name, [(0, 0), (0, 0), (1, 120), (1, 120)], id="running"),
    ],
)
def test_a_milestone_is_dated_from_the_first_pod_and_passed_once(name, expected):
    found = watched(
        Sandbox([WEB]),
        loads(member("a"), member("b")),
        all_are("Running"),
        loads(member("c")),
        read=lambda one: taken(one, name),
    )

    assert [(count, round(total)) for count, total in found] == expected


@pytest.mark.parametrize("name", [LINKED.name, RUNNING.name])
def test_what_was_so_when_it_came_is_not_dated(name):
    sandbox = Sandbox([WEB, member("a", "Running"), member("b", "Running")])
    watched(sandbox, read=phases)

    assert watched(sandbox, read=lambda one: taken(one, name)) == [(0.0, 0.0)]


def test_every_metric_that_is_there_is_in_the_table():
    families = {family.name for family in Metrics().registry.collect()}

    assert families == {row.name.removesuffix("_total") for row in TABLE}
