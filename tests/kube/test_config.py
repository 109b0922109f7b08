"""From kubeconfigs and mounts to clusters, or to everything that is wrong with them."""

import base64
import os
from pathlib import Path

import pytest
import yaml

from podgrouper.kube.access.cluster import (
    Anonymous,
    BadClusterConfig,
    Basic,
    Cluster,
    ExecPlugin,
    Official,
    Token,
    TokenFile,
)
from podgrouper.kube.config import configured, from_kubeconfig, in_cluster

PEM = b"-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"
ENCODED = base64.b64encode(PEM).decode()
SERVER = "https://10.0.0.1:6443"


def kubeconfig(
    *,
    cluster: object = None,
    user: object = None,
    name: str = "one",
    current: str | None = "one",
    context: dict[str, object] | None = None,
) -> dict[str, object]:
    """A kubeconfig with one context; `{}` adds to a cluster that is good."""
    return {
        "current-context": current,
        "clusters": [{"name": name, "cluster": {"server": SERVER} if cluster is None else cluster}],
        "users": [{"name": name, "user": {} if user is None else user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, **(context or {})}}],
    }


def written(folder: Path, document: object, name: str = "config") -> Path:
    path = folder / name
    path.write_text(document if isinstance(document, str) else yaml.safe_dump(document))
    return path


def findings(raised: pytest.ExceptionInfo[BadClusterConfig]) -> list[str]:
    """What is wrong, without the path of the file."""
    return [f"{f.path.rpartition('config')[2].lstrip(': ')}: {f.message}" for f in raised.value.findings]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param(kubeconfig(), Cluster(SERVER, context="one"), id="no more than a server"),
        pytest.param(
            kubeconfig(cluster={"server": f"{SERVER}/prefix/"}),
            Cluster(f"{SERVER}/prefix", context="one"),
            id="a path before all others",
        ),
        pytest.param(
            kubeconfig(
                cluster={
                    "server": SERVER,
                    "certificate-authority-data": ENCODED,
                    "tls-server-name": "api",
                    "proxy-url": "http://proxy:1",
                }
            ),
            Cluster(SERVER, ca=PEM, tls_server_name="api", proxy="http://proxy:1", context="one"),
            id="all about the server",
        ),
        pytest.param(
            kubeconfig(cluster={"server": SERVER, "insecure-skip-tls-verify": True}),
            Cluster(SERVER, insecure=True, context="one"),
            id="without checks",
        ),
        pytest.param(
            kubeconfig(user={"client-certificate-data": ENCODED, "client-key-data": ENCODED}),
            Cluster(SERVER, certificate=PEM, key=PEM, context="one"),
            id="client certificate",
        ),
        pytest.param(
            kubeconfig(context={"namespace": "team"}),
            Cluster(SERVER, namespace="team", context="one"),
            id="namespace",
        ),
        pytest.param(
            kubeconfig(
                user={
                    "as": "jane",
                    "as-uid": "7",
                    "as-groups": ["a", "b"],
                    "as-user-extra": {"scope": ["x", "y"]},
                }
            ),
            Cluster(
                SERVER,
                headers=(
                    ("Impersonate-User", "jane"),
                    ("Impersonate-Uid", "7"),
                    ("Impersonate-Group", "a"),
                    ("Impersonate-Group", "b"),
                    ("Impersonate-Extra-scope", "x"),
                    ("Impersonate-Extra-scope", "y"),
                ),
                context="one",
            ),
            id="somebody else",
        ),
    ],
)
def test_a_kubeconfig_means_a_cluster(tmp_path, document, expected):
    assert from_kubeconfig([written(tmp_path, document)], "", {}) == expected


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        pytest.param({}, Anonymous(), id="nobody"),
        pytest.param({"token": " t0 \n"}, Token("t0"), id="token"),
        pytest.param({"username": "u", "password": "p"}, Basic("u", "p"), id="password"),
        pytest.param(
            {"token": "t", "username": "u", "password": "p"}, Token("t"), id="token before password"
        ),
    ],
)
def test_a_user_has_an_identity(tmp_path, user, expected):
    assert from_kubeconfig([written(tmp_path, kubeconfig(user=user))], "", {}).identity == expected


def test_a_token_file_counts_from_its_kubeconfig_and_before_a_token(tmp_path):
    path = written(tmp_path, kubeconfig(user={"tokenFile": "secret/token", "token": "t"}))

    assert from_kubeconfig([path], "", {}).identity == TokenFile(tmp_path / "secret" / "token")


def test_files_count_from_their_kubeconfig_and_stay_files(tmp_path):
    (tmp_path / "ca.crt").write_bytes(PEM)
    path = written(tmp_path, kubeconfig(cluster={"server": SERVER, "certificate-authority": "ca.crt"}))

    assert from_kubeconfig([path], "", {}).ca == tmp_path / "ca.crt"


def test_data_beat_the_file_of_the_same_name(tmp_path):
    cluster = {"server": SERVER, "certificate-authority": "nowhere", "certificate-authority-data": ENCODED}

    assert from_kubeconfig([written(tmp_path, kubeconfig(cluster=cluster))], "", {}).ca == PEM


