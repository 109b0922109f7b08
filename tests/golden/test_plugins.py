"""The built-in groupers as plugins, each in a process of its own: they give what they give in ours."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from podgrouper import planning
from podgrouper.config.model import Config
from podgrouper.plugins.loading import load, named
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.groupers.plain import PlainGrouper
from podgrouper.policies.kai.groupers.replicas import ReplicaGrouper
from podgrouper.policies.kai.registry import GROUPERS
from tests.golden.outcome import difference, expected, planned
from tests.golden.vectors import Vector, every

STRICTER = {
    "kai/amljob/k19-negative",
    "kai/grove/pod-not-listed",
    "kai/knative/k19-min-scale-negative",
    "kai/mpijob/k19-min-available-zero-delayed",
    "kai/mpijob/k19-negative-min-available",
    "kai/mpijob/k19-two-launchers",
    "kai/pytorchjob/k19-negative",
    "kai/pytorchjob/pod-type-upper",
    "kai/pytorchjob/pod-without-type",
    "kai/pytorchjob/segments-index-beyond",
    "kai/ray/cluster-pod-of-idle-group",
}
"""A floor below 0, or a pod in no subgroup: ours are mended and reported, from a plugin they are nonsense."""


@pytest.fixture(scope="module")
def plugins() -> tuple[Grouper, ...]:
    rows = {PlainGrouper, ReplicaGrouper}
    modules = sorted({type(grouper).__module__ for grouper in GROUPERS if type(grouper) not in rows})
    return load(named(modules), 10.0).plugins


def of_kai() -> Iterator[Vector]:
    vectors = (parameters.values[0] for parameters in every())
    return (vector for vector in vectors if isinstance(vector, Vector) and vector.profile == "kai")


def differs(vector: Vector, plugins: tuple[Grouper, ...]) -> bool:
    plan = planning.plan(vector.world, using(vector.settings(), plugins), unreadable=vector.unreadable())
    actual = planned(vector, plan)
    return difference(expected(vector, actual), actual) != ""


def using(config: Config, plugins: tuple[Grouper, ...]) -> Config:
    profiles = (replace(profile, kai=replace(profile.kai, groupers=plugins)) for profile in config.profiles)
    return replace(config, profiles=tuple(profiles))


def test_what_a_plugin_gives_is_what_it_would_give_here(plugins):
    assert {vector.id for vector in of_kai() if differs(vector, plugins)} == STRICTER
