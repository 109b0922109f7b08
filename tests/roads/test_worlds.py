"""Any small world, in any order of events: the end is the one that quiet and order lead to."""

import asyncio
from collections.abc import Iterable, Iterator
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podgrouper import planning
from podgrouper.core.fields import annotations, being_deleted, labels, mapping, ref_of, text
from podgrouper.core.model import POD, Json, Kind, Ref
from tests.golden.running import GROUP_KINDS, LINKS, PARTS
from tests.roads import virtual_time
from tests.roads.disorder import QUIET_SECONDS, Disorder, DisorderlyTransport
from tests.roads.sandboxed import Sandbox, custom_owners
from tests.roads.worlds import THEIRS, Step, World, worlds

SERVERS = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields")
EXAMPLES = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
disorders = st.builds(Disorder, st.integers(0, 2**32), st.lists(st.integers(1, 12), max_size=2).map(tuple))


def without_servers_fields(obj: Json) -> Json:
    metadata = {key: value for key, value in mapping(obj, "metadata").items() if key not in SERVERS}
    return {**obj, "metadata": metadata}


def groups(sandbox: Sandbox, world: World) -> dict[str, Json]:
    return {
        ref_of(group).name: without_servers_fields(group)
        for group in sandbox.store.list(GROUP_KINDS[world.profile])
    }


def lasting_groups(sandbox: Sandbox, world: World) -> dict[str, Json]:
    """Without those of pods that have gone: such a group stays until its owner goes."""
    left = needless(sandbox, world)
    return {name: group for name, group in groups(sandbox, world).items() if name not in left}


def links(sandbox: Sandbox, world: World) -> dict[str, tuple[str | None, str | None]]:
    """Pod -> its group, and its part of it."""
    group, part = LINKS[world.profile], PARTS[world.profile]
    return {
        ref_of(pod).name: (annotations(pod).get(group), labels(pod).get(part))
        for pod in sandbox.store.list(POD)
    }


def in_order(world: World) -> Sandbox:
    """Everything is there, a controller comes, and nothing disturbs it."""
    sandbox = Sandbox(world.objects)

    async def quietly() -> None:
        async with sandbox.controller(world.config):
            await sandbox.quiet()

    virtual_time.run(quietly())
    return sandbox


def in_disorder(world: World, disorder: Disorder) -> Sandbox:
    """The same objects come while controllers live and die."""
    luck = Random(disorder.seed)
    sandbox = Sandbox(world.ground)
    sandbox.serve(custom_owners(world.objects))

    async def lives() -> None:
        arriving = asyncio.create_task(arrive(sandbox, world, luck))
        for writes in (*disorder.crashes, None):
            transport = DisorderlyTransport(sandbox.api, luck, writes)
            async with sandbox.controller(world.config, transport):
                await ended(sandbox, transport, arriving)

    virtual_time.run(lives())
    return sandbox


async def arrive(sandbox: Sandbox, world: World, luck: Random) -> None:
    """The stories of a world at once, each in its order."""
    for step in merged(world.stories, luck):
        if isinstance(step, Ref):
            sandbox.store.delete(step, grace=0)
        else:
            sandbox.store.load(step)
        await asyncio.sleep(luck.choice((0.0, 0.0, 0.1, 1.0, 5.0)))


def merged(stories: Iterable[Iterable[Step]], luck: Random) -> Iterator[Step]:
    waiting = [list(story) for story in stories if story]
    while waiting:
        story = luck.choice(waiting)
        yield story.pop(0)
        waiting = [one for one in waiting if one]


async def ended(sandbox: Sandbox, transport: DisorderlyTransport, arriving: asyncio.Task[None]) -> None:
    """Either the controller is dead, or all is there and nobody has written for long."""

    async def quiet() -> None:
        await asyncio.wait((arriving,))
        arriving.result()
        await sandbox.quiet(QUIET_SECONDS)

    waits = [asyncio.create_task(quiet()), asyncio.create_task(transport.dead.wait())]
    done, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    for task in done:
        task.result()


