"""What happens in the demo, act by act. Every act ends when its effect was seen over HTTP."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from podgrouper.cli.demonstration.mirror import Mirror
from podgrouper.cli.demonstration.pools import Pool
from podgrouper.cli.demonstration.rows import Row, rows_of, state_of
from podgrouper.core.fields import integer, kind_of, ref_of, text
from podgrouper.core.model import Json, Ref
from podgrouper.kube.client import Client
from podgrouper.memory.builtins import DEPLOYMENT, JOB
from podgrouper.sandbox.actors.pods import bound, condition
from podgrouper.sandbox.actors.training import PYTORCH_JOB
from podgrouper.sandbox.actors.workflows import WORKFLOW

LONGEST_ACT_SECONDS = 40.0
GANG = 4
ROLLED_OUT = "web:2"


@dataclass(slots=True)
class Seen:
    """What was seen on the way, and cannot be seen at the end any more."""

    waited: dict[str, str] = field(default_factory=dict)
    """Of each profile whose gang was complete and had not a single node: the scheduler's reason."""
    fewest: dict[str, int] = field(default_factory=dict)
    """The fewest replicas of the Deployment that were available during the rollout, by namespace."""


class Story:
    """The acts, in the order of `play`."""

    def __init__(
        self, client: Client, mirror: Mirror, pools: Sequence[Pool], tell: Callable[[str], None]
    ) -> None:
        self._client = client
        self._mirror = mirror
        self._pools = pools
        self._tell = tell
        self.seen = Seen()

    async def play(self) -> Seen:
        await self._open()
        await self._services()
        await self._job_and_gang()
        await self._workflow_and_rollout()
        await self._more_room()
        await self._end()
        return self.seen

    async def _open(self) -> None:
        self._tell("each profile has a namespace and one node with four GPUs")
        for pool in self._pools:
            await self._create([pool.namespace_object(), pool.node(1)])

    async def _services(self) -> None:
        self._tell("a Pod, a Deployment and a StatefulSet are created")
        await self._create_everywhere("1-services")
        await self._until("the services run in groups", lambda rows: _running(rows, 6))

    async def _job_and_gang(self) -> None:
        self._tell("an indexed Job takes three of the four GPUs of each node")
        await self._create_everywhere("2-job")
        await self._until("the Job holds its GPUs", lambda rows: _of(rows, JOB.kind, 3, bound))
        self._tell("a PyTorchJob wants four GPUs at once: its gang has to wait, although one GPU is free")
        await self._create_everywhere("3-training")
        await self._until("the gang waits as a whole", lambda rows: bool(_waiting_gang(rows)))
        for pool in self._pools:
            self.seen.waited[pool.profile] = _waiting_gang(rows_of(self._mirror, pool))

    async def _workflow_and_rollout(self) -> None:
        self._tell("a Workflow starts, and the Deployment rolls out a new image")
        self._mirror.on_object = self._note_available
        await self._create_everywhere("4-workflow")
        for pool in self._pools:
            containers = [{"name": "main", "image": ROLLED_OUT}]
            patch = {"spec": {"template": {"spec": {"containers": containers}}}}
            await self._client.strategic_patch(Ref(DEPLOYMENT, pool.namespace, "web"), patch)
        await self._mirror.until("the rollout is through", self._rolled_out, LONGEST_ACT_SECONDS)

    async def _more_room(self) -> None:
        """Kai's gang gets a second node; Volcano's waits for the Job to end."""
        for pool in self._pools[1:]:
            self._tell(f"{pool.profile} gets a second node; elsewhere the gang waits until the Job has ended")
            await self._create([pool.node(2)])

    async def _end(self) -> None:
        await self._until("the gang runs", lambda rows: _of(rows, PYTORCH_JOB.kind, GANG, _runs))
        await self._mirror.until("the Workflow is through", self._workflow_ended, LONGEST_ACT_SECONDS)
        await self._until("the Job is complete", lambda rows: _of(rows, JOB.kind, 3, _succeeded))

    def _rolled_out(self) -> bool:
        deployments = [self._mirror.find(DEPLOYMENT, pool.namespace, "web") for pool in self._pools]
        return all(one is not None and _through(one) for one in deployments) and not self._leftovers()

    def _leftovers(self) -> list[Row]:
        """Groups whose pods are gone."""
        return [row for pool in self._pools for row in rows_of(self._mirror, pool) if not row.pods]

    def _workflow_ended(self) -> bool:
        found = [self._mirror.find(WORKFLOW, pool.namespace, "nightly") for pool in self._pools]
        return all(one is not None and text(one, "status.phase") == "Succeeded" for one in found)

    def _note_available(self, obj: Json) -> None:
        if kind_of(obj) == DEPLOYMENT and integer(obj, "metadata.generation", 1) > 1:
            where, count = ref_of(obj).namespace, integer(obj, "status.availableReplicas", 0)
            self.seen.fewest[where] = min(count, self.seen.fewest.get(where, count))

    async def _until(self, what: str, holds: Callable[[Sequence[Row]], bool]) -> None:
        def everywhere() -> bool:
            return all(holds(rows_of(self._mirror, pool)) for pool in self._pools)

        await self._mirror.until(what, everywhere, LONGEST_ACT_SECONDS)

    async def _create_everywhere(self, file: str) -> None:
        for pool in self._pools:
            await self._create(pool.workloads(file))

    async def _create(self, objects: Iterable[Json]) -> None:
        for obj in objects:
            ref = ref_of(obj)
            await self._client.create(ref.kind, ref.namespace, obj)


def _running(rows: Sequence[Row], pods: int) -> bool:
    return sum(_runs(pod) for row in rows if row.group for pod in row.pods) == pods


def _of(rows: Sequence[Row], top: str, pods: int, holds: Callable[[Json], bool]) -> bool:
    """So many pods of workloads of that kind are as they should be."""
    found = [pod for row in rows if row.top.startswith(f"{top} ") and row.group for pod in row.pods]
    return sum(map(holds, found)) == pods


def _waiting_gang(rows: Sequence[Row]) -> str:
    """Why a gang that is complete has no node; empty while that was not seen."""
    gang = next((row for row in rows if row.top.startswith(f"{PYTORCH_JOB.kind} ")), None)
    if gang is None or gang.group is None or gang.states != {"waiting": GANG}:
        return ""
    told = all(condition(pod, "PodScheduled").get("status") == "False" for pod in gang.pods)
    return gang.waits_for if told else ""


def _runs(pod: Json) -> bool:
    return state_of(pod) == "running"


def _succeeded(pod: Json) -> bool:
    return state_of(pod) == "succeeded"


def _through(deployment: Json) -> bool:
    generation = integer(deployment, "metadata.generation", 1)
    fields = ("replicas", "updatedReplicas", "availableReplicas")
    return (
        generation > 1
        and integer(deployment, "status.observedGeneration", 0) == generation
        and {integer(deployment, f"status.{field}", 0) for field in fields}
        == {integer(deployment, "spec.replicas", 1)}
    )
