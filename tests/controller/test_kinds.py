"""How objects of a kind come to be known: all by one watch, one by one, or not at all."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from podgrouper.controller.kinds import Kinds
from podgrouper.controller.tables import State
from podgrouper.core.fields import dig
from podgrouper.core.model import POD, Ending, Kind, ObjectWanted, Ref
from podgrouper.kube.errors import Unavailable
from podgrouper.kube.transport import Answer
from podgrouper.memory.resources import found_in_file
from tests.builders import owner, pod
from tests.controller.scenes import Scene
from tests.roads.sandboxed import Sandbox
from tests.roads.virtual_time import in_virtual_time

SET = Kind("apps/v1", "ReplicaSet")
WIDGET = Kind("example.com/v1", "Widget")
WEB = owner(f"{SET}", "web")
NOT_NOW = Answer(503, {}, b"{}")


class Desk:
    """What is known of a cluster, and who may ask for more."""

    def __init__(self, sandbox, tasks, namespaces=()):
        self.sandbox = sandbox
        self.scene = Scene()
        self.tasks = tasks
        self.kinds = Kinds(sandbox.client(), self.scene.triggers, namespaces, tasks)

    async def look(self, kind=SET, name="web", uid="", namespace="ns"):
        """The object's uid or why it cannot be had, after it was read."""
        await self.kinds.read(ObjectWanted(kind, namespace, name, uid))
        found = self.scene.store.table(kind).look(namespace, name, uid)
        return found if isinstance(found, Ending) else dig(found, "metadata.uid")

    def needs(self, *places):
        """Somebody looked at these objects and waits for them."""
        look = self.scene.store.look()
        look.places.update(places)
        self.scene.triggers.dependencies.note(self.scene.family("p"), look)

    def asked(self):
        """Discovery aside: `list replicasets`, `get web`."""
        requests = [one for one in self.sandbox.asked if len(one.path.split("/")) > 4]
        return [f"{_verb(one)} {one.path.rpartition('/')[2]}" for one in requests]


def _verb(request):
    if dict(request.query).get("watch"):
        return "watch"
    return "list" if request.path.endswith("s") else "get"


@asynccontextmanager
async def desk(*objects, denied=(), unserved=(), namespaces=()):
    """What was started for it ends with the block."""
    sandbox = Sandbox([pod("p"), *objects], dict.fromkeys(unserved, Ending.UNKNOWN_KIND))
    sandbox.api.denied |= set(denied)
    before = asyncio.all_tasks()
    async with asyncio.TaskGroup() as tasks:
        at = Desk(sandbox, tasks, namespaces)
        at.scene.show(pod("p"))
        at.scene.woken()
        try:
            yield at
        finally:
            for task in asyncio.all_tasks() - before:
                task.cancel()


def only_get(kind):
    return [(verb, kind) for verb in ("list", "watch")]


def nothing(kind):
    return [(verb, kind) for verb in ("get", "list", "watch")]


@in_virtual_time
async def test_the_first_object_of_a_kind_brings_all_of_them():
    async with desk(WEB, owner(f"{SET}", "api")) as at:
        found = [await at.look(name=name) for name in ("web", "api")]

        assert (found, at.asked()) == (["uid-web", "uid-api"], ["watch replicasets"])
        assert at.scene.store.table(SET).state is State.LISTED


@in_virtual_time
async def test_many_who_ask_at_once_cause_one_question():
    async with desk(WEB) as at:
        found = await asyncio.gather(*(at.look() for _ in range(50)))

        assert (found, at.asked()) == (["uid-web"] * 50, ["watch replicasets"])


@in_virtual_time
async def test_a_question_that_ends_before_it_was_asked_leaves_nothing_behind():
    async with desk(WEB) as at:
        looking = asyncio.create_task(at.look())
        await asyncio.sleep(0)

    assert (looking.cancelled(), at.asked()) == (True, [])


@in_virtual_time
async def test_a_kind_is_watched_in_each_namespace_where_we_may_look():
    async with desk(WEB, owner(f"{SET}", "far", namespace="b"), namespaces=["ns", "b"]) as at:
        found = [await at.look(), await at.look(name="far", namespace="b")]

        assert (found, at.asked()) == (["uid-web", "uid-far"], ["watch replicasets"] * 2)


