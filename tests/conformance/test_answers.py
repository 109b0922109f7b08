"""The sandbox answers as a real API server answered, and a real one still answers so.

The answers in `answers.json` were given by kube-apiserver; `python -m tests.conformance.record` asks it
again. So the sandbox is held to them also where there is no control plane, and a new version of
Kubernetes that answers otherwise is noticed.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.conformance import servers
from tests.conformance.asking import answers_to
from tests.conformance.conversations import CONVERSATIONS

RECORDED = json.loads((Path(__file__).parent / "answers.json").read_text("utf-8"))


@pytest.fixture(params=["sandbox", pytest.param("real", marks=pytest.mark.control_plane)])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[servers.Place]:
    """An empty namespace on one of the two."""
    chosen = (
        servers.sandbox() if request.param == "sandbox" else servers.real(request.getfixturevalue("plane"))
    )
    async with chosen as place:
        yield place


@pytest.mark.parametrize("name", [pytest.param(name, id=name.replace(" ", "-")) for name in CONVERSATIONS])
async def test_both_servers_give_the_recorded_answers(name, server):
    transport, namespace = server

    assert await answers_to(transport, namespace, CONVERSATIONS[name]) == RECORDED[name]


def test_every_conversation_is_recorded_and_nothing_else():
    assert RECORDED.keys() == CONVERSATIONS.keys()
