"""The cases are those that are promised, and each of them can be called."""

import pytest

from bench.micro.cases import WHAT, cases, gangs
from podgrouper.config.model import BUILT_IN


@pytest.fixture(scope="module", params=BUILT_IN, ids=lambda profile: profile.name)
def found(request):
    return {case.name: case for case in cases(request.param, gangs(request.param))}


def test_there_is_a_case_for_each_row_of_the_table(found):
    assert tuple(found) == tuple(WHAT)


@pytest.mark.parametrize("name", ["compare 10", "compare 1000"])
def test_what_is_compared_is_unchanged(found, name):
    assert found[name].run().changes == ()


@pytest.mark.parametrize(("name", "groups"), [("group 10", 1), ("group 1000", 1)])
def test_a_gang_is_one_group(found, name, groups):
    assert len(found[name].run().groups) == groups


@pytest.mark.parametrize(("name", "size"), [("decode 9 KB", 9_700), ("decode 3 KB", 3_400)])
def test_lines_are_as_long_as_they_are_called(found, name, size):
    (line,) = found[name].run.args

    assert len(line) == pytest.approx(size, rel=0.1)
    assert found[name].run().lines[0].object["metadata"]["name"]
