"""Uids and versions come out of 24 bytes as they went in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podgrouper.controller.identities import identity, life_of, spelled

UID = "2f6b1c1e-7a51-4c0f-9d38-0123456789ab"


@pytest.mark.parametrize(
    ("uid", "version", "packed"),
    [
        pytest.param(UID, "1234567", True, id="as API servers write them"),
        pytest.param(UID.upper(), "1", False, id="a uid in capitals"),
        pytest.param(UID.replace("-", ""), "1", False, id="a uid without dashes"),
        pytest.param("uid-p", "1", False, id="a uid of another make"),
        pytest.param(UID, "", False, id="no version"),
        pytest.param(UID, "007", False, id="a version with zeros in front"),
        pytest.param(UID, str(1 << 64), False, id="a version that is too large"),
        pytest.param(UID, "-1", False, id="a negative version"),
        pytest.param(UID, "٣", False, id="other digits"),
    ],
)
def test_only_what_can_be_spelled_again_is_packed(uid, version, packed):
    found = identity(uid, version)

    assert isinstance(found, bytes) is packed
    assert spelled(found) == (uid, version)


@given(st.text(max_size=40) | st.uuids().map(str), st.text(max_size=24) | st.integers(0).map(str))
def test_an_identity_is_never_lost(uid, version):
    assert spelled(identity(uid, version)) == (uid, version)


@pytest.mark.parametrize("uid", [UID, "uid-p"])
def test_a_life_is_the_same_in_every_version(uid):
    assert life_of(identity(uid, "1")) == life_of(identity(uid, "2"))
    assert life_of(identity(uid, "1")) != life_of(identity("another", "1"))
