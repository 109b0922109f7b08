"""Which proxy the environment names, as kubectl would use it."""

import pytest

from podgrouper.kube.access.proxies import proxy_of

PROXY = "http://proxy:3128"
SERVER = "https://10.1.2.3:6443"


@pytest.mark.parametrize(
    ("server", "environ", "expected"),
    [
        pytest.param(SERVER, {}, "", id="none"),
        pytest.param(SERVER, {"HTTPS_PROXY": PROXY}, PROXY, id="upper case"),
        pytest.param(SERVER, {"https_proxy": PROXY}, PROXY, id="lower case"),
        pytest.param(SERVER, {"HTTP_PROXY": PROXY}, "", id="one for the other scheme"),
        pytest.param("http://10.1.2.3", {"HTTP_PROXY": PROXY}, PROXY, id="for http"),
        pytest.param(SERVER, {"HTTPS_PROXY": "proxy:3128"}, PROXY, id="without a scheme"),
        pytest.param("https://127.0.0.1:1", {"HTTPS_PROXY": PROXY}, "", id="this machine"),
        pytest.param("https://[::1]:1", {"HTTPS_PROXY": PROXY}, "", id="this machine in IPv6"),
        pytest.param("https://localhost:1", {"HTTPS_PROXY": PROXY}, "", id="this machine by name"),
    ],
)
def test_the_environment_may_name_a_proxy(server, environ, expected):
    assert proxy_of(server, environ) == expected


@pytest.mark.parametrize(
    ("server", "exceptions", "spared"),
    [
        pytest.param(SERVER, "10.1.2.3", True, id="address"),
        pytest.param(SERVER, "192.168.0.0/16, 10.0.0.0/8", True, id="range"),
        pytest.param(SERVER, "10.2.0.0/16", False, id="another range"),
        pytest.param(SERVER, "*", True, id="everything"),
        pytest.param(SERVER, "10.1.2.3:6443", True, id="address and port"),
        pytest.param(SERVER, "10.1.2.3:443", False, id="another port"),
        pytest.param("https://api.example", "example", True, id="domain"),
        pytest.param("https://example", "example", True, id="the domain itself"),
        pytest.param("https://example", ".example", False, id="only what is below it"),
        pytest.param("https://api.example", "*.example", True, id="with a star"),
        pytest.param("https://notexample", "example", False, id="no domain of it"),
        pytest.param("https://[fd00::5]:1", "fd00::/8", True, id="range in IPv6"),
        pytest.param("https://api.example", ",,/, :x", False, id="nonsense"),
    ],
)
def test_no_proxy_spares_servers(server, exceptions, spared):
    assert (proxy_of(server, {"HTTPS_PROXY": PROXY, "NO_PROXY": exceptions}) == "") is spared
