"""Rights in the words of RBAC."""

import pytest

from podgrouper.core.model import POD, Kind, Ref
from podgrouper.kube import requests
from podgrouper.kube.errors import ApiError, Forbidden, Invalid
from podgrouper.kube.requests import Request, Resource, WatchSpec
from podgrouper.kube.rights import Right, lacking, right_for

PODS = Resource(POD, "pods", namespaced=True)
GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
GROUPS = Resource(GROUP, "podgroups", namespaced=True)
GROUP_NAME = "podgroups.scheduling.run.ai"
POD_REF, GROUP_REF = Ref(POD, "team", "web"), Ref(GROUP, "team", "pg")
USER = 'forbidden: User "system:serviceaccount:a:b" cannot'


@pytest.mark.parametrize(
    ("expected", "request_"),
    [
        pytest.param(("pods", "get", "team"), requests.get(PODS, "team", "web"), id="get"),
        pytest.param(("pods", "list", ""), requests.list_page(PODS, WatchSpec(POD)), id="list everywhere"),
        pytest.param(
            ("pods", "list", "team"),
            requests.list_page(PODS, WatchSpec(POD, "team")),
            id="list in one",
        ),
        pytest.param(("pods", "watch", ""), requests.watch(PODS, WatchSpec(POD)), id="watch"),
        pytest.param(("pods", "patch", "team"), requests.json_patch(PODS, POD_REF, []), id="patch"),
        pytest.param(("pods/eviction", "create", "team"), requests.evict(PODS, POD_REF), id="evict"),
        pytest.param((GROUP_NAME, "create", "team"), requests.create(GROUPS, "team", {}), id="create"),
        pytest.param((GROUP_NAME, "delete", "team"), requests.delete(GROUPS, GROUP_REF), id="delete"),
        pytest.param(
            (f"{GROUP_NAME}/status", "patch", "team"),
            requests.merge_patch(GROUPS, GROUP_REF, {}, subresource="status"),
            id="status",
        ),
        pytest.param(("namespaces", "get", ""), Request("GET", "/api/v1/namespaces/a"), id="a namespace"),
    ],
)
def test_a_request_takes_one_right(expected, request_):
    resource, verb, namespace = expected

    assert right_for(request_) == (Right(resource, verb), namespace)


@pytest.mark.parametrize("path", ["/version", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/"])
def test_a_path_of_no_resource_takes_none(path):
    assert right_for(requests.plain_get(path)) is None


@pytest.mark.parametrize(
    ("expected", "error"),
    [
        pytest.param(
            ("pods", "patch", "team"),
            Forbidden(f'pods "x" is {USER} patch resource "pods" in API group "" in the namespace "team"'),
            id="in a namespace",
        ),
        pytest.param(
            (f"{GROUP_NAME}/status", "patch", "team"),
            Forbidden(
                f'x is {USER} patch resource "podgroups/status" in API group "scheduling.run.ai" '
                'in the namespace "team"'
            ),
            id="of a subresource",
        ),
        pytest.param(
            ("nodes", "list", ""),
            Forbidden(f'nodes is {USER} list resource "nodes" in API group "" at the cluster scope'),
            id="everywhere",
        ),
    ],
)
def test_the_server_says_which_one_is_lacking(expected, error):
    resource, verb, namespace = expected

    assert lacking(error) == (Right(resource, verb), namespace)


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(None, id="it was done"),
        pytest.param(Forbidden('admission webhook "a.b" denied the request: no'), id="a webhook"),
        pytest.param(Forbidden('pods "x" is forbidden: exceeded quota: q'), id="a quota"),
        pytest.param(Invalid('cannot patch resource "pods" in API group ""'), id="not forbidden"),
        pytest.param(ApiError("no route"), id="no answer"),
    ],
)
def test_other_refusals_are_not_about_rights(error):
    assert lacking(error) is None