def test_an_exec_plugin_gets_our_environment_and_its_own(tmp_path):
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "bin/login",
        "args": ["--now"],
        "env": [{"name": "REGION", "value": "x"}],
        "interactiveMode": "IfAvailable",
        "installHint": "get it",
        "provideClusterInfo": True,
    }
    extensions = [{"name": "client.authentication.k8s.io/exec", "extension": {"audience": "a"}}]
    cluster = {"server": SERVER, "tls-server-name": "api", "extensions": extensions}
    path = written(tmp_path, kubeconfig(cluster=cluster, user={"exec": plugin}))

    assert from_kubeconfig([path], "", {"PATH": "/bin", "REGION": "y"}).identity == ExecPlugin(
        command=str(tmp_path / "bin" / "login"),
        args=("--now",),
        env={"PATH": "/bin", "REGION": "x"},
        api_version="client.authentication.k8s.io/v1",
        install_hint="get it",
        cluster={"server": SERVER, "tls-server-name": "api", "config": {"audience": "a"}},
    )


def test_a_plugin_without_a_path_is_looked_for_where_programs_are(tmp_path):
    plugin = {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "login"}

    identity = from_kubeconfig([written(tmp_path, kubeconfig(user={"exec": plugin}))], "", {}).identity

    assert identity == ExecPlugin("login", (), {}, "client.authentication.k8s.io/v1beta1")


def test_auth_providers_are_left_to_the_official_client(tmp_path):
    path = written(tmp_path, kubeconfig(user={"auth-provider": {"name": "oidc", "config": {}}}))

    assert from_kubeconfig([path], "", {}).identity == Official("oidc", (path,), "one")


def test_of_several_files_the_first_that_says_something_wins(tmp_path):
    first = written(
        tmp_path, {"contexts": [{"name": "one", "context": {"cluster": "one", "user": "one"}}]}, "a"
    )
    second = written(tmp_path, kubeconfig(user={"token": "second"}, context={"namespace": "no"}), "b")
    third = written(tmp_path, kubeconfig(user={"token": "third"}, current="none"), "c")

    found = from_kubeconfig([first, second, third], "", {})

    assert (found.namespace, found.identity) == ("default", Token("second"))


def test_the_context_may_be_chosen(tmp_path):
    one, two = written(tmp_path, kubeconfig(), "a"), written(tmp_path, kubeconfig(name="two"), "b")

    assert from_kubeconfig([one, two], "two", {}).context == "two"


def test_the_environment_names_a_proxy_where_the_kubeconfig_does_not(tmp_path):
    path = written(tmp_path, kubeconfig())

    assert from_kubeconfig([path], "", {"HTTPS_PROXY": "http://p:1"}).proxy == "http://p:1"


def test_entries_that_nobody_chose_are_not_looked_at(tmp_path):
    document = kubeconfig()
    document["users"] = [*document["users"], {"name": "broken", "user": {"token": 3}}, "nonsense", None]

    assert from_kubeconfig([written(tmp_path, document)], "", {}).server == SERVER


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param(
            kubeconfig(
                cluster={
                    "server": "10.0.0.1",
                    "certificate-authority-data": "&&",
                    "proxy-url": "socks5://p:1",
                    "insecure-skip-tls-verify": "yes",
                },
                user={"token": 12345, "client-certificate": "gone.crt"},
                context={"namespace": ["x"]},
            ),
            [
                (
                    "clusters[one].cluster.server: must be the API server's address, "
                    "such as https://10.0.0.1:6443"
                ),
                (
                    "clusters[one].cluster.certificate-authority-data: must be a PEM text in base64: "
                    "was it cut when it was copied?"
                ),
                "clusters[one].cluster.insecure-skip-tls-verify: must be true or false",
                (
                    "clusters[one].cluster.proxy-url: socks5://p:1 is no http:// or https:// proxy, "
                    "the kinds podgrouper uses"
                ),
                (
                    "users[one].user.client-certificate: TMP/gone.crt cannot be read: "
                    "correct the path or its permissions"
                ),
                "users[one].user.client-key: is missing: a certificate and its key belong together",
                "users[one].user.token: must be text; put 12345 in quotes",
                "contexts[one].context.namespace: must be text; put the list in quotes",
            ],
            id="everything at once",
        ),
        pytest.param(
            kubeconfig(current=""),
            ["current-context: is not set: choose with --context; the files have one"],
            id="no current context",
        ),
        pytest.param(
            kubeconfig(current="two"),
            ["contexts: there is no context 'two'; the files have one"],
            id="another current context",
        ),
        pytest.param(
            kubeconfig(context={"cluster": "two", "user": "three"}),
            [
                "contexts[one].context.cluster: there is no cluster 'two'; the files have one",
                "contexts[one].context.user: there is no user 'three'; the files have one",
            ],
            id="names of nothing",
        ),
        pytest.param(
            kubeconfig(user={"exec": {"apiVersion": "v0", "interactiveMode": "Always", "args": [1]}}),
            [
                "users[one].user.exec.command: must name the program to run",
                (
                    "users[one].user.exec.apiVersion: must be one of client.authentication.k8s.io/v1, "
                    "client.authentication.k8s.io/v1beta1, not 'v0'"
                ),
                (
                    "users[one].user.exec.interactiveMode: Always needs a person at a terminal: "
                    "use a plugin that does not"
                ),
                "users[one].user.exec.args: must be a list of texts; put numbers in quotes",
            ],
            id="a plugin",
        ),
        pytest.param(
            kubeconfig(user={"token": "two words"}),
            [
                "users[one].user.token: holds blanks or characters outside ASCII: was it cut when copied?",
            ],
            id="a token that is none",
        ),
        pytest.param(
            kubeconfig(
                cluster={"server": SERVER, "insecure-skip-tls-verify": True, "certificate-authority": "x"}
            ),
            [
                (
                    "clusters[one].cluster.certificate-authority: TMP/x cannot be read: "
                    "correct the path or its permissions"
                ),
                (
                    "clusters[one].cluster.insecure-skip-tls-verify: contradicts certificate-authority: "
                    "remove one"
                ),
            ],
            id="a contradiction",
        ),
        pytest.param(kubeconfig(cluster=3, user=[]), None, id="entries that are no objects"),
        pytest.param({"contexts": 3, "current-context": "x"}, None, id="lists that are none"),
        pytest.param("a: [", None, id="no YAML"),
        pytest.param("- a", None, id="no object"),
        pytest.param("[" * 5000, None, id="too deep"),
        pytest.param("\x00", None, id="no text"),
        pytest.param("", None, id="empty"),
    ],
)
def test_all_that_is_wrong_is_told_at_once(tmp_path, document, expected):
    path = written(tmp_path, document)

    with pytest.raises(BadClusterConfig) as raised:
        from_kubeconfig([path], "", {})

    told = [words.replace(str(tmp_path), "TMP") for words in findings(raised)]
    assert told == (expected or told)
    assert str(path) in str(raised.value)


