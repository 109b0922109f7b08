"""A right is taken from the controller while it works, and given back: what goes on, and who is told."""

import asyncio
import logging
from collections.abc import Collection
from dataclasses import dataclass, replace

import pytest

from podgrouper.config.model import BUILT_IN, Config
from podgrouper.core.fields import annotations, dig, ref_of
from podgrouper.core.model import POD, Ending, Kind, Ref
from tests.builders import Object, controls, owner, pod
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

CONFIG = Config(profiles=(BUILT_IN[0],))
LINK = "scheduling.k8s.io/group-name"
SIZE = "scheduling.volcano.sh/group-min-member"
GROUP = Kind("scheduling.volcano.sh/v1beta1", "PodGroup")
SETS, STATEFUL = Kind("apps/v1", "ReplicaSet"), Kind("apps/v1", "StatefulSet")
CONFIG_MAP, EVENT = Kind("v1", "ConfigMap"), Kind("v1", "Event")
READ = ("get", "list", "watch")
"""A watch that begins with a list is one right: that to watch."""
KAI, KAI_GROUP = Config(profiles=BUILT_IN[1:]), Kind("scheduling.run.ai/v2alpha2", "PodGroup")
PRIORITY_CLASS = Kind("scheduling.k8s.io/v1", "PriorityClass")
HIGH = owner(f"{PRIORITY_CLASS}", "high", namespace="", value=1)
TRAINING = owner("batch/v1 Job", "train", labels={"priorityClassName": "high"})
MEMBER = pod("train-0", controls(TRAINING), scheduler="kai-scheduler")
UNTIL_NOTICED = 400.0
"""A watch that runs goes on: rights are looked at when it is asked for, every five minutes."""
WITHOUT = 600.0
HEALED = 75.0
"""A minute, as documented, and the work itself."""
WEB = owner(f"{SETS}", "web", spec={"replicas": 2})
DB = owner(f"{STATEFUL}", "db", spec={"replicas": 1})
NEW = owner(f"{SETS}", "new", spec={"replicas": 1})
LATER = (pod("web-1", controls(WEB)), DB, pod("db-0", controls(DB)), NEW, pod("new-0", controls(NEW)))
"""What comes while the right is missing: a member of a group that is there, and two that need one."""


@dataclass(frozen=True)
class Loss:
    """What is refused, what is linked all the same, and the reasons of the events."""

    verbs: tuple[str, ...]
    kind: Kind
    linked: Collection[str]
    missing: Collection[str]
    reasons: Collection[str] = frozenset()


ALL = frozenset({"web-1", "db-0", "new-0"})
LOSSES = [
    pytest.param(Loss(("list", "watch"), SETS, ALL, {"watch"}), id="owners are read one by one"),
    pytest.param(Loss(READ, SETS, ALL, {"get", "watch"}, {"OwnerForbidden"}), id="owners may not be read"),
    pytest.param(
        Loss(("create",), GROUP, {"web-1"}, {"create"}, {"RightMissing"}), id="groups may not be made"
    ),
    pytest.param(
        Loss(("patch",), GROUP, {"db-0", "new-0"}, {"patch"}, {"RightMissing"}),
        id="groups may not be changed: members of one that should wait",
    ),
    pytest.param(Loss(("list", "watch"), GROUP, ALL, {"watch"}), id="groups may not be listed"),
    pytest.param(Loss(("patch",), POD, set(), {"patch"}, {"RightMissing"}), id="pods may not be linked"),
    pytest.param(Loss(("list", "watch"), POD, set(), {"watch"}), id="pods may not be listed"),
    pytest.param(Loss(("list", "watch"), CONFIG_MAP, ALL, {"watch"}), id="rules may not be read"),
]


@pytest.fixture(params=LOSSES)
def loss(request) -> Loss:
    return request.param


def linked(sandbox: Sandbox) -> set[str]:
    return {ref_of(one).name for one in sandbox.store.list(POD) if LINK in annotations(one)} & ALL


