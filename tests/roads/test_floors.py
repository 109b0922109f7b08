"""KAI evicts a running gang whose floor is raised above its active members: we never do that to one."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from podgrouper.core.fields import annotations, labels, ref_of, text
from podgrouper.core.model import POD, Json, Ref
from podgrouper.memory.history import Change, Event
from tests.builders import Object
from tests.golden.running import GROUP_KINDS, LINKS, PARTS
from tests.roads import virtual_time
from tests.roads.families import FAMILIES, Place
from tests.roads.floors import floors
from tests.roads.sandboxed import Sandbox
from tests.roads.worlds import NAMESPACES, SCHEDULERS, World

GROUP, LINK, PART = GROUP_KINDS["kai"], LINKS["kai"], PARTS["kai"]
WORLD = World("kai", "nothing", ())
MOST = 4
ENDED = ("Succeeded", "Failed")
GANGS = (
    "a PyTorchJob",
    "a RayJob",
    "a JobSet",
    "an MPIJob",
    "a Knative service",
    "a StatefulSet",
    "a PodGang",
)
"""Not the LeaderWorkerSet: from its leader alone it goes to the whole replica in one step, by design.
None of them asks for nobody: a JobSet's jobs go from that to all of their pods at once, by design too."""


@dataclass(frozen=True)
class Moment:
    """How a gang is at one time: the size that its owner asks for, and its pods. No phase: no such pod."""

    members: int
    phases: tuple[str, ...]


moments = st.builds(
    Moment,
    st.integers(1, MOST),
    st.tuples(*[st.sampled_from(["", "Pending", "Running", "Succeeded", "Failed"])] * MOST),
)


def running(sandbox: Sandbox, group: Json) -> Counter[str]:
    """Members that run, by their part; all of them under no name."""
    where = ref_of(group)
    pods = [
        pod
        for pod in sandbox.store.list(POD, where.namespace)
        if annotations(pod).get(LINK) == where.name and text(pod, "status.phase") == "Running"
    ]
    return Counter({"": len(pods)}) + Counter(labels(pod).get(PART, "-") for pod in pods)


def raised(sandbox: Sandbox, event: Event) -> Iterator[str]:
    """Floors of a running gang that this write raises above what runs."""
    if event.change is not Change.MODIFIED or event.resource.kind != GROUP or event.previous is None:
        return
    before, active = floors(event.previous), running(sandbox, event.object)
    for name, floor in floors(event.object).items():
        if active[""] and floor > max(before.get(name, 0), active[name]):
            yield f"{ref_of(event.object).name} {name}: {before.get(name)} to {floor}, {active[name]} run"


def noting_raises(sandbox: Sandbox) -> list[str]:
    found: list[str] = []
    sandbox.store.subscribe(lambda event: found.extend(raised(sandbox, event)))
    return found


def objects_of(family: str, members: int) -> list[Object]:
    return FAMILIES["kai"][family](Place("gang", NAMESPACES[0], SCHEDULERS["kai"], members))


def pods_of(family: str) -> list[Object]:
    return [obj for obj in objects_of(family, MOST) if obj["kind"] == "Pod"]


def appear(sandbox: Sandbox, family: str, phases: tuple[str, ...]) -> None:
    """New pods wait at first; nobody runs without having been linked."""
    for pod, phase in zip(pods_of(family), phases, strict=True):
        ref = ref_of(pod)
        there = sandbox.store.find(POD, ref.namespace, ref.name) is not None
        if phase and not there:
            sandbox.store.load(pod)
        elif there and not phase:
            sandbox.store.delete(Ref(POD, ref.namespace, ref.name), grace=0)


def set_phases(sandbox: Sandbox, family: str, phases: tuple[str, ...]) -> None:
    """What has ended has ended."""
    for pod, phase in zip(pods_of(family), phases, strict=True):
        now = sandbox.store.find(POD, NAMESPACES[0], ref_of(pod).name)
        if now and text(now, "status.phase") not in ENDED:
            sandbox.store.load({**now, "status": {"phase": phase}})


def set_size(sandbox: Sandbox, family: str, members: int) -> None:
    for obj in objects_of(family, members):
        if obj["kind"] != "Pod":
            sandbox.store.load(obj)


async def live(sandbox: Sandbox, family: str, story: list[Moment]) -> None:
    """One change at a time, each seen before the next: what a write was based on is then what is there."""
    steps: list[Callable[[], None]] = []
    for moment in story:
        steps.append(partial(appear, sandbox, family, moment.phases))
        steps.append(partial(set_phases, sandbox, family, moment.phases))
        steps.append(partial(set_size, sandbox, family, moment.members))
    async with sandbox.controller(WORLD.config):
        for step in steps:
            step()
            await sandbox.quiet()


@settings(max_examples=100)
@given(st.sampled_from(GANGS), st.lists(moments, min_size=2, max_size=5))
def test_no_floor_of_a_running_gang_is_raised_above_what_runs_of_it(family, story):
    sandbox = Sandbox(obj for obj in objects_of(family, MOST) if obj["kind"] != "Pod")
    raises = noting_raises(sandbox)

    virtual_time.run(live(sandbox, family, story))

    assert raises == []
