"""Tokens that are read again, plugins that are run again, and what is told when they fail."""

import asyncio
import base64
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from podgrouper.kube.access.cluster import Anonymous, Basic, Cluster, ExecPlugin, Official, Token, TokenFile
from podgrouper.kube.access.credentials import Credential, Source, source_of
from podgrouper.kube.access.execplugin import run
from podgrouper.kube.errors import Unauthorized

V1 = "client.authentication.k8s.io/v1"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp()


class Clock:
    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def shown(source: Source) -> str:
    return (await source.credential()).authorization


def plugin(folder: Path, status: object, *, prelude: str = "") -> ExecPlugin:
    """A program that prints this status, and a line in the file `runs` for each time it ran."""
    answer = {"apiVersion": V1, "kind": "ExecCredential", "status": status}
    program = folder / "plugin.py"
    lines = (
        "import os, sys, time",
        f"open({str(folder / 'runs')!r}, 'a').write('x')",
        prelude,
        f"print({json.dumps(answer)!r})",
    )
    program.write_text("\n".join(lines))
    return ExecPlugin(sys.executable, (str(program),), {}, V1, "get the plugin at example.com")


def runs(folder: Path) -> int:
    return len((folder / "runs").read_text())


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        pytest.param(Anonymous(), "", id="nobody"),
        pytest.param(Token("t"), "Bearer t", id="token"),
        pytest.param(Basic("ü", "p"), f"Basic {base64.b64encode('ü:p'.encode()).decode()}", id="password"),
    ],
)
async def test_what_never_changes_is_shown_as_it_is(identity, expected):
    assert await shown(source_of(Cluster("https://x", identity=identity))) == expected


async def test_a_token_file_is_read_again_each_minute(tmp_path, clock):
    file = tmp_path / "token"
    file.write_text("first\n")
    source = source_of(Cluster("https://x", identity=TokenFile(file)), clock)
    seen = [await shown(source)]
    file.write_text("second\n")
    clock.time += 59
    seen.append(await shown(source))
    clock.time += 1
    seen.append(await shown(source))

    assert seen == ["Bearer first", "Bearer first", "Bearer second"]


async def test_a_clock_that_was_set_back_does_not_keep_an_old_token(tmp_path, clock):
    file = tmp_path / "token"
    file.write_text("first\n")
    source = source_of(Cluster("https://x", identity=TokenFile(file)), clock)
    await shown(source)
    file.write_text("second\n")
    clock.time -= 3600

    assert await shown(source) == "Bearer second"


async def test_a_token_goes_on_while_its_file_is_away(tmp_path, clock):
    file = tmp_path / "token"
    file.write_text("first\n")
    source = source_of(Cluster("https://x", identity=TokenFile(file)), clock)
    await shown(source)
    file.unlink()
    clock.time += 3600

    assert await shown(source) == "Bearer first"


@pytest.mark.parametrize("content", [None, "", "  \n", "two words", "tök"])
async def test_a_file_without_a_token_is_told_with_its_name(tmp_path, content):
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content)

    with pytest.raises(Unauthorized, match=str(file)):
        await shown(source_of(Cluster("https://x", identity=TokenFile(file))))


async def test_a_plugin_is_run_once_for_many(tmp_path):
    source = source_of(Cluster("https://x", identity=plugin(tmp_path, {"token": "t"})))

    seen = await asyncio.gather(*(shown(source) for _ in range(5)))

    assert (set(seen), runs(tmp_path)) == ({"Bearer t"}, 1)


@pytest.mark.parametrize(
    ("later", "times"),
    [
        pytest.param(0, 1, id="before it expires"),
        pytest.param(49, 1, id="shortly before that"),
        pytest.param(51, 2, id="when it is about to expire"),
        pytest.param(5000, 2, id="after it expired"),
    ],
)
async def test_a_plugin_is_run_again_when_its_token_expires(tmp_path, clock, later, times):
    status = {"token": "t", "expirationTimestamp": "2026-01-01T12:01:00Z"}
    source = source_of(Cluster("https://x", identity=plugin(tmp_path, status)), clock)
    await shown(source)
    clock.time += later
    await shown(source)

    assert runs(tmp_path) == times


