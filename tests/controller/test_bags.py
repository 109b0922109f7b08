"""Members by group, few or many."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.bags import FEW, Bags

steps = st.lists(st.tuples(st.booleans(), st.sampled_from("ab"), st.integers(0, 2 * FEW)), max_size=120)


@given(steps)
def test_bags_hold_what_sets_would_hold(steps):
    bags, sets = Bags(), {"a": set(), "b": set()}
    for comes, group, member in steps:
        if comes:
            bags.add(group, member)
            sets[group].add(member)
        else:
            bags.discard(group, member)
            sets[group].discard(member)

    assert {group: sorted(bags.of(group)) for group in bags} == {
        group: sorted(members) for group, members in sets.items() if members
    }
    assert len(bags) == sum(map(bool, sets.values()))


@pytest.mark.parametrize("count", [1, FEW, FEW + 1, 2 * FEW])
def test_only_the_last_member_that_goes_ends_a_bag(count):
    bags = Bags()
    for member in range(count):
        bags.add("a", member)

    assert [bags.discard("a", member) for member in range(count)] == [False] * (count - 1) + [True]
    assert "a" not in bags


def test_who_is_not_there_does_not_go():
    bags = Bags()
    bags.add("a", 1)

    assert (bags.discard("a", 2), bags.discard("b", 1), sorted(bags.of("a"))) == (False, False, [1])
