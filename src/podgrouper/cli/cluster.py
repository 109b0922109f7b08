"""The way to a cluster, from what flags and environment say."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from podgrouper.cli.complaints import Complaint, Failure
from podgrouper.kube.client import Client
from podgrouper.kube.config import BadClusterConfig, Cluster, configured
from podgrouper.kube.errors import ApiError
from podgrouper.kube.transport import AiohttpTransport


def cluster_of(kubeconfig: str, context: str) -> Cluster:
    """The cluster that kubectl would speak to. Raises `Complaint` with everything that is wrong."""
    try:
        return configured(kubeconfig, context, os.environ, Path.home())
    except BadClusterConfig as error:
        raise Complaint(error.findings) from error


@asynccontextmanager
async def connected(kubeconfig: str, context: str) -> AsyncIterator[Client]:
    """A client while the context is open. What the API server refuses in it becomes a `Failure`."""
    client = Client(AiohttpTransport(cluster_of(kubeconfig, context)))
    try:
        yield client
    except ApiError as error:
        raise Failure(error.message) from error
    finally:
        await client.close()
