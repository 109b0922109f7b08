"""Every failure that a vector states, through the controller: told once, no group, and then put right."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from podgrouper.core.fields import annotations, ref_of, text
from podgrouper.core.model import POD, Kind
from podgrouper.core.reasons import NOTICES, QUIET, Reason
from tests.golden.repairs import failing, repaired
from tests.golden.vectors import FOLDER, Vector, vectors
from tests.roads import virtual_time
from tests.roads.sandboxed import Sandbox

GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")
LINK = "pod-group-name"
FAILURES = set(Reason) - NOTICES - QUIET
STATED = [one for one in vectors([FOLDER / "kai.jsonl"]) if one.expect["warnings"]]


@dataclass(frozen=True)
class Course:
    """What became of the pods that fail."""

    warnings: Counter[str]
    links: Mapping[str, str]
    links_when_mended: Mapping[str, str]


@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector.id) for vector in STATED])
def test_a_failure_is_one_warning_for_each_pod_and_no_group_until_it_is_put_right(vector: Vector):
    sandbox = Sandbox(vector.world, vector.unreadable())
    names = {ref_of(pod).name for pod in failing(vector)}
    before = links(sandbox, names)

    course = virtual_time.run(course_of(sandbox, vector, names))

    assert course.warnings == dict.fromkeys(names, 1)
    assert course.links == before
    assert course.links_when_mended.keys() == names
    groups = {ref_of(group).name for group in sandbox.store.list(GROUP)}
    assert set(course.links_when_mended.values()) <= groups


async def course_of(sandbox: Sandbox, vector: Vector, names: set[str]) -> Course:
    async with sandbox.controller(vector.settings()):
        await sandbox.quiet()
        warnings, found = told(sandbox, names), links(sandbox, names)
        for obj in repaired(vector):
            sandbox.store.load(obj)
        await sandbox.quiet()
        return Course(warnings, found, links(sandbox, names))


def links(sandbox: Sandbox, names: set[str]) -> Mapping[str, str]:
    """Of these pods, where they have one."""
    pods = {ref_of(pod).name: annotations(pod) for pod in sandbox.store.list(POD)}
    return {name: pods[name][LINK] for name in names if LINK in pods[name]}


def told(sandbox: Sandbox, names: set[str]) -> Counter[str]:
    """How many Warning events with a reason for a failure there are about each of these pods."""
    return Counter(
        text(event, "involvedObject.name")
        for event in sandbox.warned()
        if text(event, "involvedObject.name") in names and text(event, "reason") in FAILURES
    )
