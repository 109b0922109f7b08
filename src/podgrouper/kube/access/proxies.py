"""Which proxy the environment names for a server, as Go programs read it (x/net/http/httpproxy)."""

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit


def proxy_of(server: str, environ: Mapping[str, str]) -> str:
    """HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY or this machine itself is meant; empty: none."""
    parts = urlsplit(server)
    proxy = _either(environ, f"{parts.scheme}_proxy")
    if not proxy or _spared(parts.hostname or "", parts.port, _either(environ, "no_proxy")):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def _either(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name.upper()) or environ.get(name, "")


def _spared(host: str, port: int | None, exceptions: str) -> bool:
    if host == "localhost" or _loopback(host):
        return True
    entries = (entry.strip().lower() for entry in exceptions.split(","))
    return any(_matches(host, port, entry) for entry in entries if entry)


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _matches(host: str, port: int | None, entry: str) -> bool:
    """`*`, an address, a CIDR range, a domain (with its subdomains), `.domain` (only those); maybe a port."""
    if entry == "*":
        return True
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        pass
    name, colon, wanted = entry.rpartition(":")
    if colon and wanted.isdigit():
        if int(wanted) != port:
            return False
        entry = name
    entry = entry.removeprefix("*")
    return host.endswith(entry) if entry.startswith(".") else host == entry or host.endswith(f".{entry}")
