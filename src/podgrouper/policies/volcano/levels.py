"""At which owner pods belong together.

A level is a place on the way from a pod up its controllers: 0 is the pod, 1 its controller, and so on. Only
references with `controller: true` lead up. Without rules the level is 1, or 0 where there is no controller.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from podgrouper.core.fields import controller_ref, foremost_owners
from podgrouper.core.model import Chain, Json, OwnerRef, Pod, Ref
from podgrouper.core.rules import LevelRule, NoMatch

PREFIX = "podgroup-"


@dataclass(frozen=True, slots=True)
class Step:
    """One controller on the way up. Only the first may be without an object: one that cannot be read."""

    ref: Ref
    object: Json | None


@dataclass(frozen=True, slots=True)
class Levels:
    """The rules, and what holds where none of them fits."""

    rules: tuple[LevelRule, ...] = ()
    no_match: NoMatch = "controller"

    def chosen(self, steps: Sequence[Step]) -> int:
        """The level that the rules choose.

        The match nearest to the pod counts, of two rules for one kind the first. A rule is never compared
        with the pod itself. A level beyond the pod or the last owner stops there.
        """
        matched = self._matched(steps)
        if matched is not None:
            return max(0, min(matched, len(steps)))
        if self.rules and self.no_match == "root":
            return len(steps)
        return min(1, len(steps))

    def decided(self, steps: Sequence[Step]) -> bool:
        """Whether more steps further up would change nothing."""
        matched = self._matched(steps)
        return matched is not None and matched <= len(steps)

    def _matched(self, steps: Sequence[Step]) -> int | None:
        """The level that the nearest match asks for, be it there or not."""
        for level, step in enumerate(steps, start=1):
            rule = next((rule for rule in self.rules if _fits(rule, step)), None)
            if rule:
                return level + rule.level
        return None

    def boundary(self, steps: Sequence[Step]) -> int:
        """The level at which pods are looked at together.

        Never below the controller: its pods stay in the group that they are in, whatever the rules say now
        (`membership`), so each of them has to see the others.
        """
        return max(self.chosen(steps), min(1, len(steps)))


def _fits(rule: LevelRule, step: Step) -> bool:
    kind = step.ref.kind
    return rule.api_version == kind.api_version and rule.kind == kind.kind.lower()


def controllers(pod: Pod, chain: Chain) -> tuple[Step, ...]:
    """The way up from a pod: its controller, that one's controller … as far as they can be read."""
    reference = controller_ref(pod.owners)
    if reference is None:
        return ()
    if not chain.owners or chain.owners[0].ref.uid != reference.uid:
        return (Step(_unread(reference, pod), None),)
    steps: list[Step] = []
    for owner in chain.owners:
        if reference is None or reference.uid != owner.ref.uid:
            break
        steps.append(Step(owner.ref, owner.object))
        reference = controller_ref(foremost_owners(owner.object))
    return tuple(steps)


def _unread(reference: OwnerRef, pod: Pod) -> Ref:
    return Ref(reference.kind, pod.namespace, reference.name, reference.uid)


def group_name(uid: str) -> str:
    """A uid is never long, so the name needs no cutting."""
    return f"{PREFIX}{uid}"
