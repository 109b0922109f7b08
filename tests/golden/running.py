"""Vectors through the controller itself: objects loaded, controller run until quiet, result read back."""

from collections.abc import Iterable, Mapping

from podgrouper.core.fields import annotations, labels, ref_of
from podgrouper.core.model import POD, Json, Kind
from tests.golden.outcome import Outcome, difference, expected, outcome
from tests.golden.vectors import Vector
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

GROUP_KINDS = {
    "volcano": Kind("scheduling.volcano.sh/v1beta1", "PodGroup"),
    "kai": Kind("scheduling.run.ai/v2alpha2", "PodGroup"),
}
LINK_KEYS = {
    "volcano": (("scheduling.k8s.io/group-name",), ()),
    "kai": (("pod-group-name",), ("kai.scheduler/subgroup-name",)),
}
FAILURES = frozenset({"LinkedElsewhere"})


def failure(vector: Vector) -> str:
    """Why the vector fails; empty when it passes."""
    actual = virtual_time.run(_run(vector))
    return difference(expected(vector, actual), actual)


async def _run(vector: Vector) -> Outcome:
    sandbox = Sandbox(vector.world, vector.unreadable())
    kind = GROUP_KINDS[vector.profile]
    pods = {ref_of(pod): pod for pod in sandbox.store.list(POD)}
    groups = {ref_of(group) for group in sandbox.store.list(kind)}
    async with sandbox.controller(vector.settings()):
        await sandbox.quiet()
    left = sandbox.store.list(kind)
    gone = groups - {ref_of(group) for group in left}
    return outcome(
        vector,
        left,
        _new_links(vector, pods, sandbox.store.list(POD)),
        [{"namespace": ref.namespace, "name": ref.name} for ref in gone],
        [_about(event) for event in sandbox.warned() if event["reason"] not in FAILURES],
    )


def _new_links(vector: Vector, before: Mapping[object, Json], after: Iterable[Json]) -> list[Json]:
    keys, label_keys = LINK_KEYS[vector.profile]
    found: list[Json] = []
    for pod in after:
        old = before[ref_of(pod)]
        now = (
            {key: annotations(pod).get(key) for key in keys},
            {key: labels(pod).get(key) for key in label_keys},
        )
        was = (
            {key: annotations(old).get(key) for key in keys},
            {key: labels(old).get(key) for key in label_keys},
        )
        if now != was:
            ref = ref_of(pod)
            links, parts = ({key: value for key, value in one.items() if value is not None} for one in now)
            found.append(
                {"namespace": ref.namespace, "name": ref.name, "annotations": links, "labels": parts}
            )
    return found


def _about(event: Json) -> Json:
    about = event["involvedObject"]
    assert isinstance(about, Mapping)
    return {"namespace": about["namespace"], "name": about["name"]}
