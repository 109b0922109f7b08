"""The TLS side of a cluster: whom we trust, and the certificate that we show."""

import os
import ssl
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from podgrouper.core.rules import Finding
from podgrouper.kube.access.cluster import BadClusterConfig, Cluster, Pem
from podgrouper.kube.access.credentials import Credential
from podgrouper.kube.errors import Unauthorized

Pair: TypeAlias = tuple[bytes, bytes]

RECHECK_SECONDS = 60.0
"""How often files are looked at: certificates are replaced while we run."""


class TlsContexts:
    """One context at a time; another one when a file or the plugin's certificate is another.

    Raises `BadClusterConfig` for files that are no good. Those that become so while we run change
    nothing: the last good ones go on. Connections made with an older context end when they are idle.
    """

    def __init__(self, cluster: Cluster, now: Callable[[], float] = time.monotonic) -> None:
        self._cluster = cluster
        self._now = now
        self._checked_at = now()
        self._shown: Pair = (b"", b"")
        """The certificate and key that a plugin gave."""
        try:
            self._made_of = self._files()
            self._context = make_context(*self._made_of, insecure=cluster.insecure)
        except (OSError, ValueError) as error:
            where = cluster.context or cluster.server
            raise BadClusterConfig(
                Finding(where, f"its certificates or key are unusable: {error}")
            ) from error

    def context(self, credential: Credential) -> ssl.SSLContext:
        """The context for the next connection. Raises `Unauthorized` for a plugin's unusable certificate."""
        shown = (credential.certificate, credential.key)
        now = self._now()
        if shown == self._shown and now - self._checked_at < RECHECK_SECONDS:
            return self._context
        self._checked_at = now
        try:
            self._renew(shown)
        except (OSError, ValueError) as error:
            if shown != self._shown:
                words = f"the client certificate of the exec plugin is unusable: {error}"
                raise Unauthorized(words) from error
        return self._context

    def _renew(self, shown: Pair) -> None:
        files = self._files()
        made_of = (files[0], *shown) if shown[0] else files
        if made_of != self._made_of:
            self._context = make_context(*made_of, insecure=self._cluster.insecure)
        self._made_of, self._shown = made_of, shown

    def _files(self) -> tuple[bytes, bytes, bytes]:
        return _read(self._cluster.ca), _read(self._cluster.certificate), _read(self._cluster.key)


def make_context(ca: bytes, certificate: bytes, key: bytes, *, insecure: bool = False) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=ca.decode("ascii", "replace") if ca else None)
    # Measured with CPython 3.13+: its strict checks refuse cluster CAs without a key usage extension.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if certificate:
        _load(context, certificate, key)
    return context


def _load(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """The ssl module reads certificates from files only: one that nobody else may read, and not for long."""
    handle, name = tempfile.mkstemp()
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(certificate.rstrip() + b"\n" + key)
        context.load_cert_chain(name, password=_no_password)
    finally:
        Path(name).unlink()


def _no_password() -> str:
    """Asked for an encrypted key; without this OpenSSL would ask at the terminal and wait."""
    raise ValueError("the client key is encrypted: podgrouper cannot ask for its password")


def _read(pem: Pem) -> bytes:
    return pem.read_bytes() if isinstance(pem, Path) else pem
