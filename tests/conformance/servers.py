"""The two servers, behind the same transport."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import yaml

from podgrouper.kube.transport import AiohttpTransport, Transport
from podgrouper.sandbox.api import Api
from podgrouper.sandbox.crds import install, shipped
from podgrouper.sandbox.server import store
from podgrouper.sandbox.transport import MemoryTransport
from tests.cluster.control_plane import ControlPlane
from tests.conformance.objects import SAMPLE_CRD

Place = tuple[Transport, str]
"""A server and an empty namespace on it."""


@asynccontextmanager
async def sandbox() -> AsyncIterator[Place]:
    """The embedded API with what comes with it."""
    made = store()
    install(made)
    made.create(SAMPLE_CRD)
    made.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "test-sandbox"}})
    yield MemoryTransport(Api(made)), "test-sandbox"


@asynccontextmanager
async def real(plane: ControlPlane) -> AsyncIterator[Place]:
    """A kube-apiserver on which nobody acts, with the same kinds."""
    plane.apply(yaml.safe_dump_all([*shipped(), SAMPLE_CRD]))
    transport = AiohttpTransport(plane.cluster())
    try:
        with plane.namespace() as namespace:
            yield transport, namespace
    finally:
        await transport.close()