def test_a_cluster_shows_no_secrets(tmp_path):
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "x"}
    path = written(tmp_path, kubeconfig(user={"exec": plugin}))

    assert "hunter2" not in repr(from_kubeconfig([path], "", {"PASSWORD": "hunter2"}))
    assert "hunter2" not in repr(Cluster(SERVER, identity=Token("hunter2"), key=b"hunter2"))


POD = {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"}


def mounted(folder: Path) -> Path:
    for name, content in (("token", "t\n"), ("ca.crt", PEM.decode()), ("namespace", "podgrouper\n")):
        (folder / name).write_text(content)
    return folder


@pytest.mark.parametrize(
    ("host", "server"),
    [
        pytest.param("10.96.0.1", "https://10.96.0.1:443", id="IPv4"),
        pytest.param("fd00::1", "https://[fd00::1]:443", id="IPv6"),
    ],
)
def test_a_pod_knows_its_cluster(tmp_path, host, server):
    found = in_cluster({**POD, "KUBERNETES_SERVICE_HOST": host}, mounted(tmp_path))

    assert found == Cluster(
        server, ca=tmp_path / "ca.crt", identity=TokenFile(tmp_path / "token"), namespace="podgrouper"
    )


@pytest.mark.parametrize(
    ("environ", "paths"),
    [
        pytest.param({}, ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"], id="no pod"),
        pytest.param(POD, ["token", "ca.crt"], id="no service account"),
    ],
)
def test_what_a_pod_lacks_is_told_at_once(tmp_path, environ, paths):
    with pytest.raises(BadClusterConfig) as raised:
        in_cluster(environ, tmp_path)

    assert [Path(finding.path).name for finding in raised.value.findings] == paths


def test_the_named_file_comes_first(tmp_path):
    named, other = written(tmp_path, kubeconfig(), "a"), written(tmp_path, kubeconfig(name="b"), "b")

    assert configured(str(named), "", {"KUBECONFIG": str(other)}, tmp_path).context == "one"


def test_then_the_files_of_the_environment_that_exist(tmp_path):
    other = written(tmp_path, kubeconfig())
    listed = os.pathsep.join([str(tmp_path / "missing"), "", str(other)])

    assert configured("", "", {"KUBECONFIG": listed, **POD}, tmp_path).context == "one"


def test_then_the_one_at_home(tmp_path):
    (tmp_path / ".kube").mkdir()
    written(tmp_path / ".kube", kubeconfig())

    assert configured("", "", {}, tmp_path).context == "one"


def test_of_a_file_that_cannot_be_read_nothing_else_is_said(tmp_path):
    with pytest.raises(BadClusterConfig) as error:
        configured(str(tmp_path / "gone"), "", {}, tmp_path)

    assert [finding.path for finding in error.value.findings] == [str(tmp_path / "gone")]


def test_nothing_anywhere_is_told_with_the_next_step(tmp_path):
    with pytest.raises(BadClusterConfig, match=r"\.kube/config: does not exist: name a kubeconfig"):
        configured("", "", {}, tmp_path)
