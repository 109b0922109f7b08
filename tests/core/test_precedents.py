"""Whether a group stays as other rules shaped it."""

import pytest

from podgrouper.core.claims import Claims
from podgrouper.core.groups import Decision, Group, Grouping, Placement
from podgrouper.core.model import Key
from podgrouper.core.precedents import RULES, shaped_by, signed
from tests.builders import owner, pod
from tests.core.tiny import GROUP, LINK, TinyDialect, rows

DIALECT = TinyDialect()
KEY = Key("tiny", "ns", "uid")


def member(link="g", phase="Running", **more):
    return rows([pod("p", annotations={LINK: link}, phase=phase, **more)])[0]


def live(rules="old", uid="uid-g"):
    marks = {RULES: rules} if rules else {}
    return owner(f"{GROUP}", "g", annotations=marks, uid=uid)


def looks(*looks_at):
    """What is said at each look: floor, rules in force, the group as it is, and its member."""
    claims = Claims()
    return [bound(claims, *one) for one in looks_at]


def bound(claims, floor=2, rules="new", found=None, pod_row=None):
    group = Group("ns", "g", (), (Placement(pod_row or member()),), floor=floor)
    rendered = DIALECT.render(group)
    decision = Decision(KEY, "", Grouping((group,)), (rendered,), rules=rules)
    claims.stake(decision)
    return claims.precedents.bind(decision, rendered, found or live(), DIALECT)


@pytest.mark.parametrize(
    ("expected", "look"),
    [
        pytest.param(True, (2, "new"), id="other rules, and a member runs"),
        pytest.param(False, (2, "old"), id="the same rules"),
        pytest.param(False, (2, "new", live("")), id="nobody knows which rules"),
        pytest.param(False, (2, "new", live(), member(phase="Pending")), id="nothing runs"),
        pytest.param(False, (2, "new", live(), member(link="")), id="what runs is none of its members"),
    ],
)
def test_the_first_look_decides(expected, look):
    assert looks(look) == [expected]


@pytest.mark.parametrize(
    ("expected", "later"),
    [
        pytest.param(True, (2, "new"), id="nothing changed"),
        pytest.param(False, (3, "new"), id="the workload asks for something else"),
        pytest.param(True, (3, "newer"), id="the rules changed again"),
        pytest.param(True, (3, "new", live(uid="uid-again")), id="it is another group of that name"),
    ],
)
def test_a_later_look_is_compared_with_the_first_one(expected, later):
    assert looks((2, "new"), later)[-1] is expected


def test_what_a_patch_says_besides_stays_when_it_is_signed():
    patch = {"metadata": {"labels": {"a": "b"}, "annotations": {"x": None}}, "spec": {"floor": 1}}

    found = signed(patch, "new")

    assert shaped_by(found) == "new"
    assert found == {**patch, "metadata": {"labels": {"a": "b"}, "annotations": {"x": None, RULES: "new"}}}


def test_without_a_name_for_the_rules_nothing_is_signed():
    assert signed({"spec": {}}, "") == {"spec": {}}
