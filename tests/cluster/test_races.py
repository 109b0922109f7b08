"""Our link against somebody else's, both on their way to a real API server at the same time."""

import asyncio
import itertools
from collections.abc import Sequence
from contextlib import suppress

from podgrouper.controller.linking import link_operations
from podgrouper.core.groups import LinkPatch
from podgrouper.core.model import POD, Ref
from podgrouper.core.plans import LinkPod
from podgrouper.core.pods import PodRows
from podgrouper.dialects.volcano import LINK, VolcanoDialect
from podgrouper.kube.client import Client
from podgrouper.kube.errors import Conflict
from podgrouper.kube.transport import AiohttpTransport
from tests.cluster import objects
from tests.cluster.api import Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.loader import create_all_async

RACES = 400
NOTHING = LinkPatch()


async def ours(client: Client, pod: Object) -> None:
    row = PodRows(VolcanoDialect().reads).row(pod)
    with suppress(Conflict):
        link = LinkPod(row, "ours", LinkPatch({LINK: "ours"}), NOTHING)
        await client.json_patch(row.ref, link_operations(link))


async def theirs(client: Client, pod: Object) -> None:
    """Without any condition: it stands whenever it comes."""
    ref = Ref(POD, pod["metadata"]["namespace"], pod["metadata"]["name"])
    await client.merge_patch(ref, {"metadata": {"annotations": {LINK: "theirs"}}})


async def race(client: Client, pods: Sequence[Object]) -> None:
    """Each of the two starts first half of the time."""
    orders = itertools.cycle([(ours, theirs), (theirs, ours)])
    works = [write(client, pod) for pod, order in zip(pods, orders, strict=False) for write in order]
    await asyncio.gather(*works)


async def test_in_hundreds_of_races_theirs_is_never_overwritten(plane: ControlPlane, namespace: str):
    pods = [objects.pod(namespace, f"p-{number}", "volcano") for number in range(RACES)]
    made = await create_all_async(plane, pods)
    transport = AiohttpTransport(plane.cluster())

    await race(Client(transport), made)
    await transport.close()

    links = [pod["metadata"]["annotations"][LINK] for pod in plane.api.all_of(POD, namespace)]
    assert links == ["theirs"] * RACES
