"""The builders refuse what no API server would store."""

import pytest

from tests.builders import Impossible, controls, owner, owns, pod


def test_an_owner_of_another_namespace_is_refused():
    elsewhere = owner("batch/v1 Job", "train", namespace="other")

    with pytest.raises(Impossible, match="another namespace"):
        pod("train-1", controls(elsewhere))


def test_a_cluster_scoped_owner_is_taken():
    node = owner("v1 Node", "one", namespace="")

    assert pod("mirror", controls(node))["metadata"]["ownerReferences"][0]["name"] == "one"


def test_two_controllers_are_refused():
    jobs = [owner("batch/v1 Job", name) for name in ("one", "two")]

    with pytest.raises(Impossible, match="one controller"):
        pod("both", *map(controls, jobs))


def test_a_controller_and_plain_owners_are_taken():
    jobs = [owner("batch/v1 Job", name) for name in ("one", "two", "three")]

    references = pod("all", owns(jobs[0]), controls(jobs[1]), owns(jobs[2]))["metadata"]["ownerReferences"]

    assert [entry.get("controller") for entry in references] == [None, True, None]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param("batch/v1 Job", "", id="no name"),
        pytest.param("batch/v1 ", "train", id="no kind"),
        pytest.param("Job", "train", id="no version"),
    ],
)
def test_an_object_without_identity_is_refused(kind, name):
    with pytest.raises(Impossible):
        owner(kind, name)
