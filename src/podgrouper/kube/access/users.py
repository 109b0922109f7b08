"""Who we are, as a kubeconfig's `user` says it.

The first way that is given counts, as in client-go: token file, token, exec plugin, auth provider, password.
A client certificate goes along with any of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from podgrouper.core.fields import mapping
from podgrouper.core.model import Json
from podgrouper.kube.access.cluster import (
    Anonymous,
    Basic,
    ExecPlugin,
    Identity,
    Official,
    Token,
    TokenFile,
    fits_in_header,
)
from podgrouper.kube.access.kubeconfig import Entry, Reading

EXEC_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_EXEC_EXTENSION = "client.authentication.k8s.io/exec"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the chosen context comes from."""

    paths: tuple[Path, ...]
    context: str
    environ: Mapping[str, str]


def identity_of(reading: Reading, user: Entry, cluster: Entry, origin: Origin) -> Identity:
    token_file = reading.path(user, "tokenFile")
    if token_file:
        return TokenFile(token_file)
    token = reading.text(user, "token").strip()
    if token:
        if not fits_in_header(token):
            reading.wrong(user, "token", "holds blanks or characters outside ASCII: was it cut when copied?")
        return Token(token)
    if user.body.get("exec") is not None:
        return _exec(reading, reading.part(user, "exec"), cluster, origin.environ)
    if user.body.get("auth-provider") is not None:
        provider = reading.text(reading.part(user, "auth-provider"), "name")
        return Official(provider, origin.paths, origin.context)
    username = reading.text(user, "username")
    return Basic(username, reading.text(user, "password")) if username else Anonymous()


def impersonation(reading: Reading, user: Entry) -> tuple[tuple[str, str], ...]:
    """The headers of `as` and its kin. Never dropped: without them we would act with other rights."""
    named = (
        ("Impersonate-User", reading.text(user, "as")),
        ("Impersonate-Uid", reading.text(user, "as-uid")),
    )
    groups = tuple(("Impersonate-Group", group) for group in reading.texts(user, "as-groups"))
    extra = reading.part(user, "as-user-extra")
    others = tuple(
        (f"Impersonate-Extra-{key}", value) for key in extra.body for value in reading.texts(extra, key)
    )
    return (*((name, value) for name, value in named if value), *groups, *others)


def _exec(reading: Reading, plugin: Entry, cluster: Entry, environ: Mapping[str, str]) -> ExecPlugin:
    command = reading.text(plugin, "command")
    if not command:
        reading.wrong(plugin, "command", "must name the program to run")
    version = reading.text(plugin, "apiVersion")
    if version not in EXEC_VERSIONS:
        reading.wrong(plugin, "apiVersion", f"must be one of {', '.join(EXEC_VERSIONS)}, not {version!r}")
    _check_interactive(reading, plugin)
    own = {
        reading.text(entry, "name"): reading.text(entry, "value") for entry in reading.objects(plugin, "env")
    }
    return ExecPlugin(
        command=str(plugin.file.parent / command) if "/" in command else command,
        args=reading.texts(plugin, "args"),
        env={**environ, **own},
        api_version=version,
        install_hint=reading.text(plugin, "installHint"),
        cluster=_told(cluster) if reading.flag(plugin, "provideClusterInfo") else None,
    )


def _check_interactive(reading: Reading, plugin: Entry) -> None:
    mode = reading.text(plugin, "interactiveMode")
    if mode == "Always":
        reading.wrong(
            plugin, "interactiveMode", "Always needs a person at a terminal: use a plugin that does not"
        )
    elif mode not in ("", "Never", "IfAvailable"):
        reading.wrong(plugin, "interactiveMode", f"must be Never or IfAvailable, not {mode!r}")


def _told(cluster: Entry) -> Json:
    """The cluster as a plugin is told of it: field names of ExecCredential, the same content."""
    names = {
        "server",
        "tls-server-name",
        "insecure-skip-tls-verify",
        "certificate-authority-data",
        "proxy-url",
    }
    told: dict[str, object] = {key: value for key, value in cluster.body.items() if key in names and value}
    for extension in Reading(()).objects(cluster, "extensions"):
        if extension.body.get("name") == _EXEC_EXTENSION:
            told["config"] = mapping(extension.body, "extension")
    return told