@in_virtual_time
async def test_a_kind_without_namespaces_is_watched_once():
    node = owner("v1 Node", "n", namespace="")
    async with desk(node, namespaces=["ns", "b"]) as at:
        assert await at.look(Kind("v1", "Node"), "n") == "uid-n"
        assert at.asked() == []
        assert [one.path for one in at.sandbox.asked if "watch" in dict(one.query)] == ["/api/v1/nodes"]


@in_virtual_time
async def test_what_a_list_does_not_show_is_proven_by_a_get_before_it_is_missing():
    async with desk(WEB) as at:
        assert await at.look(name="gone", uid="uid-gone") is Ending.MISSING
        assert at.asked() == ["watch replicasets", "get gone"]


@in_virtual_time
async def test_an_answer_that_was_under_way_when_there_was_reason_to_doubt_it_proves_nothing():
    async with desk() as at:
        await at.kinds.open(SET)
        at.sandbox.refuse = lambda _: at.scene.store.table(SET).doubt(("ns", "web"))

        assert await at.look() is Ending.UNSEEN


@in_virtual_time
async def test_so_is_an_object_that_lives_another_life():
    async with desk(WEB) as at:
        assert await at.look(uid="uid-before") is Ending.OTHER_UID
        assert at.asked() == ["watch replicasets", "get web"]


@in_virtual_time
async def test_what_the_watch_brings_within_a_moment_is_not_asked_for():
    async with desk() as at:
        await at.kinds.open(SET)
        looking = asyncio.create_task(at.look())
        await asyncio.sleep(0.3)
        at.sandbox.store.load(WEB)

        assert await looking == "uid-web"
        assert at.asked() == ["watch replicasets"]


@in_virtual_time
async def test_what_may_be_got_but_not_listed_is_read_one_by_one():
    async with desk(WEB, denied=only_get(SET)) as at:
        found = [await at.look(), await at.look(name="gone")]

        assert found == ["uid-web", Ending.MISSING]
        assert [one for one in at.asked() if one.startswith("get")] == ["get web", "get gone"]
        assert at.scene.store.table(SET).state is State.READ_ONE_BY_ONE


@in_virtual_time
async def test_what_may_not_be_read_at_all_is_forbidden_and_asked_for_once():
    async with desk(WEB, denied=nothing(SET)) as at:
        found = [await at.look(), await at.look(name="other"), await at.look()]

        assert found == [Ending.FORBIDDEN] * 3
        assert [one for one in at.asked() if one.startswith("get")] == ["get web"]


@in_virtual_time
async def test_what_is_listed_but_not_to_be_got_is_missing_when_the_list_does_not_show_it():
    async with desk(WEB, denied=[("get", SET)]) as at:
        assert [await at.look(), await at.look(name="gone")] == ["uid-web", Ending.MISSING]


@in_virtual_time
async def test_a_kind_that_is_not_served_is_unknown():
    async with desk() as at:
        assert await at.look(WIDGET, "w") is Ending.UNKNOWN_KIND
        assert at.asked() == []


@in_virtual_time
async def test_pods_are_never_listed_for_the_sake_of_one():
    async with desk() as at:
        assert await at.look(POD, "p") == "uid-p"
        assert at.asked() == ["get p"]


def unreachable_sets(request):
    return NOT_NOW if request.path.endswith("/replicasets") else None


@in_virtual_time
async def test_a_list_that_takes_too_long_is_told_to_whoever_waits():
    async with desk(WEB) as at:
        at.sandbox.refuse = unreachable_sets
        with pytest.raises(Unavailable):
            await at.look()

        assert at.scene.store.table(SET).state is State.UNKNOWN
        at.sandbox.refuse = lambda _: None
        await asyncio.sleep(30)
        assert await at.look() == "uid-web"


@in_virtual_time
async def test_who_gives_up_does_not_end_it_for_others():
    async with desk(WEB) as at:
        hasty, patient = (asyncio.create_task(at.look()) for _ in range(2))
        await asyncio.sleep(0)
        hasty.cancel()

        assert await patient == "uid-web"
        assert hasty.cancelled()