async def test_a_refused_token_is_not_shown_again(tmp_path):
    source = source_of(Cluster("https://x", identity=plugin(tmp_path, {"token": "t"})))
    await shown(source)
    source.forget()
    await shown(source)

    assert runs(tmp_path) == 2


async def test_a_plugin_may_give_a_certificate(tmp_path):
    status = {"clientCertificateData": "CERT", "clientKeyData": "KEY"}
    source = source_of(Cluster("https://x", identity=plugin(tmp_path, status)))

    assert await source.credential() == Credential("", b"CERT", b"KEY")


async def test_a_plugin_is_told_what_is_wanted(tmp_path):
    prelude = f"open({str(tmp_path / 'info')!r}, 'w').write(os.environ['KUBERNETES_EXEC_INFO'])"
    asked = plugin(tmp_path, {"token": "t"}, prelude=prelude)
    await run(ExecPlugin(asked.command, asked.args, {}, V1, cluster={"server": "https://x"}))

    assert json.loads((tmp_path / "info").read_text()) == {
        "apiVersion": V1,
        "kind": "ExecCredential",
        "spec": {"interactive": False, "cluster": {"server": "https://x"}},
    }


@pytest.mark.parametrize(
    ("status", "prelude", "words"),
    [
        pytest.param({}, "sys.exit('log in first')", "ended with code 1: log in first", id="it fails"),
        pytest.param({}, "", "gave neither a token nor a client certificate", id="nothing"),
        pytest.param(3, "", "gave neither a token nor a client certificate", id="another shape"),
        pytest.param({"clientKeyData": "k"}, "", "gave neither a token", id="half a certificate"),
        pytest.param({"token": "t"}, "print('hello')", "printed no JSON: hello", id="more than JSON"),
        pytest.param({"token": "two words"}, "", "this is no token", id="no token"),
        pytest.param(
            {"token": "t", "expirationTimestamp": "soon"},
            "",
            "expirationTimestamp that is none",
            id="no time",
        ),
    ],
)
async def test_a_plugin_that_fails_is_named_with_its_words(tmp_path, status, prelude, words):
    source = source_of(Cluster("https://x", identity=plugin(tmp_path, status, prelude=prelude)))

    with pytest.raises(Unauthorized, match=words) as raised:
        await source.credential()

    assert sys.executable in str(raised.value)


async def test_a_plugin_of_another_version_is_refused(tmp_path):
    asked = plugin(tmp_path, {"token": "t"})

    with pytest.raises(
        Unauthorized, match=r"must print an ExecCredential of client.authentication.k8s.io/v1beta1"
    ):
        await run(ExecPlugin(asked.command, asked.args, {}, "client.authentication.k8s.io/v1beta1"))


async def test_a_plugin_that_is_not_there_is_told_with_how_to_get_it():
    with pytest.raises(Unauthorized, match=r"cannot be run .*: get it"):
        await run(ExecPlugin("no-such-plugin", (), {}, V1, "get it"))


async def test_a_plugin_that_says_nothing_is_ended(tmp_path):
    with pytest.raises(Unauthorized, match="said nothing for 0 s"):
        await run(plugin(tmp_path, {"token": "t"}, prelude="time.sleep(600)"), seconds=0.3)


async def test_without_the_official_client_its_providers_say_what_to_install(tmp_path):
    pytest.importorskip  # noqa: B018
    source = source_of(Cluster("https://x", identity=Official("oidc", (tmp_path / "config",), "one")))

    with pytest.raises(Unauthorized, match=r"pip install 'podgrouper\[oidc\]'"):
        await source.credential()
