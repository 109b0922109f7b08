"""Of several boundaries that name one group the oldest shapes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.core.claims import Claims
from podgrouper.core.groups import Decision, Group, Grouping
from podgrouper.core.model import Key

OLD, YOUNG, THIRD = (Key("tiny", "ns", uid) for uid in ("old", "young", "third"))
AGES = {OLD: "2026-01-01T00:00:00Z", YOUNG: "2026-01-02T00:00:00Z", THIRD: "2026-01-03T00:00:00Z"}


def decision(key, *names, age=""):
    groups = tuple(Group(key.namespace, name, (), ()) for name in names)
    return Decision(key, age or AGES[key], Grouping(groups), ())


def shaping(claims, name="g", keys=(OLD, YOUNG, THIRD)):
    return [key.uid for key in keys if claims.shapes(key, "ns", name)]


@pytest.mark.parametrize("order", [(OLD, YOUNG, THIRD), (THIRD, YOUNG, OLD), (YOUNG, OLD, THIRD)], ids=str)
def test_the_oldest_shapes_whoever_was_looked_at_first(order):
    claims = Claims()

    moved = [claims.stake(decision(key, "g")) for key in order]

    assert len(moved) == 3
    assert shaping(claims) == ["old"]


def test_of_two_of_one_age_the_uid_decides():
    claims = Claims()
    claims.stake(decision(YOUNG, "g", age=AGES[OLD]))
    claims.stake(decision(OLD, "g"))

    assert shaping(claims) == ["old"]


def test_whoever_is_displaced_is_looked_at_again():
    claims = Claims()
    claims.stake(decision(YOUNG, "g"))

    assert claims.stake(decision(OLD, "g")) == {YOUNG}


def test_a_younger_one_moves_nobody():
    claims = Claims()
    claims.stake(decision(OLD, "g"))

    assert claims.stake(decision(YOUNG, "g")) == frozenset()


def test_staking_the_same_again_moves_nobody():
    claims = Claims()
    claims.stake(decision(OLD, "g"))
    claims.stake(decision(YOUNG, "g"))

    assert claims.stake(decision(OLD, "g")) == frozenset()


def test_who_names_another_group_leaves_the_first_to_the_next():
    claims = Claims()
    claims.stake(decision(OLD, "g"))
    claims.stake(decision(YOUNG, "g"))

    assert claims.stake(decision(OLD, "other")) == {YOUNG}
    assert shaping(claims) == ["young"]
    assert shaping(claims, "other") == ["old"]


def test_who_is_no_more_leaves_the_group_to_the_next():
    claims = Claims()
    claims.stake(decision(OLD, "g"))
    claims.stake(decision(YOUNG, "g"))

    assert claims.release(OLD) == {YOUNG}
    assert claims.release(OLD) == frozenset()
    assert claims.named("tiny", "ns", "g")


def test_a_group_that_nobody_names_is_anybodys():
    claims = Claims()
    claims.stake(decision(OLD, "g"))
    claims.release(OLD)

    assert not claims.named("tiny", "ns", "g")
    assert claims.shapes(YOUNG, "ns", "g")


def test_profiles_and_namespaces_do_not_meet():
    claims = Claims()
    claims.stake(decision(OLD, "g"))

    assert claims.shapes(Key("other", "ns", "x"), "ns", "g")
    assert claims.shapes(YOUNG, "elsewhere", "g")


steps = st.lists(
    st.tuples(st.sampled_from([OLD, YOUNG, THIRD]), st.frozensets(st.sampled_from("gh"))), max_size=12
)


def walked(path):
    claims, last = Claims(), {}
    for key, names in path:
        claims.stake(decision(key, *names))
        last[key] = names
    return claims, last


@given(steps)
def test_the_outcome_depends_on_the_last_decisions_alone(path):
    claims, last = walked(path)
    naming = [key.uid for key in (OLD, YOUNG, THIRD) if "g" in last.get(key, ())]

    assert claims.named("tiny", "ns", "g") is bool(naming)
    assert (shaping(claims) == naming[:1]) is bool(naming) or len(shaping(claims)) == 3


@given(steps)
def test_when_all_are_released_nothing_is_left(path):
    claims, last = walked(path)

    released = [claims.release(key) for key in last]

    assert len(released) == len(last)
    assert not any(claims.named("tiny", "ns", name) for name in "gh")
    assert not any(vars(claims).values())
