"""What kinds are called."""

import pytest

from podgrouper.core.kinds import plural_of
from podgrouper.core.model import Kind


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Job", "jobs"),
        ("JobSet", "jobsets"),
        ("ReplicaSet", "replicasets"),
        ("PriorityClass", "priorityclasses"),
        ("NetworkPolicy", "networkpolicies"),
        ("Gateway", "gateways"),
        ("Ingress", "ingresses"),
        ("Batch", "batches"),
    ],
)
def test_the_plural_of_a_kind_is_what_generators_make_of_it(kind, expected):
    assert plural_of(kind) == expected


@pytest.mark.parametrize(
    ("api_version", "group", "version"),
    [("v1", "", "v1"), ("batch/v1", "batch", "v1"), ("a.b.c/v1beta1", "a.b.c", "v1beta1"), ("", "", "")],
)
def test_a_kind_knows_its_group_and_version(api_version, group, version):
    assert (Kind(api_version, "X").group, Kind(api_version, "X").version) == (group, version)
