"""Which kinds are served: negotiated versions, kinds that come later, and groups whose server is broken."""

import asyncio
import json

import pytest

from podgrouper.core.model import Kind
from podgrouper.kube.discovery import ACCEPT, Discovery
from podgrouper.kube.errors import ApiError, Unavailable, UnknownKind, error_of, unreachable
from podgrouper.kube.requests import JSON
from podgrouper.kube.transport import Answer

DEPLOYMENT, POD = Kind("apps/v1", "Deployment"), Kind("v1", "Pod")
METRICS = Kind("metrics.k8s.io/v1beta1", "NodeMetrics")
WIDGET = Kind("shop.example/v1", "Widget")


def served(plural, kind, *, scope="Namespaced", verbs=("get", "list"), **names):
    return {"resource": plural, "responseKind": {"kind": kind}, "scope": scope, "verbs": list(verbs), **names}


def group(name, **versions):
    listed = [{"version": version, "resources": resources} for version, resources in versions.items()]
    return {"metadata": {"name": name} if name else {}, "versions": listed}


def aggregated(*groups):
    return {"kind": "APIGroupDiscoveryList", "items": list(groups)}


def classic(*resources):
    return {"kind": "APIResourceList", "resources": list(resources)}


def classic_group(name, *versions):
    return {"kind": "APIGroup", "name": name, "versions": [{"groupVersion": f"{name}/{v}"} for v in versions]}


PODS = served("pods", "Pod", singularResource="pod", shortNames=["po"])
BINDINGS = served("bindings", "Pod", verbs=("create",))
NODES = served("nodes", "Node", scope="Cluster")
DEPLOYMENTS = served("deployments", "Deployment", singularResource="deployment", shortNames=["deploy"])
CORE = aggregated(group("", v1=[BINDINGS, PODS, NODES]))
MODERN = {"/api": CORE, "/apis": aggregated(group("apps", v1=[DEPLOYMENTS]))}
OLD = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "groups": [classic_group("apps", "v1")]},
    "/api/v1": classic({"name": "pods", "kind": "Pod", "namespaced": True, "verbs": ["get"]}),
    "/apis/apps/v1": classic(
        {"name": "deployments", "kind": "Deployment", "namespaced": True, "verbs": ["get"]},
        {"name": "deployments/scale", "kind": "Scale", "namespaced": True, "verbs": ["get"]},
    ),
}
WIDGETS = classic({"name": "widgets", "kind": "Widget", "namespaced": True, "verbs": ["get"]})


class Server:
    """Serves documents by path, and is asked how late it is."""

    def __init__(self, documents, failing=None):
        self.documents = dict(documents)
        self.failing = failing or {}
        self.asked = []
        self.time = 0.0
        self.discovery = Discovery(self.send, ask_again_seconds=5.0, now=lambda: self.time)

    async def send(self, request):
        self.asked.append(request.path)
        await asyncio.sleep(0)
        if request.path in self.failing:
            raise self.failing[request.path]
        if request.path not in self.documents:
            raise error_of(404, {}, b"404 page not found", request.asked)
        return Answer(200, {}, json.dumps(self.documents[request.path]).encode())

    async def path(self, kind):
        return (await self.discovery.resource(kind)).path("ns")

    async def refusal(self, kind):
        with pytest.raises(ApiError) as caught:
            await self.discovery.resource(kind)
        return type(caught.value)


def broken(status=503):
    return error_of(status, {}, b"{}", "GET")


@pytest.mark.parametrize("documents", [MODERN, OLD], ids=["aggregated", "classic"])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        pytest.param(POD, "/api/v1/namespaces/ns/pods", id="of the core group"),
        pytest.param(DEPLOYMENT, "/apis/apps/v1/namespaces/ns/deployments", id="of another group"),
    ],
)
async def test_a_kind_has_its_path(documents, kind, expected):
    assert await Server(documents).path(kind) == expected


async def test_a_kind_without_namespaces_has_its_path():
    assert await Server(MODERN).path(Kind("v1", "Node")) == "/api/v1/nodes"


async def test_everything_is_asked_for_once_however_many_want_to_know():
    server = Server(MODERN)
    await asyncio.gather(*(server.path(kind) for kind in [POD, DEPLOYMENT] * 20))

    assert server.asked == ["/api", "/apis"]


async def test_a_version_that_is_not_served_any_more_is_found_under_the_preferred_one():
    documents = {"/api": CORE, "/apis": aggregated(group("apps", v2=[DEPLOYMENTS], v1=[DEPLOYMENTS]))}

    assert await Server(documents).path(Kind("apps/v1beta1", "Deployment")) == (
        "/apis/apps/v2/namespaces/ns/deployments"
    )
    assert await Server(documents).path(DEPLOYMENT) == "/apis/apps/v1/namespaces/ns/deployments"


async def test_on_an_old_server_too():
    documents = OLD | {"/apis/apps": classic_group("apps", "v1")}

    assert await Server(documents).path(Kind("apps/v1beta1", "Deployment")) == (
        "/apis/apps/v1/namespaces/ns/deployments"
    )


async def test_a_kind_that_is_installed_later_is_found_after_some_seconds():
    server = Server(MODERN)
    before = await server.refusal(WIDGET)
    server.documents["/apis/shop.example/v1"] = WIDGETS
    server.time = 4.9
    still = await server.refusal(WIDGET)
    server.time = 5.0

    assert (before, still) == (UnknownKind, UnknownKind)
    assert await server.path(WIDGET) == "/apis/shop.example/v1/namespaces/ns/widgets"


