"""The life of a workload of every family on a real API server, all of them before one program."""

import pytest

from tests.cluster.kai.families import Family
from tests.cluster.kai.operator import Operator
from tests.cluster.kai.table import FAMILIES

SMALL, LARGE = 2, 3


@pytest.mark.parametrize("family", [pytest.param(family, id=name) for name, family in FAMILIES.items()])
def test_a_workload_comes_and_grows_loses_a_member_and_goes(operator: Operator, family: Family):
    operator.bring_about(family.things(SMALL))
    operator.settles(family.floors(SMALL))

    operator.bring_about(family.things(LARGE))
    operator.settles(family.floors(LARGE))

    before = operator.generations()
    *_, member = family.things(LARGE)
    operator.make_anew(member)
    operator.settles(family.floors(LARGE))
    assert operator.asks_as_before(before)

    operator.delete_the_workload()
    operator.nothing_is_left()
