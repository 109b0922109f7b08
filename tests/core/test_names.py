"""What the API accepts as a name."""

import pytest

from podgrouper.core.names import is_subdomain


@pytest.mark.parametrize("name", ["a", "0", "a-b", "a.b", "podgroup-1.x", "a" * 253, "a--b"])
def test_a_subdomain_is_a_name(name):
    assert is_subdomain(name)


@pytest.mark.parametrize(
    "name",
    ["", "-a", "a-", "A", "a_b", "a..b", ".a", "a.", "a.-b", "a" * 254, "ä", "a\n", "a b", "\u0661"],
    ids=repr,
)
def test_anything_else_is_none(name):
    assert not is_subdomain(name)
