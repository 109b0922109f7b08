"""Certificates that change while we run."""

import pytest

from podgrouper.kube.access.cluster import BadClusterConfig, Cluster
from podgrouper.kube.access.credentials import Credential
from podgrouper.kube.access.tls import TlsContexts
from podgrouper.kube.errors import Unauthorized
from tests.kube.authority import Authority

NOBODY = Credential()


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


def test_files_that_changed_make_another_context_within_a_minute(tmp_path, authority):
    ca, clock = tmp_path / "ca.crt", Clock()
    ca.write_bytes(authority.certificate)
    contexts = TlsContexts(Cluster("https://x", ca=ca), clock)
    first = contexts.context(NOBODY)
    ca.write_bytes(Authority().certificate)
    clock.time = 59.0
    same = contexts.context(NOBODY)
    clock.time = 61.0
    other = contexts.context(NOBODY)

    assert (same is first, other is first) == (True, False)


def test_files_that_did_not_change_make_none(tmp_path, authority):
    ca, clock = tmp_path / "ca.crt", Clock()
    ca.write_bytes(authority.certificate)
    contexts = TlsContexts(Cluster("https://x", ca=ca), clock)
    first = contexts.context(NOBODY)
    clock.time = 3600.0

    assert contexts.context(NOBODY) is first


def test_files_that_became_unusable_change_nothing(tmp_path, authority):
    ca, clock = tmp_path / "ca.crt", Clock()
    ca.write_bytes(authority.certificate)
    contexts = TlsContexts(Cluster("https://x", ca=ca), clock)
    first = contexts.context(NOBODY)
    ca.write_bytes(b"half a cert")
    clock.time = 3600.0

    assert contexts.context(NOBODY) is first


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"ca": b"nonsense"}, id="an authority that is none"),
        pytest.param({"certificate": b"nonsense", "key": b"nonsense"}, id="a certificate that is none"),
    ],
)
def test_what_was_never_usable_is_told_at_once(how):
    with pytest.raises(BadClusterConfig, match="https://x: its certificates or key are unusable"):
        TlsContexts(Cluster("https://x", **how))


def test_an_encrypted_key_is_refused_instead_of_waiting_for_a_password(authority):
    user = authority.user("a")
    key = b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n"

    with pytest.raises(BadClusterConfig):
        TlsContexts(Cluster("https://x", certificate=user.certificate, key=key))


def test_each_certificate_of_a_plugin_has_its_context(authority):
    contexts = TlsContexts(Cluster("https://x"), Clock())
    one, two = authority.user("one"), authority.user("two")
    first = contexts.context(Credential("", one.certificate, one.key))

    assert contexts.context(Credential("", one.certificate, one.key)) is first
    assert contexts.context(Credential("", two.certificate, two.key)) is not first


def test_a_certificate_of_a_plugin_that_is_none_is_told():
    contexts = TlsContexts(Cluster("https://x"), Clock())

    with pytest.raises(Unauthorized, match="exec plugin is unusable"):
        contexts.context(Credential("", b"nonsense", b"nonsense"))