@in_virtual_time
async def test_a_kind_that_is_installed_later_is_picked_up_when_somebody_waits_for_it():
    async with desk(unserved=[WIDGET]) as at:
        at.tasks.create_task(at.kinds.keep_trying())
        await at.look(WIDGET, "w")
        at.needs((WIDGET, "ns", "w"))
        await asyncio.sleep(40)
        at.sandbox.store.catalog.add(found_in_file(WIDGET, namespaced=True))
        at.sandbox.store.load(owner(f"{WIDGET}", "w"))
        before = at.scene.woken()
        await asyncio.sleep(20)

        assert (before, at.scene.woken()) == ([], ["family of uid-p"])
        assert await at.look(WIDGET, "w") == "uid-w"


@in_virtual_time
async def test_a_kind_that_is_not_served_and_that_nobody_waits_for_is_forgotten():
    async with desk(unserved=[WIDGET]) as at:
        at.tasks.create_task(at.kinds.keep_trying())
        await at.look(WIDGET, "w")
        before = [table.kind for table in at.scene.store.tables()]
        await asyncio.sleep(20)

        assert WIDGET in before
        assert WIDGET not in [table.kind for table in at.scene.store.tables()]


@in_virtual_time
async def test_what_is_read_one_by_one_is_read_again_each_minute_while_somebody_needs_it():
    async with desk(WEB, owner(f"{SET}", "old"), denied=only_get(SET)) as at:
        at.tasks.create_task(at.kinds.keep_trying())
        await at.look()
        await at.look(name="old")
        at.needs((SET, "ns", "web"))
        at.sandbox.store.load(owner(f"{SET}", "web", labels={"team": "a"}))
        at.scene.woken()
        await asyncio.sleep(65)

        assert at.scene.woken() == ["family of uid-p"]
        assert at.scene.store.table(SET).spots() == (("ns", "web"),)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("web", "uid-web", id="an object that is there"),
        pytest.param("gone", Ending.MISSING, id="one that is not"),
    ],
)
@in_virtual_time
async def test_a_right_that_is_given_later_is_noticed_within_a_minute(name, expected):
    async with desk(WEB, denied=nothing(SET)) as at:
        at.tasks.create_task(at.kinds.keep_trying())
        await at.look(name=name)
        at.needs((SET, "ns", name))
        at.sandbox.api.denied.clear()
        at.scene.woken()
        await asyncio.sleep(65)

        assert at.scene.woken() == ["family of uid-p"]
        assert await at.look(name=name) == expected


@pytest.mark.parametrize(
    "denied",
    [
        pytest.param([], id="all of it is listed"),
        pytest.param(only_get(SET), id="it may only be got"),
        pytest.param(nothing(SET), id="it may not be read"),
    ],
)
@in_virtual_time
async def test_whoever_looked_before_anything_was_known_of_a_kind_is_woken_when_something_is(denied):
    async with desk(denied=denied) as at:
        at.needs((SET, "ns", "other"))
        await at.kinds.open(SET)

        assert at.scene.woken() == ["family of uid-p"]


@in_virtual_time
async def test_a_right_that_turns_out_to_be_lacking_wakes_whoever_looked():
    async with desk(WEB, denied=nothing(SET)) as at:
        await at.kinds.open(SET)
        at.needs((SET, "ns", "other"))
        at.scene.woken()
        await at.look()

        assert at.scene.woken() == ["family of uid-p"]


@in_virtual_time
async def test_the_end_of_what_is_read_one_by_one_is_noticed_within_a_minute():
    async with desk(WEB, denied=only_get(SET)) as at:
        at.tasks.create_task(at.kinds.keep_trying())
        await at.look()
        at.needs((SET, "ns", "web"))
        at.sandbox.store.delete(Ref(SET, "ns", "web"))
        at.scene.woken()
        await asyncio.sleep(65)

        assert at.scene.woken() == ["family of uid-p"]
        assert await at.look(uid="uid-web") is Ending.MISSING


async def an_hour_without_rights(at):
    """Withdrawn, noticed when the watch is renewed, and given back."""
    at.sandbox.api.denied |= set(nothing(SET))
    await asyncio.sleep(1800)
    at.sandbox.api.denied -= set(nothing(SET))
    await asyncio.sleep(1800)


@in_virtual_time
async def test_a_kind_is_listed_again_when_a_right_that_was_withdrawn_comes_back():
    async with desk(WEB) as at:
        table = await at.kinds.open(SET)

        await an_hour_without_rights(at)

        assert table.state is State.LISTED
