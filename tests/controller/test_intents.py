"""What would be written: told when it has lasted, once, and forgotten when it is no more."""

import pytest

from podgrouper.controller.intents import PATIENCE_SECONDS, Intents
from podgrouper.core.model import Key, Ref
from podgrouper.core.plans import CreateGroup, DeleteGroup, Report, UpdateGroup
from podgrouper.core.reasons import Reason
from tests.core.tiny import GROUP

KEY, OTHER = Key("tiny", "ns", "a"), Key("tiny", "ns", "b")
G = Ref(GROUP, "ns", "g", "uid-g")
CREATE = CreateGroup(Ref(GROUP, "ns", "new"), {"spec": {"minMember": 1}})
LATE = PATIENCE_SECONDS + 1


def update(floor: int, version: str = "1") -> UpdateGroup:
    return UpdateGroup(G, version, {"spec": {"minMember": floor}})


def told(*looks):
    """What is news each time that a key is looked at: at that time it intends these changes."""
    intents = Intents()
    return [intents.look(KEY, changes, now).lasting for now, changes in looks]


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        pytest.param([(0, [CREATE])], [()], id="not at once"),
        pytest.param([(0, [CREATE]), (LATE, [CREATE])], [(), (CREATE,)], id="when it has lasted"),
        pytest.param([(0, [CREATE]), (LATE, [CREATE]), (2 * LATE, [CREATE])], [(), (CREATE,), ()], id="once"),
        pytest.param([(0, [CREATE]), (5, []), (LATE, [CREATE])], [(), (), ()], id="anew when it was gone"),
        pytest.param(
            [(0, [update(1)]), (5, [update(2)]), (LATE, [update(2)])], [(), (), ()], id="another meaning"
        ),
        pytest.param(
            [(0, [update(1, "1")]), (LATE, [update(1, "2")])],
            [(), (update(1, "2"),)],
            id="the same for a newer object",
        ),
        pytest.param(
            [(0, [Report(G, Reason.BAD_VALUE, "x")]), (LATE, [Report(G, Reason.BAD_VALUE, "x")])],
            [(), ()],
            id="a report changes nothing",
        ),
    ],
)
def test_an_intent_is_news(looks, expected):
    assert told(*looks) == expected


def test_it_says_when_to_look_again():
    intents = Intents()
    intents.look(KEY, [CREATE], 0)

    assert intents.look(KEY, [CREATE, update(1)], 4).again_in == PATIENCE_SECONDS - 4
    assert intents.look(KEY, [CREATE, update(1)], LATE).again_in == 4 + PATIENCE_SECONDS - LATE
    assert intents.look(KEY, [CREATE, update(1)], 4 + LATE).again_in == 0


def counted(intents: Intents) -> dict[type, int]:
    return {kind: count for kind, count in intents.lasting.items() if count}


def test_what_has_lasted_is_counted_by_kind():
    intents = Intents()
    intents.look(KEY, [CREATE, update(1)], 0)
    intents.look(OTHER, [DeleteGroup(G, "1")], 0)
    before = counted(intents)
    intents.look(KEY, [CREATE, update(1)], LATE)
    intents.look(OTHER, [DeleteGroup(G, "1")], LATE)

    assert (before, counted(intents)) == ({}, {CreateGroup: 1, UpdateGroup: 1, DeleteGroup: 1})


def test_what_is_no_more_is_not_counted():
    intents = Intents()
    intents.look(KEY, [CREATE, update(1)], 0)
    intents.look(KEY, [CREATE, update(1)], LATE)
    intents.look(KEY, [CREATE], 2 * LATE)
    before = counted(intents)
    intents.forget(KEY)

    assert (before, counted(intents)) == ({CreateGroup: 1}, {})
