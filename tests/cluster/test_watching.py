"""Watches on a real API server: nothing is lost, whatever happens to them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypedDict

import pytest

from podgrouper.core.fields import kind_of, labels, ref_of
from podgrouper.core.model import Kind
from podgrouper.kube import requests
from podgrouper.kube.client import Client
from podgrouper.kube.errors import Forbidden
from podgrouper.kube.requests import WatchSpec
from podgrouper.kube.transport import AiohttpTransport
from podgrouper.kube.watcher import watch
from podgrouper.kube.watching import Watching
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import Planes
from tests.cluster.servers import Options
from tests.cluster.waiting import eventually_async
from tests.kube.mirrors import Mirror

CONFIG_MAP = Kind("v1", "ConfigMap")
Follow = Callable[..., AbstractContextManager[Mirror]]


class NameAndVersion(TypedDict, total=False):
    name: str
    resourceVersion: str


class Narrow(TypedDict, total=False):
    metadata: NameAndVersion


def config_map(name: str, **marks: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": marks}}


@pytest.fixture
async def client(plane: ControlPlane) -> AsyncIterator[Client]:
    client = Client(AiohttpTransport(plane.cluster()))
    yield client
    await client.close()


@contextmanager
def following(client: Client, spec: WatchSpec, shape: type[object] = dict) -> Iterator[Mirror]:
    """What `spec` selects, as it is seen by a watch that lasts as long as the block."""
    mirror = Mirror()
    task = asyncio.ensure_future(watch(client, spec, mirror.take, shape=shape))
    try:
        yield mirror
    finally:
        task.cancel()


async def test_a_watch_sees_what_there_is_and_what_happens(client, namespace):
    await client.create(CONFIG_MAP, namespace, config_map("before"))

    with following(client, WatchSpec(CONFIG_MAP, namespace)) as mirror:
        await eventually_async(lambda: mirror.synced)
        before = mirror.names
        made = await client.create(CONFIG_MAP, namespace, config_map("after"))
        await eventually_async(lambda: "after" in mirror.rows)
        await client.merge_patch(ref_of(made), {"metadata": {"labels": {"seen": "yes"}}})
        await eventually_async(lambda: labels(mirror.rows["after"]).get("seen"))
        await client.delete(ref_of(made))
        await eventually_async(lambda: "after" not in mirror.rows)

    assert before == ["before"]
    assert mirror.story == ["Restarted", "Put", "Synced", "Put", "Put", "Removed"]


async def test_a_watch_lists_by_itself_in_one_request(plane, namespace):
    user = plane.fresh_user()
    plane.allow(user, [reader_of("configmaps")])
    client = Client(AiohttpTransport(plane.cluster(user)))

    with following(client, WatchSpec(CONFIG_MAP, namespace)) as mirror:
        await eventually_async(lambda: mirror.synced)
    await client.close()

    await eventually_async(
        lambda: [event.verb for event in plane.audit(user) if event.resource == "configmaps"],
        lambda verbs: verbs == ["watch"],
    )


@pytest.mark.parametrize("metadata_only", [False, True])
async def test_objects_come_with_their_kind(client, namespace, metadata_only):
    await client.create(CONFIG_MAP, namespace, config_map("a"))

    with following(client, WatchSpec(CONFIG_MAP, namespace, metadata_only=metadata_only)) as mirror:
        await eventually_async(lambda: "a" in mirror.rows)

    assert kind_of(mirror.rows["a"]) == CONFIG_MAP


async def test_a_shape_that_leaves_out_annotations_is_synced_nevertheless(client, namespace):
    await client.create(CONFIG_MAP, namespace, config_map("a", x="1"))

    with following(client, WatchSpec(CONFIG_MAP, namespace), Narrow) as mirror:
        await eventually_async(lambda: mirror.synced)

    assert set(mirror.rows["a"]["metadata"]) == {"name", "resourceVersion"}


async def test_leaving_the_selection_is_a_removal(client, namespace):
    made = await client.create(CONFIG_MAP, namespace, config_map("a", team="red"))

    with following(client, WatchSpec(CONFIG_MAP, namespace, label_selector="team=red")) as mirror:
        await eventually_async(lambda: mirror.names == ["a"])
        await client.merge_patch(ref_of(made), {"metadata": {"labels": {"team": "blue"}}})
        await eventually_async(lambda: mirror.names == [])

    assert mirror.story[-1] == "Removed"


async def test_without_watch_list_it_lists_page_by_page(planes: Planes):
    plane = planes(Options(feature_gates=("WatchList=false",)))
    client = Client(AiohttpTransport(plane.cluster()))
    with plane.namespace() as namespace:
        await asyncio.gather(
            *(client.create(CONFIG_MAP, namespace, config_map(f"m{n:04}")) for n in range(requests.PAGE + 20))
        )

        with following(client, WatchSpec(CONFIG_MAP, namespace)) as mirror:
            await eventually_async(lambda: mirror.synced)
            listed = len(mirror.rows)
            await client.create(CONFIG_MAP, namespace, config_map("later"))
            await eventually_async(lambda: "later" in mirror.rows)
    await client.close()

    assert (listed, mirror.errors) == (requests.PAGE + 20, [])
    assert kind_of(mirror.rows["m0000"]) == CONFIG_MAP


async def test_nothing_is_missed_while_the_api_server_is_away(client, plane, namespace):
    await client.create(CONFIG_MAP, namespace, config_map("stays"))
    gone = await client.create(CONFIG_MAP, namespace, config_map("goes"))

    with following(client, WatchSpec(CONFIG_MAP, namespace)) as mirror:
        await eventually_async(lambda: mirror.names == ["goes", "stays"])
        plane.kill_api_server()
        plane.start_api_server()
        await client.delete(ref_of(gone))
        await client.create(CONFIG_MAP, namespace, config_map("comes"))
        await eventually_async(lambda: mirror.names == ["comes", "stays"], within=30)


async def test_a_version_that_is_too_old_leads_to_a_listing(client, plane, namespace):
    plane.kill_api_server()
    plane.start_api_server()  # whose memory of events begins now
    await client.create(CONFIG_MAP, namespace, config_map("a"))
    machine = Watching(WatchSpec(CONFIG_MAP, namespace), random=lambda: 0.5, version="1")
    mirror = Mirror()
    resource = await client.resource(CONFIG_MAP)

    async with client.stream(machine.ask(resource).request) as stream:
        mirror.take(machine.opened(0.0))
        async for chunk in stream:
            mirror.take(machine.chunk(chunk, 0.0))

    assert (mirror.story, machine.pause()) == ([], 0.0)
    assert ("sendInitialEvents", "true") in machine.ask(resource).request.query


async def test_a_watch_that_is_forbidden_says_so_once_and_goes_on_when_it_is_allowed(plane, namespace):
    user = plane.fresh_user()
    client = Client(AiohttpTransport(plane.cluster(user)))

    with following(client, WatchSpec(CONFIG_MAP, namespace)) as mirror:
        await eventually_async(lambda: mirror.errors)
        plane.allow(user, [reader_of("configmaps")])
        await eventually_async(lambda: mirror.synced, within=20)
    await client.close()

    assert mirror.story == ["Failing", "Recovered", "Restarted", "Synced"]
    assert isinstance(mirror.errors[0], Forbidden)


def reader_of(resource: str) -> dict[str, object]:
    rule = {"apiGroups": [""], "resources": [resource], "verbs": ["get", "list", "watch"]}
    return {"kind": "ClusterRole", "rules": [rule]}
