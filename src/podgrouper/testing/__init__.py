"""Tests for a grouper of one's own: what podgrouper expects of every grouper, in a class to derive from.

    class TestCustomJobs(GrouperTests):
        grouper = CustomJobGrouper()
        objects = tuple(yaml.safe_load_all(Path("customjob.yaml").read_text()))

pytest runs what is inherited. Nothing here imports it.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy

from podgrouper.core.groups import Decision, Grouping
from podgrouper.core.model import Json
from podgrouper.core.reasons import Reason
from podgrouper.policies.kai.grouper import Grouper
from podgrouper.policies.kai.outside.plugin import Plugin
from podgrouper.testing.trials import Trial


class GrouperTests:
    """A grouper, and objects in which nothing is wrong: workloads of its kinds, pods, what else it reads."""

    grouper: Grouper
    objects: Sequence[Json]

    def test_the_objects_hold_workloads_of_its_kinds(self) -> None:
        kinds = ", ".join(map(str, self.grouper.kinds))
        assert self._bare.decisions(), f"no pod among the objects leads to one of {kinds}: add a workload"

    def test_every_living_pod_is_placed(self) -> None:
        left_out = [
            f"pod {entry.pod.name}: {entry.skip.reason}: {entry.skip.message}"
            for decision in self._bare.decisions()
            for entry in decision.grouping.unplaced
            if entry.skip.reason is not Reason.GROUP_INVALID
        ]
        _none(left_out)

    def test_its_groups_are_ones_that_the_api_takes(self) -> None:
        """Names, numbers and the tree of subgroups."""
        refused = {
            entry.skip.message
            for decision in self._bare.decisions()
            for entry in decision.grouping.unplaced
            if entry.skip.reason is Reason.GROUP_INVALID
        }
        _none(sorted(refused))

    def test_its_answers_make_sense(self) -> None:
        """Types; each pod in one place, and in a subgroup where there are any; nothing of other workloads."""
        _none(_faults(self._checked.decisions()))

    def test_the_same_workload_is_grouped_the_same_way_again(self) -> None:
        once, again = (list(map(_grouping, self._bare.decisions())) for _ in range(2))
        assert once == again, f"asked twice about the same it says\n{once}\nand then\n{again}"
        assert self._bare.settled(self._bare.world(self.objects)), "there is always something left to change"

    def test_the_order_in_which_pods_come_plays_no_part(self) -> None:
        outcomes = [self._bare.after(pods) for pods in self._bare.orders()]
        different = [outcome for outcome in outcomes[1:] if outcome != outcomes[0]]
        assert not different, f"in one order\n{outcomes[0]}\nin another\n{different[0]}"

    def test_malformed_values_cost_no_more_than_their_own_workload(self) -> None:
        """It may raise `BadValue` and nothing else, and never pass on what makes no sense."""
        _none(
            f"{what}: {fault}"
            for what, trial in self._checked.spoiled()
            for fault in _faults(trial.decisions())
        )

    @property
    def _bare(self) -> Trial:
        """With a copy, so that no test sees what another one left in the grouper."""
        return Trial(deepcopy(self.grouper), tuple(self.objects))

    @property
    def _checked(self) -> Trial:
        """Under the checks that it is under when it is a plugin."""
        grouper = deepcopy(self.grouper)
        return Trial(Plugin.of(type(grouper).__name__, grouper), tuple(self.objects))


def _faults(decisions: Sequence[Decision]) -> Iterator[str]:
    return (decision.fault.message for decision in decisions if decision.fault)


def _grouping(decision: Decision) -> Grouping:
    return decision.grouping


def _none(problems: Iterator[str] | Sequence[str]) -> None:
    found = tuple(problems)
    assert not found, "\n".join(found)
