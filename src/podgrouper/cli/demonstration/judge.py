"""Whether everything came out as it should: what is expected of each profile, and what was seen instead."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from podgrouper.cli.demonstration.mirror import Mirror
from podgrouper.cli.demonstration.pools import Pool
from podgrouper.cli.demonstration.rows import Row, rows_of
from podgrouper.cli.demonstration.story import GANG, ROLLED_OUT, Seen
from podgrouper.core.fields import dig, integer, items, text
from podgrouper.memory.builtins import DEPLOYMENT, REPLICA_SET
from podgrouper.sandbox.actors.pods import condition, replicas_wanted
from podgrouper.sandbox.actors.training import PYTORCH_JOB

SAME_MOMENT_SECONDS = 1.0
"""Times in objects are whole seconds; a gang gets its nodes in one session of the scheduler."""


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """One group as far as it does not depend on names that were made up."""

    workload: str
    owner: str
    floor: int
    pods: int

    def __str__(self) -> str:
        return f"{self.workload}: a group of the {self.owner}, {self.pods} pods, minimum {self.floor}"


COMMON = (
    Shape("Pod hello", "Pod", 1, 1),
    Shape("StatefulSet db", "StatefulSet", 1, 2),
    Shape("PyTorchJob train", "PyTorchJob", GANG, GANG),
)
EXPECTED: Mapping[str, tuple[Shape, ...]] = {
    # The pods of one controller are one group.
    "volcano": (
        *COMMON,
        Shape("Deployment web", "ReplicaSet", 1, 3),
        Shape("Job prepare", "Job", 1, 3),
        Shape("Workflow nightly", "Job", 1, 2),
        Shape("Workflow nightly", "Workflow", 1, 2),
    ),
    # Replicas of a service and steps of a workflow need nobody else. What is done counts no more.
    "kai": (
        *COMMON,
        *[Shape("Deployment web", "Pod", 1, 1)] * 3,
        *[Shape("Workflow nightly", "Pod", 0, 1)] * 2,
        Shape("Job prepare", "Job", 0, 3),
        Shape("Workflow nightly", "Job", 0, 2),
    ),
}


def verdict(mirror: Mirror, pools: Sequence[Pool], seen: Seen) -> tuple[str, ...]:
    """Everything that is not as it should be."""
    return tuple(
        f"{pool.profile}: {finding}"
        for pool in pools
        for finding in (
            *_groups(rows_of(mirror, pool), pool),
            *_gang(rows_of(mirror, pool), seen.waited.get(pool.profile, "")),
            *_rollout(mirror, pool, seen),
        )
    )


def _groups(rows: Sequence[Row], pool: Pool) -> Iterator[str]:
    for row in rows:
        if row.group is None:
            yield f"{row.path}: {len(row.pods)} pods have no group"
        elif not row.pods:
            yield f"PodGroup {row.name} is left over: no pod belongs to it"
    found = Counter(
        Shape(row.top, row.owner, row.floor, len(row.pods)) for row in rows if row.group and row.pods
    )
    wanted = Counter(EXPECTED[pool.profile])
    yield from (f"missing: {shape}" for shape in sorted((wanted - found).elements()))
    yield from (f"not expected: {shape}" for shape in sorted((found - wanted).elements()))


def _gang(rows: Sequence[Row], waited: str) -> Iterator[str]:
    """All members got their nodes in one moment, after all of them had waited."""
    if not waited:
        yield "the gang was never seen waiting as a whole"
    for row in rows:
        if not row.top.startswith(f"{PYTORCH_JOB.kind} "):
            continue
        told = [str(condition(pod, "PodScheduled").get("lastTransitionTime", "")) for pod in row.pods]
        moments = [datetime.fromisoformat(one) for one in told if one]
        spread = (max(moments) - min(moments)).total_seconds() if moments else 0.0
        if spread > SAME_MOMENT_SECONDS:
            yield f"the gang of {row.top} did not start as a whole: {spread:g} seconds lie between its pods"


def _rollout(mirror: Mirror, pool: Pool, seen: Seen) -> Iterator[str]:
    """The new ReplicaSet has all pods, the old one none, and the service was there all the time."""
    owned = mirror.all(REPLICA_SET, pool.namespace)
    images = {
        text(next(iter(items(one, "spec.template.spec.containers")), {}), "image"): one for one in owned
    }
    counts = {image: integer(one, "status.replicas", 0) for image, one in images.items()}
    deployment = mirror.find(DEPLOYMENT, pool.namespace, "web") or {}
    wanted = replicas_wanted(deployment)
    if counts != {"web:1": 0, ROLLED_OUT: wanted}:
        yield f"the rollout left these pods by image: {counts}"
    allowed = dig(deployment, "spec.strategy.rollingUpdate.maxUnavailable", 0)
    least = wanted - (allowed if isinstance(allowed, int) else 0)
    fewest = seen.fewest.get(pool.namespace, 0)
    if fewest < least:
        yield f"only {fewest} replicas of Deployment web were available during the rollout, not {least}"
