"""Vectors through the controller itself: objects loaded, controller run until quiet, result read back.

Then it is started once more on what came out: a restart that nobody notices.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from podgrouper.core.fields import annotations, labels, mapping, ref_of, text
from podgrouper.core.model import POD, Json, Kind, Ref
from tests.golden.outcome import Outcome, difference, expected, outcome
from tests.golden.vectors import Vector
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

GROUP_KINDS = {
    "volcano": Kind("scheduling.volcano.sh/v1beta1", "PodGroup"),
    "kai": Kind("scheduling.run.ai/v2alpha2", "PodGroup"),
}
LINKS = {"volcano": "scheduling.k8s.io/group-name", "kai": "pod-group-name"}
PARTS = {"volcano": "", "kai": "kai.scheduler/subgroup-name"}
"""The label that names a pod's part of its group, where there is one."""
Objects = Mapping[Ref, Json]


@dataclass(frozen=True)
class Run:
    """What came out of a vector's world."""

    vector: Vector
    outcome: Outcome
    needless: Sequence[str]
    """Writes beyond one for each object that is not what it was."""
    after_restart: Sequence[str]
    """Writes of a second controller on the world that the first one left."""

    @property
    def difference(self) -> str:
        """How it differs from what the vector states; empty when it does not."""
        return difference(expected(self.vector, self.outcome), self.outcome)


def run(vector: Vector) -> Run:
    """In virtual time: what a controller waits for costs nothing."""
    return virtual_time.run(_run(vector))


async def _run(vector: Vector) -> Run:
    sandbox = Sandbox(vector.world, vector.unreadable())
    kind = GROUP_KINDS[vector.profile]
    pods, groups = _objects(sandbox, POD), _objects(sandbox, kind)
    async with sandbox.controller(vector.settings()):
        await sandbox.quiet()
    written = sandbox.writes()
    pods_now, groups_now = _objects(sandbox, POD), _objects(sandbox, kind)
    links = tuple(_new_links(vector.profile, pods, pods_now))
    failed = tuple(_without_advice(sandbox.warned(), links))
    async with sandbox.controller(vector.settings()):
        await sandbox.quiet()
    needed = _needed(sandbox, {**pods, **groups}, {**pods_now, **groups_now})
    needed += _second_thoughts(sandbox, vector.profile, groups, groups_now)
    gone = [_named(ref) for ref in groups.keys() - groups_now.keys()]
    return Run(
        vector,
        outcome(vector, groups_now.values(), links, gone, failed),
        needless=list((Counter(request.asked for request in written) - needed).elements()),
        after_restart=[request.asked for request in sandbox.writes()[len(written) :]],
    )


def _objects(sandbox: Sandbox, kind: Kind) -> Objects:
    return {ref_of(obj): obj for obj in sandbox.store.list(kind)}


def _new_links(profile: str, before: Objects, after: Objects) -> Iterator[Json]:
    for ref, pod in after.items():
        link = _link(profile, pod)
        if link != _link(profile, before[ref]):
            yield _named(ref) | link


def _link(profile: str, pod: Json) -> dict[str, object]:
    group, part = LINKS[profile], PARTS[profile]
    return {
        "annotations": {key: value for key, value in annotations(pod).items() if key == group},
        "labels": {key: value for key, value in labels(pod).items() if key == part},
    }


def _without_advice(events: Iterable[Json], links: Iterable[Json]) -> Iterator[Json]:
    """Pods that failed. One that was warned about and linked all the same was only given advice.

    So were the owners of pods, which no vector speaks of.
    """
    linked = [{key: link[key] for key in ("namespace", "name")} for link in links]
    for event in events:
        about = {key: mapping(event, "involvedObject")[key] for key in ("namespace", "name")}
        if about not in linked and text(event, "involvedObject.kind") == POD.kind:
            yield about


def _named(ref: Ref) -> dict[str, object]:
    return {"namespace": ref.namespace, "name": ref.name}


def _needed(sandbox: Sandbox, before: Objects, after: Objects) -> Counter[str]:
    """One request for each object that came, went or is another one now."""
    needed: Counter[str] = Counter()
    for ref in before.keys() | after.keys():
        path = sandbox.path(ref)
        if ref not in before:
            needed[f"POST {path.rpartition('/')[0]}"] += 1
        elif ref not in after:
            needed[f"DELETE {path}"] += 1
        elif before[ref] != after[ref]:
            needed[f"PATCH {path}"] += 1
    return needed


def _second_thoughts(sandbox: Sandbox, profile: str, before: Objects, after: Objects) -> Counter[str]:
    """A group that shows the annotations of its pod shows the pod's link as well, once that is written."""
    new = after.keys() - before.keys()
    return Counter(f"PATCH {sandbox.path(ref)}" for ref in new if LINKS[profile] in annotations(after[ref]))