async def test_what_is_missing_is_not_asked_for_by_each_who_wants_it():
    server = Server(MODERN)
    await asyncio.gather(*(server.refusal(WIDGET) for _ in range(20)))

    assert server.asked == ["/api", "/apis", "/apis/shop.example/v1", "/apis/shop.example"]


@pytest.mark.parametrize("status", [500, 503])
async def test_a_group_whose_own_server_is_broken_harms_no_other(status):
    failing = {"/apis/metrics.k8s.io/v1beta1": broken(status)}
    server = Server(MODERN | {"/apis/metrics.k8s.io": classic_group("metrics.k8s.io", "v1beta1")}, failing)

    assert await server.refusal(METRICS) is Unavailable
    assert await server.path(DEPLOYMENT) == "/apis/apps/v1/namespaces/ns/deployments"


async def test_it_is_found_again_when_its_server_is_back():
    server = Server(MODERN, {"/apis/shop.example/v1": broken()})
    await server.refusal(WIDGET)
    server.failing.clear()
    server.documents["/apis/shop.example/v1"] = WIDGETS
    server.time = 5.0

    assert await server.path(WIDGET) == "/apis/shop.example/v1/namespaces/ns/widgets"


async def test_a_server_that_cannot_be_reached_says_nothing_about_kinds():
    away = unreachable("GET /apis", "connection refused", sent=False)
    server = Server(MODERN, {"/apis": away})
    refused = [await server.refusal(POD), await server.refusal(POD)]
    server.failing.clear()
    server.time = 1.0

    assert refused == [Unavailable, Unavailable]
    assert server.asked == ["/api", "/apis"], "for a second nobody asks again"
    assert await server.path(POD) == "/api/v1/namespaces/ns/pods"


async def test_a_version_that_could_not_be_asked_about_is_asked_about_again_at_once():
    away = unreachable("GET /apis/shop.example/v1", "connection refused", sent=False)
    server = Server(MODERN | {"/apis/shop.example/v1": WIDGETS}, {"/apis/shop.example/v1": away})
    await server.refusal(WIDGET)
    server.failing.clear()

    assert await server.path(WIDGET) == "/apis/shop.example/v1/namespaces/ns/widgets"


async def test_a_subresource_is_no_kind():
    assert await Server(OLD).refusal(Kind("apps/v1", "Scale")) is UnknownKind


async def test_a_path_that_turned_out_wrong_is_asked_for_anew():
    server = Server(MODERN)
    await server.path(DEPLOYMENT)
    server.discovery.forget(DEPLOYMENT)
    server.documents["/apis/apps/v1"] = OLD["/apis/apps/v1"]
    await server.path(DEPLOYMENT)

    assert server.asked == ["/api", "/apis", "/apis/apps/v1"]


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        *((version, "Widget") for version in ("", "../v1", "apps/v1/x", "apps /v1", "apps/v1?x", "APPS/V1")),
        *((version, "Widget") for version in ("a%2Fb/v1", "/v1", "a" * 1_000_000)),
        *(("apps/v1", word) for word in ("", "../x", "Wid get", "W" * 64, "x" * 1_000_000, "3D")),
    ],
    ids=lambda word: word[:12],
)
async def test_what_no_server_can_serve_is_not_asked_for(api_version, kind):
    server = Server(MODERN)

    assert await server.refusal(Kind(api_version, kind)) is UnknownKind
    assert server.asked == []


@pytest.mark.parametrize(
    "nonsense",
    [
        pytest.param({"kind": "APIGroupDiscoveryList", "items": [{"versions": [3]}, None]}, id="groups"),
        pytest.param(aggregated(group("apps", v1=[{"resource": 3, "verbs": "get"}])), id="resources"),
        pytest.param({"kind": 3}, id="a whole document"),
    ],
)
async def test_nonsense_about_some_harms_no_other(nonsense):
    server = Server({"/api": CORE, "/apis": nonsense, "/apis/shop.example/v1": WIDGETS})

    assert await server.refusal(DEPLOYMENT) is UnknownKind
    assert await server.path(WIDGET) == "/apis/shop.example/v1/namespaces/ns/widgets"


async def test_an_answer_that_is_no_document_says_nothing_about_kinds():
    assert await Server({"/api": CORE, "/apis": []}).refusal(DEPLOYMENT) is Unavailable


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param("deployments", [DEPLOYMENT], id="plural"),
        pytest.param("Deployment", [DEPLOYMENT], id="kind"),
        pytest.param("deploy", [DEPLOYMENT], id="short"),
        pytest.param("deploy.apps", [DEPLOYMENT], id="with its group"),
        pytest.param("deploy.other", [], id="with another group"),
        pytest.param("po", [POD], id="of the core group"),
        pytest.param("what", [], id="no such word"),
    ],
)
async def test_resources_are_found_by_what_people_call_them(word, expected):
    assert [resource.kind for resource in await Server(MODERN).discovery.called(word)] == expected


def test_the_aggregated_form_is_asked_for_first_and_the_plain_one_will_do():
    first, second, last = ACCEPT.split(",")

    assert ("v=v2;" in first, "v=v2beta1;" in second, last) == (True, True, JSON)
