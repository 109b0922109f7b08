"""Groups that the API refused, and the queues that may be the reason.

A closed queue opens, a missing one is made: then the group is tried again at once, not after its pause. The
kind of the queues is watched from the first refusal on, so that clusters without any pay nothing for it.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from podgrouper.controller.kinds import Kinds
from podgrouper.controller.outcomes import Failure, Outcome
from podgrouper.controller.store import Look
from podgrouper.controller.triggers import Triggers
from podgrouper.core.groups import Group
from podgrouper.core.interfaces import Dialect
from podgrouper.core.model import Key, ObjectWanted
from podgrouper.core.plans import CreateGroup, UpdateGroup
from podgrouper.kube.errors import ApiError, BadRequest, Forbidden, Invalid

REFUSALS = (BadRequest, Forbidden, Invalid)
"""What webhooks and admission policies answer."""


async def follow_queues(triggers: Triggers, kinds: Kinds, key: Key, look: Look, outcome: Outcome) -> None:
    """Lets the key run again when a queue changes that a refused group of it names."""
    dialect = triggers.profile(key.profile).dialect
    queues = tuple(_queues(outcome.failures, outcome.groups, dialect))
    if not queues:
        return
    look.places.update((queue.kind, queue.namespace, queue.name) for queue in queues)
    triggers.dependencies.note(key, look)
    with suppress(ApiError):  # then the group is tried again after its pause, as without a queue
        await kinds.open(queues[0].kind)


def _queues(failures: Iterable[Failure], groups: Iterable[Group], dialect: Dialect) -> Iterator[ObjectWanted]:
    refused = {
        failure.change.ref.name
        for failure in failures
        if isinstance(failure.change, CreateGroup | UpdateGroup) and isinstance(failure.error, REFUSALS)
    }
    for group in groups:
        queue = dialect.queue_of(group) if group.name in refused else None
        if queue:
            yield queue