def reasons(sandbox: Sandbox) -> set[object]:
    return {dig(event, "reason") for event in sandbox.warned()}


def lines(caplog, beginning: str) -> list[str]:
    return [line for line in caplog.messages if line.startswith(beginning)]


@dataclass
class Seen:
    linked: set[str]
    missing: set[str]
    reasons: set[object]


def looked(sandbox: Sandbox, controller) -> Seen:
    missing = {right.verb for right in controller.rights.missing()}
    return Seen(linked(sandbox), missing, reasons(sandbox))


def lived(loss: Loss) -> tuple[Seen, Seen]:
    """Without the right, and a minute after it is back."""
    sandbox = Sandbox([WEB, pod("web-0", controls(WEB))])

    async def story() -> tuple[Seen, Seen]:
        async with sandbox.controller(CONFIG) as controller:
            await sandbox.quiet()
            sandbox.api.denied |= {(verb, loss.kind) for verb in loss.verbs}
            await asyncio.sleep(UNTIL_NOTICED)
            bring(sandbox, *LATER, asking(WEB))
            await asyncio.sleep(WITHOUT)
            without = looked(sandbox, controller)
            sandbox.api.denied.clear()
            await asyncio.sleep(HEALED)
            return without, looked(sandbox, controller)

    return virtual_time.run(story())


def bring(sandbox: Sandbox, *objects: Object) -> None:
    for obj in objects:
        sandbox.store.load(obj)


def asking(workload: Object) -> Object:
    """For another gang size than before."""
    return owner(f"{SETS}", "web", spec={"replicas": 2}, annotations={SIZE: "2"})


def test_what_does_not_need_the_right_goes_on_and_the_rest_when_it_is_back(loss):
    without, back = lived(loss)

    assert without.linked == loss.linked
    assert back.linked == ALL


def test_as_long_as_it_is_missing_it_counts(loss):
    without, back = lived(loss)

    assert without.missing == loss.missing
    assert back.missing == set()


def test_events_tell_whom_it_concerns(loss):
    without, _ = lived(loss)

    assert without.reasons == loss.reasons


def test_the_log_has_one_line_for_each_right_that_goes_and_comes(loss, caplog):
    caplog.set_level(logging.INFO)

    lived(loss)

    gone = lines(caplog, "missing right: ")
    assert len(gone) == len(loss.missing) == len(lines(caplog, "the right is there again: "))
    assert all("apply what `podgrouper rbac` prints" in line for line in gone)


@pytest.mark.parametrize(
    ("before", "without", "back"),
    [
        pytest.param(2, 2, 3, id="a group keeps what it asked for"),
        pytest.param(None, 1, 3, id="one that is made meanwhile is made of what can be read"),
    ],
)
def test_what_an_owner_asked_for_while_it_could_be_read_holds_on(before, without, back):
    sandbox = Sandbox([sized(2), *([pod("web-0", controls(WEB))] if before else [])])
    seen: list[list[object]] = []

    async def story() -> None:
        async with sandbox.controller(CONFIG):
            await sandbox.quiet()
            seen.append(floors(sandbox))
            sandbox.api.denied |= {(verb, SETS) for verb in READ}
            await asyncio.sleep(UNTIL_NOTICED)
            bring(sandbox, pod("web-1", controls(WEB)), sized(3))
            await asyncio.sleep(WITHOUT)
            seen.append(floors(sandbox))
            sandbox.api.denied.clear()
            await asyncio.sleep(HEALED)
            seen.append(floors(sandbox))

    virtual_time.run(story())

    assert seen == [[before] if before else [], [without], [back]]


def sized(floor: int) -> Object:
    return owner(f"{SETS}", "web", spec={"replicas": 2}, annotations={SIZE: str(floor)})


def floors(sandbox: Sandbox) -> list[object]:
    return [dig(group, "spec.minMember") for group in sandbox.store.list(GROUP)]


