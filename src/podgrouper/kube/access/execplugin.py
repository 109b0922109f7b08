"""Exec plugins: a program of the user's prints an ExecCredential (client.authentication.k8s.io)."""

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime

from podgrouper.core.fields import dig, text
from podgrouper.kube.access.cluster import ExecPlugin
from podgrouper.kube.errors import Unauthorized

RUN_SECONDS = 60.0
_WORDS_OF_A_PLUGIN = 500


@dataclass(frozen=True, slots=True)
class Said:
    """What the plugin printed. `expires` is in seconds since 1970; infinite when it says nothing."""

    token: str = field(default="", repr=False)
    certificate: bytes = b""
    key: bytes = field(default=b"", repr=False)
    expires: float = float("inf")


async def run(plugin: ExecPlugin, seconds: float = RUN_SECONDS) -> Said:
    """Runs it once, with no terminal to ask at. Raises `Unauthorized`."""
    try:
        process = await asyncio.create_subprocess_exec(
            plugin.command,
            *plugin.args,
            env={**plugin.env, "KUBERNETES_EXEC_INFO": _asked(plugin)},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (OSError, ValueError) as error:
        raise _failed(plugin, f"cannot be run ({error})", plugin.install_hint) from error
    try:
        async with asyncio.timeout(seconds):
            printed, complained = await process.communicate()
    except TimeoutError as error:
        raise _failed(plugin, f"said nothing for {seconds:.0f} s") from error
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        raise _failed(plugin, f"ended with code {process.returncode}", _words(complained))
    return said(plugin, printed)


def said(plugin: ExecPlugin, printed: bytes) -> Said:
    """The credential in what it printed. Raises `Unauthorized`."""
    try:
        answer = json.loads(printed)
    except (ValueError, RecursionError) as error:
        raise _failed(plugin, "printed no JSON", _words(printed)) from error
    if dig(answer, "kind") != "ExecCredential" or dig(answer, "apiVersion") != plugin.api_version:
        raise _failed(plugin, f"must print an ExecCredential of {plugin.api_version}")
    found = Said(
        text(answer, "status.token"),
        text(answer, "status.clientCertificateData").encode(),
        text(answer, "status.clientKeyData").encode(),
        _seconds(plugin, text(answer, "status.expirationTimestamp")),
    )
    if not found.token and not (found.certificate and found.key):
        raise _failed(plugin, "gave neither a token nor a client certificate with its key")
    return found


def _asked(plugin: ExecPlugin) -> str:
    spec: dict[str, object] = {"interactive": False}
    if plugin.cluster is not None:
        spec["cluster"] = plugin.cluster
    return json.dumps({"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec})


def _seconds(plugin: ExecPlugin, moment: str) -> float:
    if not moment:
        return float("inf")
    try:
        found = datetime.fromisoformat(moment)
    except ValueError as error:
        raise _failed(plugin, f"gave an expirationTimestamp that is none: {moment!r}") from error
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def _failed(plugin: ExecPlugin, why: str, more: str = "") -> Unauthorized:
    return Unauthorized(f"exec plugin {plugin.command!r} {why}" + (f": {more}" if more else ""))


def _words(output: bytes) -> str:
    return " ".join(output[-_WORDS_OF_A_PLUGIN:].decode("utf-8", "replace").split())
