"""OIDC and the old auth providers, by the official Python client; imported only by who needs it."""

import os

from podgrouper.kube.access.cluster import Official
from podgrouper.kube.errors import Unauthorized

INSTALL_HINT = "pip install 'podgrouper[oidc]'"


async def authorization(official: Official) -> str:
    """The `Authorization` header. A renewed OIDC token is written back to the kubeconfig, as kubectl does."""
    try:
        from kubernetes.aio.client import Configuration  # noqa: PLC0415  # an optional extra
        from kubernetes.aio.config import load_kube_config  # noqa: PLC0415  # an optional extra
    except ImportError as error:
        raise Unauthorized(
            f"auth-provider {official.provider!r} needs another package: {INSTALL_HINT}"
        ) from error
    configuration = Configuration()
    files = os.pathsep.join(map(str, official.paths))
    try:
        await load_kube_config(files, official.context, configuration)
    except Exception as error:  # foreign code without a family of errors of its own
        raise Unauthorized(
            f"auth-provider {official.provider!r} of context {official.context!r}: {error}"
        ) from error
    header = configuration.api_key.get("BearerToken", "")
    if not isinstance(header, str) or not header:
        raise Unauthorized(f"auth-provider {official.provider!r} gives no token: use an exec plugin instead")
    return header
