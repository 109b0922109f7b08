"""From a course of events that breaks a promise to a small one that still does."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.soak.scenarios import Scenario

MOST_TRIES = 400


def shrunk(scenario: Scenario, fails: Callable[[Scenario], bool]) -> Scenario:
    """Nothing can be left out of it any more, as far as a few hundred tries show."""
    tries = 0
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(scenario):
            tries += 1
            if tries > MOST_TRIES:
                return scenario
            if fails(candidate):
                scenario, smaller = candidate, True
                break
    return scenario


def _smaller(scenario: Scenario) -> Iterator[Scenario]:
    """First with much less, then without one thing."""
    yield from (replace(scenario, **{name: False}) for name in ("twin", "elder") if getattr(scenario, name))
    if not scenario.calm:
        yield replace(scenario, calm=True)
    if scenario.crashes:
        yield replace(scenario, crashes=scenario.crashes[:-1])
    story = scenario.story
    size = len(story) // 2
    while size:
        for begin in range(0, len(story), size):
            yield _without_workloads(replace(scenario, story=story[:begin] + story[begin + size :]))
        size //= 2


def _without_workloads(scenario: Scenario) -> Scenario:
    """Those of which nothing is left."""
    left = {happening.deed.about.name.partition("-")[0] for happening in scenario.story}
    return replace(scenario, workloads=tuple(one for one in scenario.workloads if one.name in left))
