"""What kubelet and Prometheus ask, on a real socket."""

import aiohttp
import pytest

from podgrouper.controller.health import METRICS_TYPE, health_server


async def asked(path, *, ready=True, address="127.0.0.1:0"):
    """Status, text and content type of an answer."""
    server = health_server(address, lambda: ready, lambda: b"podgrouper_pods 7.0\n")
    async with server as at, aiohttp.ClientSession() as session, session.get(f"http://{at}{path}") as answer:
        return answer.status, await answer.text(), answer.headers["Content-Type"]


@pytest.mark.parametrize(
    ("path", "ready", "expected"),
    [
        pytest.param("/healthz", False, (200, "ok\n"), id="alive before it is ready"),
        pytest.param("/readyz", True, (200, "ok\n"), id="ready"),
        pytest.param("/readyz", False, (503, "not yet\n"), id="not ready"),
        pytest.param("/elsewhere", True, (404, "404: Not Found"), id="nothing else"),
    ],
)
async def test_it_answers(path, ready, expected):
    assert (await asked(path, ready=ready))[:2] == expected


async def test_metrics_are_in_the_form_that_prometheus_reads():
    assert await asked("/metrics") == (200, "podgrouper_pods 7.0\n", METRICS_TYPE)


async def test_it_stops_with_its_block():
    async with health_server("127.0.0.1:0", lambda: True, bytes) as at:
        pass

    with pytest.raises(aiohttp.ClientConnectorError):
        async with aiohttp.ClientSession() as session:
            await session.get(f"http://{at}/healthz")


async def test_without_an_address_there_is_no_server():
    async with health_server("", lambda: True, bytes) as at:
        assert at == ""


async def test_a_port_that_is_taken_is_an_error_of_the_system():
    async with health_server("127.0.0.1:0", lambda: True, bytes) as at:
        with pytest.raises(OSError, match="in use"):
            async with health_server(at, lambda: True, bytes):
                pass
