"""The way to a cluster, from what flags and environment say."""

import os
from pathlib import Path

from podgrouper.cli.complaints import Complaint
from podgrouper.kube.config import BadClusterConfig, Cluster, configured


def cluster_of(kubeconfig: str, context: str) -> Cluster:
    """The cluster that kubectl would speak to. Raises `Complaint` with everything that is wrong."""
    try:
        return configured(kubeconfig, context, os.environ, Path.home())
    except BadClusterConfig as error:
        raise Complaint(error.findings) from error
