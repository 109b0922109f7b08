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
Seen = Mapping[Ref, Json]
"""Pods and PodGroups at one moment."""


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
    before = _seen(sandbox, vector)
    async with sandbox.controller(vector.settings()):
        await sandbox.quiet()
    written = sandbox.writes()
    after = _seen(sandbox, vector)
    found = came_out(vector, before, after, sandbox.warned())
    async with sandbox.controller(vector.settings()):
        await sandbox.quiet()
    needed = _needed(sandbox, before, after) + _second_thoughts(sandbox, vector.profile, before, after)
    return Run(
        vector,
        found,
        needless=list((Counter(request.asked for request in written) - needed).elements()),
        after_restart=[request.asked for request in sandbox.writes()[len(written) :]],
    )


def _seen(sandbox: Sandbox, vector: Vector) -> Seen:
    kinds = (POD, GROUP_KINDS[vector.profile])
    return seen(obj for kind in kinds for obj in sandbox.store.list(kind))


def seen(objects: Iterable[Json]) -> Seen:
    return {ref_of(obj): obj for obj in objects}


def came_out(vector: Vector, before: Seen, after: Seen, warned: Iterable[Json]) -> Outcome:
    """From pods and PodGroups as they were and are, and the Warning events since."""
    links = tuple(_new_links(vector.profile, before, after))
    groups = [obj for ref, obj in after.items() if ref.kind != POD]
    gone = [_named(ref) for ref in before.keys() - after.keys()]
    return outcome(vector, groups, links, gone, tuple(_without_advice(warned, links)))


def _new_links(profile: str, before: Seen, after: Seen) -> Iterator[Json]:
    for ref, pod in after.items():
        if ref.kind != POD:
            continue
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


def _needed(sandbox: Sandbox, before: Seen, after: Seen) -> Counter[str]:
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


def _second_thoughts(sandbox: Sandbox, profile: str, before: Seen, after: Seen) -> Counter[str]:
    """A group that shows the annotations of its pod shows the pod's link as well, once that is written."""
    new = [ref for ref in after if ref not in before and ref.kind != POD]
    return Counter(f"PATCH {sandbox.path(ref)}" for ref in new if LINKS[profile] in annotations(after[ref]))
