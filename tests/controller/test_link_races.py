"""A race between our link and somebody else's: whoever writes first, theirs is never overwritten."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import pytest

from podgrouper.controller.linking import link_operations
from podgrouper.core.changes import plan_changes
from podgrouper.core.claims import Claims
from podgrouper.core.fields import annotations
from podgrouper.core.groups import Decision, Group, Grouping, Placement
from podgrouper.core.interfaces import Dialect
from podgrouper.core.model import Json, Key, Pod
from podgrouper.core.plans import LinkPod
from podgrouper.core.pods import PodRows
from podgrouper.dialects.kai import KaiDialect
from podgrouper.dialects.volcano import VolcanoDialect
from podgrouper.memory.patches import JSON_PATCH, MERGE, patched
from podgrouper.memory.refusals import Refused
from tests.builders import pod

OURS, THEIRS, NOWHERE = "ours", "theirs", "nowhere"
LOOK, WRITE, THEY_LINK = "we look", "we write", "they link"
DIALECTS = (VolcanoDialect(), KaiDialect())
LINKS = {"volcano": "scheduling.k8s.io/group-name", "kai": "pod-group-name"}


@dataclass(frozen=True)
class Race:
    """What the pod carries at first, and what happens, in order."""

    metadata: Json
    steps: tuple[str, ...]


NOISE: Mapping[str, Json] = {
    "it runs": {"status": {"phase": "Running"}},
    "another annotation comes": {"metadata": {"annotations": {"note": "x"}}},
    "another label comes": {"metadata": {"labels": {"note": "x"}}},
    "an annotation goes": {"metadata": {"annotations": {"old": None}}},
}


def interleavings() -> Iterator[tuple[str, ...]]:
    """We look and write twice; they link once, and two other things happen, at any point between."""
    for noise in itertools.product(NOISE, repeat=2):
        for places in itertools.product(range(5), range(6), range(7)):
            steps = [LOOK, WRITE, LOOK, WRITE]
            for place, step in zip(places, (THEY_LINK, *noise), strict=True):
                steps.insert(place, step)
            yield tuple(steps)


def starts(link: str) -> Iterator[Json]:
    yield {}
    yield {"annotations": {"old": "x"}}
    yield {"annotations": {link: ""}, "labels": {"app": "x"}}
    yield {"annotations": {link: NOWHERE, "old": "x"}}


def races(link: str) -> list[Race]:
    return [Race(start, steps) for start in starts(link) for steps in interleavings()]


class Server:
    """One pod, as the store in memory keeps it: each patch is applied as a whole or not at all."""

    def __init__(self, race: Race, dialect: Dialect) -> None:
        self._now: Json = pod("p", **race.metadata)
        self._dialect = dialect
        self._rows = PodRows(dialect.reads)
        self._seen = self._rows.row(self._now)
        self._acts: Mapping[str, Callable[[], None]] = {
            LOOK: self._look,
            WRITE: self._write,
            THEY_LINK: self._they_link,
        }

    def after(self, steps: tuple[str, ...]) -> str | None:
        """The group that the pod names in the end."""
        for step in steps:
            self._acts.get(step, partial(self._merge, NOISE.get(step, {})))()
        return annotations(self._now).get(LINKS[self._dialect.name])

    def _look(self) -> None:
        self._seen = self._rows.row(self._now)

    def _write(self) -> None:
        with suppress(Refused):
            for change in wanted(self._seen, self._dialect):
                self._patch(JSON_PATCH, link_operations(change))

    def _they_link(self) -> None:
        self._merge({"metadata": {"annotations": {LINKS[self._dialect.name]: THEIRS}}})

    def _merge(self, patch: Json) -> None:
        self._patch(MERGE, patch)

    def _patch(self, form: str, patch: object) -> None:
        changed = patched(self._now, form, patch)
        assert isinstance(changed, Mapping)
        self._now = changed


def wanted(seen: Pod, dialect: Dialect) -> Iterator[LinkPod]:
    """What the road plans for a pod that it saw like this; a link to nowhere may be replaced."""
    placement = Placement(seen, part="worker", replaces=NOWHERE)
    group = Group("ns", OURS, owners=(), placements=(placement,), floor=1)
    rendered = dialect.render(group)
    decision = Decision(Key("p", "ns", "u"), "", Grouping((group,)), (rendered,))
    plan = plan_changes(decision, dialect, lambda *_: rendered.object, Claims())
    return (change for change in plan.changes if isinstance(change, LinkPod))


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_in_ten_thousand_races_theirs_is_never_overwritten(dialect):
    found = [(race, Server(race, dialect).after(race.steps)) for race in races(LINKS[dialect.name])]

    assert len(found) > 10_000
    assert [race for race, group in found if group != THEIRS] == []


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_without_a_rival_the_pod_gets_its_link_whatever_else_happens_to_it(dialect):
    alone = [
        replace(race, steps=tuple(step for step in race.steps if step != THEY_LINK))
        for race in races(LINKS[dialect.name])
        if race.steps[-2:] == (LOOK, WRITE)
    ]

    assert [race for race in alone if Server(race, dialect).after(race.steps) != OURS] == []
