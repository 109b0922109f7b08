"""From a kubeconfig, or from a pod's own mounts, to the `Cluster` that they mean.

Nothing here opens a connection or runs a plugin. The environment comes in as an argument.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from podgrouper.core.rules import Finding
from podgrouper.kube.access.cluster import BadClusterConfig, Cluster, Pem, TokenFile
from podgrouper.kube.access.kubeconfig import Entry, Reading
from podgrouper.kube.access.proxies import proxy_of
from podgrouper.kube.access.users import Origin, identity_of, impersonation

__all__ = ["BadClusterConfig", "Cluster", "configured", "from_kubeconfig", "in_cluster"]

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def configured(explicit: str, context: str, environ: Mapping[str, str], home: Path) -> Cluster:
    """The cluster that kubectl would speak to: the named file, KUBECONFIG, ~/.kube/config, this pod's own.

    Raises `BadClusterConfig`.
    """
    if explicit:
        return from_kubeconfig([Path(explicit)], context, environ)
    listed = [Path(path) for path in environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    paths = [path for path in listed or [home / ".kube" / "config"] if path.exists()]
    if paths:
        return from_kubeconfig(paths, context, environ)
    if environ.get("KUBERNETES_SERVICE_HOST") and not context:
        return in_cluster(environ)
    looked_at = ", ".join(map(str, listed)) or f"{home / '.kube' / 'config'}"
    raise BadClusterConfig(Finding(looked_at, "does not exist: name a kubeconfig with --kubeconfig"))


def from_kubeconfig(paths: Sequence[Path], context: str, environ: Mapping[str, str]) -> Cluster:
    """The cluster and user of a context; without a name of the current one.

    Raises `BadClusterConfig` with all that is wrong with it.
    """
    reading = Reading(paths)
    name = context or reading.current_context()
    chosen = reading.entry("context", name) if name else None
    if chosen is None:
        raise BadClusterConfig(*(reading.findings or (_missing_context(reading, paths, name),)))
    made = _cluster(reading, chosen, Origin(tuple(paths), name, environ))
    if reading.findings:
        raise BadClusterConfig(*dict.fromkeys(reading.findings))
    return made


def in_cluster(environ: Mapping[str, str], mounted: Path = SERVICE_ACCOUNT) -> Cluster:
    """The cluster that this pod runs in, as its service account. Token and CA stay files: both are rotated.

    Raises `BadClusterConfig`.
    """
    host, port = environ.get("KUBERNETES_SERVICE_HOST", ""), environ.get("KUBERNETES_SERVICE_PORT", "")
    unset = [
        Finding(name, "is not set: this is no pod; name a kubeconfig with --kubeconfig or KUBECONFIG")
        for name, value in (("KUBERNETES_SERVICE_HOST", host), ("KUBERNETES_SERVICE_PORT", port))
        if not value
    ]
    unreadable = [
        Finding(str(mounted / name), "cannot be read: does the pod set automountServiceAccountToken: false?")
        for name in ("token", "ca.crt")
        if not _content(mounted / name)
    ]
    if unset or unreadable:
        raise BadClusterConfig(*(unset or unreadable))
    return Cluster(
        f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
        ca=mounted / "ca.crt",
        identity=TokenFile(mounted / "token"),
        namespace=_content(mounted / "namespace") or "default",
    )


def _cluster(reading: Reading, context: Entry, origin: Origin) -> Cluster:
    cluster, user = _named(reading, context, "cluster"), _named(reading, context, "user")
    server = _server(reading, cluster) if cluster else ""
    cluster, user = cluster or _nothing(context), user or _nothing(context)
    return Cluster(
        server,
        ca=reading.pem(cluster, "certificate-authority"),
        insecure=_insecure(reading, cluster),
        tls_server_name=reading.text(cluster, "tls-server-name"),
        proxy=_proxy(reading, cluster) or proxy_of(server, origin.environ),
        certificate=reading.pem(user, "client-certificate"),
        key=_key(reading, user),
        identity=identity_of(reading, user, cluster, origin),
        headers=impersonation(reading, user),
        namespace=reading.text(context, "namespace") or "default",
        context=origin.context,
    )


def _named(reading: Reading, context: Entry, kind: str) -> Entry | None:
    """The cluster or user that a context names. A context without a user is somebody unknown."""
    name = reading.text(context, kind)
    found = reading.entry(kind, name) if name else None
    if found is None and (name or kind == "cluster"):
        there = ", ".join(reading.names(kind)) or "none"
        asked = f"there is no {kind} {name!r}" if name else f"must name a {kind}"
        reading.wrong(context, kind, f"{asked}; the files have {there}")
    return found


def _nothing(context: Entry) -> Entry:
    return Entry(context.file, context.where, {})


def _server(reading: Reading, cluster: Entry) -> str:
    server = reading.text(cluster, "server")
    if not _is_url(server, ("https", "http")):
        reading.wrong(cluster, "server", "must be the API server's address, such as https://10.0.0.1:6443")
        return ""
    return server.rstrip("/")


def _proxy(reading: Reading, cluster: Entry) -> str:
    proxy = reading.text(cluster, "proxy-url")
    if proxy and not _is_url(proxy, ("http", "https")):
        reading.wrong(
            cluster, "proxy-url", f"{proxy} is no http:// or https:// proxy, the kinds podgrouper uses"
        )
    return proxy


def _is_url(url: str, schemes: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _insecure(reading: Reading, cluster: Entry) -> bool:
    insecure = reading.flag(cluster, "insecure-skip-tls-verify")
    if insecure and ("certificate-authority" in cluster.body or "certificate-authority-data" in cluster.body):
        reading.wrong(cluster, "insecure-skip-tls-verify", "contradicts certificate-authority: remove one")
    return insecure


def _key(reading: Reading, user: Entry) -> Pem:
    key = reading.pem(user, "client-key")
    halves = {
        half
        for half in ("certificate", "key")
        for form in ("", "-data")
        if user.body.get(f"client-{half}{form}")
    }
    if len(halves) == 1:
        missing = "client-key" if "certificate" in halves else "client-certificate"
        reading.wrong(user, missing, "is missing: a certificate and its key belong together")
    return key


def _missing_context(reading: Reading, paths: Sequence[Path], name: str) -> Finding:
    where = ", ".join(map(str, paths))
    there = ", ".join(reading.names("context")) or "none"
    if name:
        return Finding(f"{where}: contexts", f"there is no context {name!r}; the files have {there}")
    return Finding(f"{where}: current-context", f"is not set: choose with --context; the files have {there}")


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
