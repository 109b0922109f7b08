"""Looks at a group as it stands and says what is due for it: the part of the loop around `core.upkeep`."""

from collections.abc import Callable
from datetime import datetime

from podgrouper.controller.store import PRIORITY_CLASS
from podgrouper.controller.triggers import Triggers
from podgrouper.core.model import Pod, Ref
from podgrouper.core.upkeep import Duty, Standing, duty_of, keeper_of


class Keeper:
    """Answers from memory alone, so asking costs no request."""

    def __init__(self, triggers: Triggers, now: Callable[[], datetime]) -> None:
        self._triggers = triggers
        self._now = now

    def duty(self, group: Ref) -> Duty | None:
        """What is due for the group, or None when nobody looks after it: it is not there, or not ours."""
        store = self._triggers.store
        found = store.table(group.kind).with_status(group.namespace, group.name)
        profiles = [one for one in self._triggers.profiles if one.dialect.kind == group.kind]
        members = self._members(group)
        keeper = keeper_of(members, profiles)
        if found is None or keeper is None or not keeper.upkeep.any:
            return None
        classes = {
            name: store.table(PRIORITY_CLASS).here("", name) or {}
            for name in ((store.priority_classes() or ()) if keeper.reads.priority_classes else ())
        }
        return duty_of(Standing(found, members, self._now(), classes), keeper)

    def _members(self, group: Ref) -> list[Pod]:
        store = self._triggers.store
        names = sorted(self._triggers.gangs.members(group))
        return [pod for pod in (store.pod(group.namespace, name) for name in names) if pod]
