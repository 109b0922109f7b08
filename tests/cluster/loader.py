"""Many objects at once: what a training platform does on Monday morning."""

import asyncio
import ssl
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import aiohttp

from tests.cluster.api import Object, Refused, kind_of
from tests.cluster.control_plane import ControlPlane
from tests.cluster.servers import ADMIN, token_of

CONNECTIONS = 8
_SECONDS = 120.0


def create_all(
    plane: ControlPlane, objects: Iterable[Mapping[str, Any]], connections: int = CONNECTIONS
) -> Sequence[Object]:
    """Creates all of them over several connections, and gives them as stored, with their kind, in that order.

    Blocks: for tests without an event loop of their own.
    """
    return asyncio.run(create_all_async(plane, objects, connections))


async def create_all_async(
    plane: ControlPlane, objects: Iterable[Mapping[str, Any]], connections: int = CONNECTIONS
) -> Sequence[Object]:
    """The same for tests with an event loop."""
    posts = [(plane.api.served(kind_of(obj)).path(obj["metadata"]["namespace"]), obj) for obj in objects]
    answers: list[Object] = [{}] * len(posts)
    work = iter(enumerate(posts))
    async with _session(plane, connections) as session, asyncio.TaskGroup() as creators:
        for _ in range(connections):
            creators.create_task(_create_each(session, work, answers))
    return answers


async def _create_each(
    session: aiohttp.ClientSession,
    work: Iterator[tuple[int, tuple[str, Mapping[str, Any]]]],
    answers: list[Object],
) -> None:
    """Takes from the common work until nothing is left, one request after the other."""
    for place, (path, obj) in work:
        async with session.post(path, json=obj) as response:
            answer = await response.json()
            if response.status >= 400:
                raise Refused(f"POST {path}", response.status, answer)
            kind = kind_of(obj)
            answers[place] = {**answer, "apiVersion": kind.api_version, "kind": kind.kind}


def _session(plane: ControlPlane, connections: int) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        plane.url,
        connector=aiohttp.TCPConnector(
            limit=connections, ssl=ssl.create_default_context(cadata=plane.certificate)
        ),
        headers={"Authorization": f"Bearer {token_of(ADMIN)}"},
        timeout=aiohttp.ClientTimeout(total=_SECONDS),
    )