def test_a_group_that_may_not_be_deleted_goes_when_it_may():
    sandbox = Sandbox([WEB, pod("web-0", controls(WEB))])
    seen: list[tuple[int, set[object]]] = []

    async def story() -> None:
        async with sandbox.controller(CONFIG):
            await sandbox.quiet()
            sandbox.api.denied |= {("delete", GROUP)}
            bring(sandbox, owner(f"{SETS}", "web", spec={"replicas": 0}))
            sandbox.store.delete(Ref(POD, "ns", "web-0"))
            await asyncio.sleep(WITHOUT)
            seen.append((len(sandbox.store.list(GROUP)), reasons(sandbox)))
            sandbox.api.denied.clear()
            await asyncio.sleep(HEALED)

    virtual_time.run(story())

    assert seen == [(1, {"RightMissing"})]
    assert not sandbox.store.list(GROUP)


def test_a_hundred_pods_that_may_not_be_linked_are_one_line(caplog):
    sandbox = Sandbox([WEB, *(pod(f"web-{number}", controls(WEB)) for number in range(100))])
    sandbox.api.denied |= {("patch", POD)}
    caplog.set_level(logging.INFO)

    lived_for(sandbox, CONFIG, WITHOUT)

    assert len([line for line in caplog.messages if "403" in line]) == 1


def test_without_events_everything_else_goes_on_and_the_log_has_what_they_would_say(caplog):
    sandbox = Sandbox([asking_for_nonsense(), pod("web-0", controls(WEB)), pod("web-1", controls(WEB))])
    sandbox.api.denied |= {("create", EVENT)}
    caplog.set_level(logging.INFO)

    lived_for(sandbox, CONFIG, WITHOUT)

    assert (linked(sandbox), sandbox.warned()) == ({"web-1"}, [])
    assert [len(lines(caplog, words)) for words in ("missing right: ", "ReplicaSet ns/web: BadValue")] == [
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("named", "expected"),
    [pytest.param("high", "high", id="there is one"), pytest.param("hihg", "train", id="there is none")],
)
def test_priority_classes_that_may_not_be_listed_any_more_stay_as_they_were(named, expected):
    training = owner("batch/v1 Job", "train", labels={"priorityClassName": named})
    sandbox = Sandbox([HIGH, training, pod("train-0", controls(training), scheduler="kai-scheduler")])

    async def story() -> None:
        async with sandbox.controller(KAI):
            await sandbox.quiet()
            sandbox.api.denied |= {(verb, PRIORITY_CLASS) for verb in READ}
            await asyncio.sleep(UNTIL_NOTICED + WITHOUT)
            bring(sandbox, pod("train-1", controls(training), scheduler="kai-scheduler"))
            await sandbox.quiet()

    virtual_time.run(story())

    assert classes(sandbox) == [expected]


def test_where_priority_classes_may_not_be_read_a_workload_is_taken_at_its_word():
    sandbox = Sandbox([TRAINING, MEMBER], {PRIORITY_CLASS: Ending.FORBIDDEN})

    lived_for(sandbox, KAI, WITHOUT)

    assert classes(sandbox) == ["high"]


def test_what_no_role_can_grant_is_told_so_where_only_a_few_namespaces_are_looked_after(caplog):
    sandbox = Sandbox([TRAINING, MEMBER], {PRIORITY_CLASS: Ending.FORBIDDEN})

    lived_for(sandbox, replace(KAI, namespaces=("ns",)), WITHOUT)

    (line,) = lines(caplog, "missing right: ")
    assert "no Role can grant it" in line


def lived_for(sandbox: Sandbox, config: Config, seconds: float) -> None:
    async def story() -> None:
        async with sandbox.controller(config):
            await asyncio.sleep(seconds)

    virtual_time.run(story())


def asking_for_nonsense() -> Object:
    return owner(f"{SETS}", "web", spec={"replicas": 2}, annotations={SIZE: "many"})


def classes(sandbox: Sandbox) -> list[object]:
    return [dig(group, "spec.priorityClassName") for group in sandbox.store.list(KAI_GROUP)]
