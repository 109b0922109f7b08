"""Writing only while it is ours to write."""

import asyncio

import pytest

from podgrouper.core.model import POD, Ref
from podgrouper.kube import requests
from podgrouper.kube.errors import Withheld
from podgrouper.kube.permission import WithPermission
from podgrouper.kube.requests import Resource
from podgrouper.sandbox.api import Api
from podgrouper.sandbox.server import store
from podgrouper.sandbox.transport import MemoryTransport

PODS = Resource(POD, "pods", namespaced=True)
REF = Ref(POD, "default", "x", "")


def sent(request, *, permitted):
    way = WithPermission(MemoryTransport(Api(store())), lambda: permitted)
    return asyncio.run(way.send(request)).status


def test_reading_needs_no_permission():
    assert sent(requests.get(PODS, "default", "x"), permitted=False) == 404


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(requests.create(PODS, "default", {}), id="create"),
        pytest.param(requests.merge_patch(PODS, REF, {}), id="merge patch"),
        pytest.param(requests.strategic_patch(PODS, REF, {}), id="strategic patch"),
        pytest.param(requests.json_patch(PODS, REF, []), id="JSON patch"),
        pytest.param(requests.delete(PODS, REF), id="delete"),
    ],
)
def test_no_write_leaves_without_permission(write):
    with pytest.raises(Withheld, match="another replica's task"):
        sent(write, permitted=False)

    assert sent(write, permitted=True) >= 400
