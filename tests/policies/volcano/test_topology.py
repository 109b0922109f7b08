"""The topology that a pod asks for."""

import pytest

from podgrouper.core.groups import Topology
from podgrouper.policies.volcano.topology import MODE, TIER
from tests.policies.volcano.objects import decided, job, pod


@pytest.mark.parametrize(
    ("expected", "remarks", "annotations"),
    [
        pytest.param(None, 0, {}, id="none"),
        pytest.param(Topology("hard", 2), 0, {MODE: "hard", TIER: "2"}, id="both keys"),
        pytest.param(Topology("soft"), 0, {MODE: "SoFt"}, id="a mode in any case"),
        pytest.param(Topology("hard", 1), 0, {TIER: "1"}, id="hard where only the tier is there"),
        pytest.param(Topology("hard", 0), 0, {TIER: "0"}, id="the lowest tier"),
        pytest.param(Topology("hard", 3), 1, {MODE: "best", TIER: "3"}, id="an unknown mode is hard"),
        pytest.param(Topology("soft"), 1, {MODE: "soft", TIER: "-1"}, id="no tier below 0"),
        pytest.param(Topology("soft"), 1, {MODE: "soft", TIER: str(2**63)}, id="no tier beyond 64 bits"),
        pytest.param(Topology("hard"), 2, {MODE: "", TIER: ""}, id="two empty words still ask for one"),
    ],
)
def test_the_pod_says_how_far_apart(
    expected: Topology | None, remarks: int, annotations: dict[str, str]
) -> None:
    outcome = decided(pod("p", annotations=annotations))

    assert (outcome.group.topology, len(outcome.remarks)) == (expected, remarks)


def test_an_owner_does_not() -> None:
    owner = job("j", annotations={MODE: "hard"})

    assert decided(owner, pod("p", owner)).group.topology is None