def written_by_another_life(sandbox: Sandbox, world: World) -> list[str]:
    """What a controller that starts now, undisturbed, finds to write."""
    before = len(sandbox.writes())

    async def once_more() -> None:
        async with sandbox.controller(world.config):
            await sandbox.quiet()

    virtual_time.run(once_more())
    return [request.asked for request in sandbox.writes()[before:]]


def unplaced(sandbox: Sandbox, world: World) -> list[str]:
    """Live pods that name no group which exists, and that nobody says a word about."""
    plan = planning.plan([obj for _, obj in sandbox.store.everything()], world.config)
    told = {entry.pod.uid for entry in plan.skipped}
    there = {(ref_of(group).namespace, ref_of(group).name) for group in plan.pod_groups}
    pods = [pod for pod in sandbox.store.list(POD) if is_live(pod) and ref_of(pod).uid not in told]
    named = {ref_of(pod): (ref_of(pod).namespace, annotations(pod).get(LINKS[world.profile])) for pod in pods}
    return [str(ref) for ref, group in named.items() if group not in there]


def is_live(pod: Json) -> bool:
    return text(pod, "status.phase") not in ("Succeeded", "Failed") and not being_deleted(pod)


def needless(sandbox: Sandbox, world: World) -> list[str]:
    """PodGroups that we made and no pod names."""
    before = {ref_of(obj).name for obj in world.objects}
    named = {name for name, _ in links(sandbox, world).values()}
    return [name for name in groups(sandbox, world) if name not in named | before]


def touched(sandbox: Sandbox, world: World) -> list[str]:
    """Objects that are not what they were, apart from the links of pods and from groups of ours."""
    fresh = Sandbox(world.objects)
    pairs = [(obj, sandbox.store.find(*_place(obj))) for _, obj in fresh.store.everything()]
    return [
        str(ref_of(was))
        for was, now in pairs
        if not (now is None and is_ours(was))
        and without_link(now or {}, world.profile) != without_link(was, world.profile)
    ]


def is_ours(group: Json) -> bool:
    return ref_of(group).name.startswith("podgroup-")


def _place(obj: Json) -> tuple[Kind, str, str]:
    ref = ref_of(obj)
    return ref.kind, ref.namespace, ref.name


def without_link(obj: Json, profile: str) -> Json:
    keys = {LINKS[profile], PARTS[profile]}
    plain = without_servers_fields(obj)
    parts = {part: _without(mapping(plain, "metadata"), part, keys) for part in ("annotations", "labels")}
    return {**plain, "metadata": {**mapping(plain, "metadata"), **parts}}


def _without(metadata: Json, part: str, keys: set[str]) -> Json:
    """A link that leads somewhere is somebody's choice and counts."""
    values = mapping(metadata, part).items()
    return {key: value for key, value in values if key not in keys or value == THEIRS}


@pytest.mark.parametrize("profile", ["volcano", "kai"])
@EXAMPLES
@given(st.data(), disorders)
def test_whatever_the_order_of_events_the_same_world_comes_out_and_then_it_is_quiet(profile, data, disorder):
    world = data.draw(worlds(profile))

    wanted, found = in_order(world), in_disorder(world, disorder)

    assert lasting_groups(found, world) == lasting_groups(wanted, world)
    assert links(found, world) == links(wanted, world)
    assert written_by_another_life(found, world) == []


@pytest.mark.parametrize("profile", ["volcano", "kai"])
@EXAMPLES
@given(st.data())
def test_every_live_pod_has_a_group_or_a_reason_and_nothing_else_is_touched(profile, data):
    world = data.draw(worlds(profile))

    sandbox = in_order(world)

    assert unplaced(sandbox, world) == []
    assert needless(sandbox, world) == []
    assert touched(sandbox, world) == []
