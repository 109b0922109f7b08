"""What goes over the wire for each verb."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.model import Kind, Ref
from podgrouper.kube import requests
from podgrouper.kube.errors import NotFound
from podgrouper.kube.requests import Request, Resource, WatchSpec

POD = Resource(Kind("v1", "Pod"), "pods", namespaced=True)
NODE = Resource(Kind("v1", "Node"), "nodes", namespaced=False)
GROUP = Resource(Kind("scheduling.volcano.sh/v1beta1", "PodGroup"), "podgroups", namespaced=True)
REF = Ref(GROUP.kind, "ns", "g", "u-1")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param(POD.path("ns", "p"), "/api/v1/namespaces/ns/pods/p", id="an object of the core group"),
        pytest.param(POD.path("ns"), "/api/v1/namespaces/ns/pods", id="a collection"),
        pytest.param(POD.path(), "/api/v1/pods", id="of all namespaces"),
        pytest.param(NODE.path("ns", "n"), "/api/v1/nodes/n", id="cluster-scoped"),
        pytest.param(
            GROUP.path("ns", "g"),
            "/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups/g",
            id="an object of a group",
        ),
        pytest.param(NODE.path("", "system:node"), "/api/v1/nodes/system%3Anode", id="a colon"),
        pytest.param(NODE.path("", "a?b#c d"), "/api/v1/nodes/a%3Fb%23c%20d", id="what would end the path"),
        pytest.param(NODE.path("", "é"), "/api/v1/nodes/%C3%A9", id="beyond ASCII"),
        pytest.param(NODE.path("", "\ud800"), "/api/v1/nodes/%3F", id="no Unicode at all"),
    ],
)
def test_a_resource_is_found_under_its_path(path, expected):
    assert path == expected


@pytest.mark.parametrize("name", ["..", ".", "a/b", "a%2Fb", "%"])
def test_a_name_that_no_object_can_have_is_not_found(name):
    with pytest.raises(NotFound, match="no object can be called"):
        requests.get(POD, "ns", name)


possible = st.text(min_size=1).filter(lambda name: name not in (".", "..") and not {"/", "%"} & set(name))


@given(possible, possible)
def test_no_name_leads_out_of_its_place(namespace, name):
    target = requests.get(POD, namespace, name).target

    assert target.startswith("/api/v1/namespaces/")
    assert (target.count("/"), target.isascii(), "?" in target) == (6, True, False)


@pytest.mark.parametrize(
    ("namespace", "name"), [pytest.param("ns", "", id="no name"), pytest.param("", "p", id="no namespace")]
)
def test_an_object_without_name_or_namespace_is_not_found_instead_of_a_collection(namespace, name):
    with pytest.raises(NotFound, match="needs a namespace and a name"):
        requests.delete(POD, Ref(POD.kind, namespace, name))


def test_the_target_is_path_and_query_as_they_are_sent():
    request = Request("GET", "/a", (("labelSelector", "a in (b,c)"), ("limit", "1")))

    assert request.target == "/a?labelSelector=a%20in%20%28b%2Cc%29&limit=1"


def test_a_page_names_selectors_size_and_place():
    spec = WatchSpec(POD.kind, "ns", label_selector="a=b", field_selector="spec.nodeName=")

    request = requests.list_page(POD, spec, limit=7, continue_token="t=")

    assert request.target == (
        "/api/v1/namespaces/ns/pods?labelSelector=a%3Db&fieldSelector=spec.nodeName%3D&limit=7&continue=t%3D"
    )


def test_a_list_without_a_limit_asks_for_everything():
    assert requests.list_page(POD, WatchSpec(POD.kind), limit=0).target == "/api/v1/pods"


def test_a_watch_from_a_version_asks_for_no_listing():
    query = dict(requests.watch(POD, WatchSpec(POD.kind), version="5", seconds=60).query)

    assert query == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "5",
        "timeoutSeconds": "60",
    }


@pytest.mark.parametrize(
    ("request_", "form"),
    [
        pytest.param(requests.get(POD, "ns", "p", metadata_only=True), "PartialObjectMetadata", id="get"),
        pytest.param(
            requests.list_page(POD, WatchSpec(POD.kind, metadata_only=True)),
            "PartialObjectMetadataList",
            id="list",
        ),
        pytest.param(
            requests.watch(POD, WatchSpec(POD.kind, metadata_only=True)), "PartialObjectMetadata", id="watch"
        ),
    ],
)
def test_metadata_alone_is_asked_for_with_the_plain_form_as_second_choice(request_, form):
    first, second = request_.headers["Accept"].split(",")

    assert (f"as={form};" in first, second) == (True, "application/json")


@pytest.mark.parametrize(
    ("request_", "content_type"),
    [
        pytest.param(requests.create(GROUP, "ns", {}), "application/json", id="create"),
        pytest.param(requests.merge_patch(GROUP, REF, {}), "application/merge-patch+json", id="merge"),
        pytest.param(
            requests.strategic_patch(GROUP, REF, {}), "application/strategic-merge-patch+json", id="strategic"
        ),
        pytest.param(requests.json_patch(GROUP, REF, []), "application/json-patch+json", id="json"),
    ],
)
def test_every_write_says_who_writes_and_in_which_form(request_, content_type):
    assert dict(request_.query)["fieldManager"] == "podgrouper.io"
    assert request_.headers["Content-Type"] == content_type


def test_a_patch_keeps_nulls():
    assert json.loads(requests.merge_patch(GROUP, REF, {"spec": {"queue": None}}).body) == {
        "spec": {"queue": None}
    }


@pytest.mark.parametrize(
    ("ref", "version", "preconditions"),
    [
        pytest.param(REF, "7", {"uid": "u-1", "resourceVersion": "7"}, id="that life at that version"),
        pytest.param(REF, "", {"uid": "u-1"}, id="that life"),
        pytest.param(Ref(GROUP.kind, "ns", "g"), "", None, id="whatever has the name"),
    ],
)
def test_a_deletion_names_what_it_means(ref, version, preconditions):
    body = json.loads(requests.delete(GROUP, ref, version=version).body)

    assert body.get("preconditions") == preconditions


def test_an_eviction_names_the_life_of_the_pod_that_is_meant():
    request = requests.evict(POD, Ref(POD.kind, "ns", "p", "u-1"))

    assert (request.method, request.path) == ("POST", "/api/v1/namespaces/ns/pods/p/eviction")
    assert json.loads(request.body) == {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"namespace": "ns", "name": "p"},
        "deleteOptions": {"preconditions": {"uid": "u-1"}},
    }


def test_a_status_is_sent_to_its_own_door():
    request = requests.merge_patch(GROUP, REF, {"status": {}}, subresource="status")

    assert request.path == "/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups/g/status"
