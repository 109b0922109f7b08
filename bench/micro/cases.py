"""The calls that are measured: each stage of the road on one workload that is linked and unchanged."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import msgspec

from bench.stub.sample import lived
from bench.stub.workloads import job
from podgrouper.config.model import Config, ProfileConfig
from podgrouper.controller.shapes import pod_shape
from podgrouper.controller.store import Look, Store
from podgrouper.controller.tables import State
from podgrouper.core.changes import MANAGER
from podgrouper.core.claims import Claims
from podgrouper.core.fields import items, kind_of, mapping
from podgrouper.core.groups import Decision
from podgrouper.core.interfaces import Profile
from podgrouper.core.model import POD, Json, Pod, Ref, Workload
from podgrouper.core.owners import chain_of
from podgrouper.core.pods import PodRows
from podgrouper.core.road import boundary_of, decide, plan_changes, workload_of
from podgrouper.core.workloads import Unseen
from podgrouper.kube.decoding import Decoder
from podgrouper.wiring import wire

NAMESPACE = "team-0"
SMALL, LARGE = 10, 1000
"""Pods of a gang."""


WHAT: Mapping[str, str] = MappingProxyType(
    {
        "decode 9 KB": "A line of a watch, of a pod that a kubelet runs.",
        "decode 3 KB": "The same without environment and managedFields.",
        "row": "From the decoded pod to what is kept of it.",
        "chain": "From a pod to its owners, of which it has one.",
        "group 10": "The policy decides about a gang of ten.",
        "render 10": "Its PodGroup in the dialect.",
        "compare 10": "That with the PodGroup and the links that are there: nothing is to be changed.",
        "group 1000": "The policy decides about a gang of a thousand.",
        "render 1000": "Its PodGroup in the dialect.",
        "compare 1000": "That with what is there.",
    }
)
"""The cases, in the order of the road."""


@dataclass(frozen=True, slots=True)
class Case:
    """One call, and how often it is made so that its cost shows."""

    name: str
    calls: int
    run: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Scene:
    """One gang in the controller's own store, and where the road has come with it."""

    profile: Profile
    look: Look
    objects: tuple[Json, ...]
    """The pods, as a watch sends them."""
    pods: tuple[Pod, ...]
    workload: Workload
    decision: Decision
    claims: Claims


def gangs(config: ProfileConfig) -> tuple[tuple[Json, ...], ...]:
    """The objects of a small and of a large gang: to be made where time does not matter."""
    program = Config(profiles=(config,))
    return tuple(lived(job(NAMESPACE, config.schedulers[0], pods), program) for pods in (SMALL, LARGE))


def cases(config: ProfileConfig, of: Sequence[Sequence[Json]]) -> Iterator[Case]:
    """In the order of the road, for these gangs."""
    small, large = (scene(config, objects) for objects in of)
    pod = small.objects[0]
    decoder, rows = Decoder(pod_shape(small.profile.reads)), PodRows(small.profile.reads)
    seen = decoder.lines(line_of(pod)).lines[0].object or {}
    yield Case("decode 9 KB", 200, partial(decoder.lines, line_of(pod)))
    yield Case("decode 3 KB", 200, partial(decoder.lines, line_of(slim(pod))))
    yield Case("row", 200, lambda: rows.row(seen))
    yield Case("chain", 200, lambda: chain_of(small.pods[0], small.look.object))
    for gang, calls in ((small, 50), (large, 2)):
        yield from _stages(gang, calls)


def _stages(gang: Scene, calls: int) -> Iterator[Case]:
    profile, dialect = gang.profile, gang.profile.dialect
    group = gang.decision.rendered[0].group
    of = len(gang.pods)
    yield Case(f"group {of}", calls, lambda: profile.policy.group(gang.workload))
    yield Case(f"render {of}", calls, lambda: dialect.render(group))
    yield Case(
        f"compare {of}",
        calls,
        lambda: plan_changes(gang.decision, dialect, gang.look.group, gang.claims),
    )


def scene(config: ProfileConfig, objects: Sequence[Json]) -> Scene:
    """One gang at rest. Raises where podgrouper would still change something about it."""
    profile = wire(Config(profiles=(config,)), {}).profiles[0]
    store = _store(profile, objects)
    look = store.look()
    rows = store.labelled_pods(NAMESPACE, ())
    boundary = boundary_of(rows[0], chain_of(rows[0], look.object), profile, look)
    assert isinstance(boundary, Ref), boundary
    workload = workload_of(boundary, rows, profile, look)
    assert not isinstance(workload, Unseen), workload
    decision, claims = decide(workload, profile), Claims()
    claims.stake(decision)
    assert not plan_changes(decision, profile.dialect, look.group, claims).changes
    listed = tuple(obj for obj in objects if kind_of(obj) == POD)
    return Scene(profile, look, listed, rows, workload, decision, claims)


def line_of(pod: Json) -> bytes:
    return msgspec.json.encode({"type": "MODIFIED", "object": pod}) + b"\n"


def slim(pod: Json) -> Json:
    """As somebody's pod is who sets no environment, before anybody's managedFields."""
    metadata = {key: value for key, value in mapping(pod, "metadata").items() if key != "managedFields"}
    spec = mapping(pod, "spec")
    containers = [{**one, "env": []} for one in items(spec, "containers")]
    return {**pod, "metadata": metadata, "spec": {**spec, "containers": containers}}


def _store(profile: Profile, objects: Sequence[Json]) -> Store:
    """As it is when every list was read."""
    store = Store((profile,), profile.dialect.predecessors | {MANAGER})
    for obj in objects:
        if kind_of(obj) == POD:
            store.put_pod(obj)
        else:
            store.table(kind_of(obj)).put(obj)
    for table in store.tables():
        table.state = State.LISTED
    return store
