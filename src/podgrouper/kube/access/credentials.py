"""Who we are in each request: tokens that are read again, plugins that are run again.

A source is asked before every request and answers from memory while it may. What cannot be had is
`Unauthorized`, with the next step in words.
"""

import asyncio
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, assert_never

from podgrouper.kube.access.cluster import (
    Anonymous,
    Basic,
    Cluster,
    ExecPlugin,
    Official,
    Token,
    TokenFile,
    fits_in_header,
)
from podgrouper.kube.access.execplugin import run
from podgrouper.kube.errors import Unauthorized

Clock = Callable[[], float]
"""Seconds since 1970."""

REREAD_SECONDS = 60.0
"""How long a token from a file is trusted: the kubelet renews one long before it expires."""
EXPIRY_SLACK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Credential:
    """The `Authorization` header, and a client certificate where a plugin gave one (PEM)."""

    authorization: str = field(default="", repr=False)
    certificate: bytes = b""
    key: bytes = field(default=b"", repr=False)


class Source(Protocol):
    async def credential(self) -> Credential:
        """What to show now. Raises `Unauthorized`."""

    def forget(self) -> None:
        """The server refused the last one: do not answer from memory next time."""


def source_of(cluster: Cluster, now: Clock = time.time) -> Source:
    match cluster.identity:
        case Anonymous():
            return Fixed(Credential())
        case Token(token):
            return Fixed(_bearer(token, "token"))
        case Basic(username, password):
            pair = b64encode(f"{username}:{password}".encode()).decode()
            return Fixed(Credential(f"Basic {pair}"))
        case TokenFile(path):
            return FileSource(path, now)
        case ExecPlugin():
            return PluginSource(cluster.identity, now)
        case Official():
            return OfficialSource(cluster.identity, now)
    assert_never(cluster.identity)


class Fixed:
    """The same for ever."""

    def __init__(self, credential: Credential) -> None:
        self._credential = credential

    async def credential(self) -> Credential:
        return self._credential

    def forget(self) -> None:
        """There is nothing else."""


class FileSource:
    """A token in a file. While the file cannot be read, the last token goes on."""

    def __init__(self, path: Path, now: Clock) -> None:
        self._path = path
        self._now = now
        self._read_at: float | None = None
        self._credential = Credential()

    async def credential(self) -> Credential:
        now = self._now()
        if self._read_at is None or abs(now - self._read_at) >= REREAD_SECONDS:
            self._credential = self._read() or self._credential
            self._read_at = now
        if not self._credential.authorization:
            self._read_at = None
            raise Unauthorized(f"no token in {self._path}: does the file exist, and may we read it?")
        return self._credential

    def forget(self) -> None:
        self._read_at = None

    def _read(self) -> Credential | None:
        try:
            token = self._path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return _bearer(token, str(self._path)) if token else None


class PluginSource:
    """What an exec plugin says, until it expires. Many requests wait for one run."""

    def __init__(self, plugin: ExecPlugin, now: Clock) -> None:
        self._plugin = plugin
        self._now = now
        self._one = asyncio.Lock()
        self._credential: Credential | None = None
        self._expires = float("inf")

    async def credential(self) -> Credential:
        async with self._one:
            if self._credential is None or self._now() > self._expires - EXPIRY_SLACK_SECONDS:
                said = await run(self._plugin)
                authorization = _bearer(said.token, self._plugin.command).authorization if said.token else ""
                self._credential = Credential(authorization, said.certificate, said.key)
                self._expires = said.expires
            return self._credential

    def forget(self) -> None:
        self._credential = None


class OfficialSource:
    """Asks the official client once a minute; it renews what is about to expire."""

    def __init__(self, official: Official, now: Clock) -> None:
        self._official = official
        self._now = now
        self._one = asyncio.Lock()
        self._asked_at: float | None = None
        self._credential = Credential()

    async def credential(self) -> Credential:
        async with self._one:
            now = self._now()
            if self._asked_at is None or abs(now - self._asked_at) >= REREAD_SECONDS:
                from podgrouper.kube.access.official import authorization  # noqa: PLC0415  # 47 MB, only for who needs it

                self._credential = Credential(await authorization(self._official))
                self._asked_at = now
            return self._credential

    def forget(self) -> None:
        self._asked_at = None


def _bearer(token: str, where: str) -> Credential:
    if not fits_in_header(token):
        raise Unauthorized(f"{where}: this is no token, it holds blanks or characters outside ASCII")
    return Credential(f"Bearer {token}")
