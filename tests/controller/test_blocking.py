"""Owner references without `blockOwnerDeletion` where the server does not let us set it."""

import pytest

from podgrouper.controller.blocking import AGAIN_SECONDS, Blocking, refuses_blocking
from podgrouper.kube.errors import Conflict, Forbidden

WORDS = 'podgroups "pg" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource'


def owned_by(*kinds, **flags):
    owners = [{"apiVersion": "apps/v1", "kind": kind, "name": "web", "uid": "u", **flags} for kind in kinds]
    return {"metadata": {"name": "pg", "ownerReferences": owners}, "spec": {"minMember": 2}}


def blocking(*refused, at=0.0):
    found = Blocking()
    for obj in refused:
        found.refused(obj, at)
    return found


BLOCKED = owned_by("ReplicaSet", controller=True, blockOwnerDeletion=True)
UNBLOCKED = owned_by("ReplicaSet", controller=True)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(Forbidden(WORDS), True, id="the flag"),
        pytest.param(Forbidden("podgroups is forbidden: User cannot create"), False, id="all of it"),
        pytest.param(Conflict(WORDS), False, id="another kind of answer"),
    ],
)
def test_only_one_refusal_is_about_the_flag(error, expected):
    assert refuses_blocking(error) is expected


def test_as_long_as_nothing_was_refused_everything_goes_as_it_is():
    assert blocking().permitted(BLOCKED, now=0) is BLOCKED


def test_after_a_refusal_the_flag_goes_and_nothing_else():
    assert blocking(BLOCKED).permitted(BLOCKED, now=1) == UNBLOCKED


def test_owners_of_other_kinds_keep_it():
    two = owned_by("ReplicaSet", "StatefulSet", blockOwnerDeletion=True)

    owners = blocking(BLOCKED).permitted(two, now=1)["metadata"]["ownerReferences"]

    assert [owner.get("blockOwnerDeletion") for owner in owners] == [None, True]


def test_the_server_does_not_say_which_owner_it_meant_so_all_kinds_count():
    two = owned_by("ReplicaSet", "StatefulSet", blockOwnerDeletion=True)

    assert blocking(two).permitted(BLOCKED, now=1) == UNBLOCKED


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(UNBLOCKED, id="an owner that is not blocked"),
        pytest.param(owned_by("ReplicaSet", blockOwnerDeletion=False), id="the flag is there and false"),
        pytest.param(owned_by("ReplicaSet", blockOwnerDeletion="true"), id="a flag that is none"),
        pytest.param({"spec": {"minMember": 3}}, id="a patch of something else"),
        pytest.param({"metadata": {"ownerReferences": "nonsense"}}, id="no list"),
    ],
)
def test_what_does_not_block_is_the_same_as_before(obj):
    assert blocking(BLOCKED).permitted(obj, now=1) is obj


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        pytest.param(AGAIN_SECONDS - 1, UNBLOCKED, id="within a minute"),
        pytest.param(AGAIN_SECONDS, BLOCKED, id="after it: the right may have been given"),
    ],
)
def test_a_refusal_holds_for_a_minute(later, expected):
    assert blocking(BLOCKED, at=100).permitted(BLOCKED, now=100 + later) == expected
