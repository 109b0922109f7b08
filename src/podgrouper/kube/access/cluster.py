"""Which API server, and as whom, as values. `config` makes them, `tls` and `credentials` act on them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from podgrouper.core.rules import Finding

Pem: TypeAlias = Path | bytes
"""A certificate or key: the text, or the file that holds it and may be replaced while we run."""


@dataclass(frozen=True, slots=True)
class Anonymous:
    """No word in the header. A client certificate may say who we are instead."""


@dataclass(frozen=True, slots=True)
class Token:
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class TokenFile:
    """A token that somebody else renews in its file."""

    path: Path


@dataclass(frozen=True, slots=True)
class Basic:
    """For proxies before the API server; it knows no passwords itself."""

    username: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ExecPlugin:
    """A program that prints an ExecCredential."""

    command: str
    args: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    """All of its environment, ours included."""
    api_version: str
    install_hint: str = ""
    cluster: Mapping[str, object] | None = None
    """What `provideClusterInfo` hands over."""


@dataclass(frozen=True, slots=True)
class Official:
    """Ways that only the official Python client knows: OIDC and the old auth providers."""

    provider: str
    paths: tuple[Path, ...]
    context: str


Identity: TypeAlias = Anonymous | Token | TokenFile | Basic | ExecPlugin | Official


@dataclass(frozen=True, slots=True)
class Cluster:
    """An API server as one user sees it."""

    server: str
    """Scheme, host, port and perhaps a path before all others."""
    ca: Pem = b""
    """Who may have signed the server's certificate; empty: whom this machine trusts."""
    insecure: bool = False
    tls_server_name: str = ""
    proxy: str = ""
    certificate: Pem = b""
    key: Pem = field(default=b"", repr=False)
    identity: Identity = Anonymous()
    headers: tuple[tuple[str, str], ...] = ()
    """Sent with every request: whom to impersonate."""
    namespace: str = "default"
    context: str = ""
    """Its name in the kubeconfig; empty in a cluster."""


def fits_in_header(token: str) -> bool:
    """Anything else would end the header, or start another."""
    return token.isascii() and token.isprintable() and " " not in token


class BadClusterConfig(Exception):
    """The API server cannot be found out or reached like this; every finding, not just the first."""

    def __init__(self, *findings: Finding) -> None:
        super().__init__("\n".join(f"{finding.path}: {finding.message}" for finding in findings))
        self.findings = findings
