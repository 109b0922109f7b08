"""Our client's verbs and discovery against a real API server."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from podgrouper.core.fields import items, kind_of, ref_of, text
from podgrouper.core.model import Kind, Ref
from podgrouper.kube import requests
from podgrouper.kube.access.cluster import Token
from podgrouper.kube.client import Client
from podgrouper.kube.errors import (
    AlreadyExists,
    Conflict,
    Forbidden,
    Invalid,
    NotAcceptable,
    NotFound,
    Unauthorized,
    Unavailable,
    UnknownKind,
)
from podgrouper.kube.requests import WatchSpec
from podgrouper.kube.transport import AiohttpTransport
from tests.cluster.control_plane import ControlPlane
from tests.kube.patience import raises, succeeds

CONFIG_MAP = Kind("v1", "ConfigMap")
WIDGET = Kind("shop.example/v1", "Widget")
GADGET = Kind("broken.example/v1", "Gadget")


def config_map(name: str, **data: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def widget(name: str) -> dict[str, object]:
    return {"apiVersion": "shop.example/v1", "kind": "Widget", "metadata": {"name": name}}


POD_OF_TWO = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "two"},
    "spec": {"containers": [{"name": "main", "image": "first"}, {"name": "side", "image": "first"}]},
}
WIDGETS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.shop.example"},
    "spec": {
        "group": "shop.example",
        "names": {"kind": "Widget", "plural": "widgets"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                },
            }
        ],
    },
}
BROKEN = {
    "apiVersion": "apiregistration.k8s.io/v1",
    "kind": "APIService",
    "metadata": {"name": "v1.broken.example"},
    "spec": {
        "group": "broken.example",
        "version": "v1",
        "service": {"name": "nobody", "namespace": "default"},
        "insecureSkipTLSVerify": True,
        "groupPriorityMinimum": 100,
        "versionPriority": 100,
    },
}


@pytest.fixture
async def client(plane: ControlPlane) -> AsyncIterator[Client]:
    client = Client(AiohttpTransport(plane.cluster()), ask_again_seconds=0.1)
    yield client
    await client.close()


@pytest.fixture
def widgets(plane: ControlPlane) -> Iterator[None]:
    """A kind of our own is served as long as the test lasts."""
    with widgets_served(plane):
        yield


@contextmanager
def widgets_served(plane: ControlPlane) -> Iterator[None]:
    plane.apply([WIDGETS])
    yield
    plane.api.delete(kind_of(WIDGETS), "", WIDGETS["metadata"]["name"])


async def test_what_is_created_can_be_read_changed_and_deleted(client, namespace):
    made = await client.create(CONFIG_MAP, namespace, config_map("a", x="1"))
    ref = ref_of(made)

    changed = await client.merge_patch(ref, {"metadata": {"uid": ref.uid}, "data": {"x": "2"}})

    assert changed["data"] == {"x": "2"}
    assert await client.get(CONFIG_MAP, namespace, "a") == changed
    await client.delete(ref, version=text(changed, "metadata.resourceVersion"))
    with pytest.raises(NotFound, match='"a" not found'):
        await client.get(CONFIG_MAP, namespace, "a")


async def test_metadata_alone_comes_under_the_name_of_its_kind(client, namespace):
    await client.create(CONFIG_MAP, namespace, config_map("a", x="1"))

    found = await client.get(CONFIG_MAP, namespace, "a", metadata_only=True)

    assert (kind_of(found), found.get("data")) == (CONFIG_MAP, None)


async def test_a_name_that_is_taken_is_no_conflict(client, namespace):
    await client.create(CONFIG_MAP, namespace, config_map("a"))

    with pytest.raises(AlreadyExists):
        await client.create(CONFIG_MAP, namespace, config_map("a"))


async def test_a_patch_never_touches_a_later_namesake(client, namespace):
    await client.create(CONFIG_MAP, namespace, config_map("a"))
    other = Ref(CONFIG_MAP, namespace, "a", "00000000-0000-0000-0000-000000000000")

    with pytest.raises(Invalid) as patched:
        await client.merge_patch(other, {"metadata": {"uid": other.uid}, "data": {"x": "2"}})
    with pytest.raises(Conflict) as deleted:
        await client.delete(other)

    assert (patched.value.wrong_uid, deleted.value.wrong_uid) == (True, True)


async def test_a_patch_of_an_older_version_is_a_conflict(client, namespace):
    made = await client.create(CONFIG_MAP, namespace, config_map("a"))
    version = text(made, "metadata.resourceVersion")
    await client.merge_patch(ref_of(made), {"data": {"x": "1"}})

    with pytest.raises(Conflict) as patched:
        await client.merge_patch(ref_of(made), {"metadata": {"resourceVersion": version}, "data": {"x": "2"}})
    with pytest.raises(Conflict) as deleted:
        await client.delete(ref_of(made), version=version)

    assert (patched.value.wrong_uid, deleted.value.wrong_uid) == (False, False)


async def test_json_patches_are_all_or_none(client, namespace):
    made = await client.create(CONFIG_MAP, namespace, config_map("a", x="1"))
    test, change = (
        {"op": "test", "path": "/data/x", "value": "other"},
        {"op": "add", "path": "/data/y", "value": "2"},
    )

    with pytest.raises(Conflict):
        await client.json_patch(ref_of(made), [test, change])
    changed = await client.json_patch(ref_of(made), [{**test, "value": "1"}, change])

    assert changed["data"] == {"x": "1", "y": "2"}


async def test_a_json_patch_that_makes_an_object_invalid_is_no_conflict(client, namespace):
    made = await client.create(CONFIG_MAP, namespace, config_map("a"))
    bad_key = {"op": "add", "path": "/metadata/labels", "value": {"not a key": "x"}}

    with pytest.raises(Invalid, match="not a key"):
        await client.json_patch(ref_of(made), [bad_key])


async def test_strategic_patches_merge_lists_of_built_in_kinds_only(client, widgets, namespace):
    pod = await client.create(Kind("v1", "Pod"), namespace, POD_OF_TWO)
    image = {"containers": [{"name": "main", "image": "later"}]}
    patched = await client.strategic_patch(ref_of(pod), {"spec": image})
    made = await client.create(WIDGET, namespace, widget("a"))

    with pytest.raises(NotAcceptable):
        await client.strategic_patch(ref_of(made), {"spec": {}})

    assert [(c["name"], c["image"]) for c in items(patched, "spec.containers")] == [
        ("main", "later"),
        ("side", "first"),
    ]


async def test_every_page_of_a_list_is_read(client, namespace):
    await asyncio.gather(
        *(client.create(CONFIG_MAP, namespace, config_map(f"m{n:04}")) for n in range(requests.PAGE + 20))
    )

    found = await client.list(WatchSpec(CONFIG_MAP, namespace))

    assert {kind_of(obj) for obj in found} == {CONFIG_MAP}
    assert len({text(obj, "metadata.name") for obj in found}) == requests.PAGE + 20


async def test_somebody_without_rights_is_forbidden(plane, namespace):
    client = Client(AiohttpTransport(plane.cluster(plane.fresh_user())))

    with pytest.raises(Forbidden, match="configmaps"):
        await client.get(CONFIG_MAP, namespace, "a")
    await client.close()


async def test_a_wrong_token_is_nobody(plane, namespace):
    client = Client(AiohttpTransport(replace(plane.cluster(), identity=Token("wrong"))))

    with pytest.raises(Unauthorized):
        await client.get(CONFIG_MAP, namespace, "a")
    await client.close()


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(Kind("v1", "Nonesuch"), id="no such kind in the core group"),
        pytest.param(Kind("apps/v1", "Nonesuch"), id="no such kind in a group"),
        pytest.param(Kind("nowhere.example/v1", "Deployment"), id="no such group"),
        pytest.param(Kind("../../version", "x"), id="no group at all"),
        pytest.param(Kind("", ""), id="nothing"),
        pytest.param(Kind("a/b/c", "D"), id="too many parts"),
    ],
)
async def test_a_kind_that_is_not_served_is_unknown(client, kind):
    with pytest.raises(UnknownKind):
        await client.resource(kind)


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        pytest.param(Kind("v1", "Pod"), "/api/v1/namespaces/x/pods/y", id="core"),
        pytest.param(Kind("apps/v1", "Deployment"), "/apis/apps/v1/namespaces/x/deployments/y", id="group"),
        pytest.param(Kind("v1", "Node"), "/api/v1/nodes/y", id="cluster-scoped"),
        pytest.param(
            Kind("apps/v1beta1", "Deployment"), "/apis/apps/v1/namespaces/x/deployments/y", id="old version"
        ),
    ],
)
async def test_a_kind_is_served_under_its_path(client, kind, path):
    assert (await client.resource(kind)).path("x", "y") == path


async def test_a_kind_that_comes_later_is_found(client, plane, namespace):
    with pytest.raises(UnknownKind):
        await client.resource(WIDGET)

    with widgets_served(plane):
        await succeeds(lambda: client.create(WIDGET, namespace, widget("late")), despite=UnknownKind)
        found = await client.get(WIDGET, namespace, "late")

    assert kind_of(found) == WIDGET


async def test_a_kind_that_goes_is_forgotten(client, plane, namespace):
    with widgets_served(plane):
        await client.list(WatchSpec(WIDGET))

    with pytest.raises(UnknownKind):
        await raises(lambda: client.get(WIDGET, namespace, "a"), instead_of=NotFound)


async def test_a_broken_api_service_harms_only_its_own_group(client, plane):
    plane.apply([BROKEN])

    with pytest.raises(Unavailable, match=r"broken\.example/v1"):
        await raises(lambda: client.resource(GADGET), instead_of=UnknownKind)
    assert (await client.resource(Kind("apps/v1", "Deployment"))).plural == "deployments"
    plane.api.delete(kind_of(BROKEN), "", BROKEN["metadata"]["name"])
