"""Why a group does not run: one table of causes, the first that holds is what to look after first.

The order is that of the road: is the pod ours, has it a group, is the group there and accepted, can its
members exist, do they, may a scheduler look at them, is there room. What comes later may hold as well, but
nobody can tell before the earlier ones are gone.
"""

from collections.abc import Callable, Iterator

from podgrouper.core.conditions import NOT_SCHEDULED_YET
from podgrouper.core.fields import dig, text
from podgrouper.core.model import Ending, Kind
from podgrouper.core.reasons import Reason
from podgrouper.core.status import Phase, phase_of
from podgrouper.explaining import members, queues
from podgrouper.explaining.model import Cause
from podgrouper.explaining.scene import Scene
from podgrouper.explaining.words import by_us, words_of

Finder = Callable[[Scene], Iterator[Cause]]
DENIED = frozenset(
    {Reason.GROUP_REFUSED, Reason.LINK_REFUSED, Reason.RIGHT_MISSING, Reason.GROUP_KIND_MISSING}
)
NEXT_STEPS = {Reason.GROUPER_FAILED: ": mend that grouper, or run without it"}
"""Where the words of a skip are those of an exception, which knows no next step."""
UNDER_WAY = frozenset({Phase.RUNNING, Phase.COMPLETED})
KAI_GROUP = Kind("scheduling.run.ai/v2alpha2", "PodGroup")


def causes_of(scene: Scene) -> tuple[Cause, ...]:
    """Everything that keeps the group from running, first things first, then what is good to know."""
    found = tuple(cause for finder in BEFORE_A_GROUP for cause in finder(scene))
    if any(cause.blocks for cause in found):
        return found
    gang = scene.gang
    if gang is None or (scene.live and (gang.before or phase_of(gang)) in UNDER_WAY):
        return (*found, *_advice(scene))
    found += tuple(cause for finder in OF_A_GROUP for cause in finder(scene))
    if not any(cause.blocks for cause in found):
        found += tuple(_not_scheduled_yet(scene))
    return (*found, *_advice(scene))


def _not_ours(scene: Scene) -> Iterator[Cause]:
    if scene.profile is None:
        names = ", ".join(sorted(name for profile in scene.profiles for name in profile.schedulers))
        yield Cause(
            Reason.OTHER_SCHEDULER,
            f"{scene.pod.ref} asks for scheduler {scene.pod.scheduler!r}, which is in no profile here: set "
            f"spec.schedulerName in its pod template to one of: {names}",
        )


def _skipped(scene: Scene) -> Iterator[Cause]:
    if scene.skip and scene.skip.reason is not Reason.LINKED_ELSEWHERE:
        step = NEXT_STEPS.get(scene.skip.reason, "")
        yield Cause(scene.skip.reason, scene.skip.message + step)


def _linked_elsewhere(scene: Scene) -> Iterator[Cause]:
    by_our_rules = scene.group.name if scene.group else ""
    foreign = scene.skip is not None and scene.skip.reason is Reason.LINKED_ELSEWHERE
    if foreign or (by_our_rules and scene.name and scene.name != by_our_rules):
        there = "" if scene.live else ", which does not exist"
        otherwise = f"in {by_our_rules!r}" if by_our_rules else "by our rules"
        yield Cause(
            Reason.LINKED_ELSEWHERE,
            f"{scene.pod.ref} names group {scene.name!r}{there}, and podgrouper leaves it alone: remove its "
            f"annotation {scene.link_key} to have it {otherwise}",
            blocks=scene.live is None,
        )


def _chain_cut_short(scene: Scene) -> Iterator[Cause]:
    """Not in the way, but the group may be another one than a person expects."""
    at, ending = scene.chain.broken_at, scene.chain.ending
    if at and ending is Ending.FORBIDDEN:
        yield Cause(
            Reason.OWNER_FORBIDDEN,
            f"{at.kind.kind} {at.name} may not be read, so pods are grouped below it: grant get, list and "
            f"watch on {at.kind} (podgrouper rbac)",
            blocks=False,
        )
    if at and ending is Ending.UNKNOWN_KIND:
        yield Cause(
            Reason.OWNER_KIND_UNKNOWN,
            f"{at.kind} is not served, so pods are grouped below {at.name}: install its CRD",
            blocks=False,
        )
    skipped = scene.skip is not None and scene.skip.reason is Reason.OWNER_GONE
    if at and ending in (Ending.MISSING, Ending.OTHER_UID) and not skipped:
        state = "does not exist" if ending is Ending.MISSING else "was made anew with another uid"
        yield Cause(Reason.OWNER_GONE, f"{at.kind.kind} {at.name} {state}", blocks=False)


def _kind_missing(scene: Scene) -> Iterator[Cause]:
    kind = scene.profile.dialect.kind if scene.profile else None
    if kind and scene.world.hidden(kind) is Ending.UNKNOWN_KIND:
        yield Cause(Reason.GROUP_KIND_MISSING, f"{kind} is not served: podgrouper crds | kubectl apply -f -")


def _denied(scene: Scene) -> Iterator[Cause]:
    """What we told about writing this group, as long as it is not there."""
    if scene.live or not scene.group:
        return
    about = (scene.pod.ref, *(placement.pod.ref for placement in scene.group.placements))
    for ref in dict.fromkeys(about):
        told = [event for event in scene.events_about(ref) if by_us(event)]
        denied = [event for event in told if text(event, "reason") in DENIED]
        if denied:
            reason = Reason(text(denied[-1], "reason"))
            yield Cause(reason, _denial(scene, reason, text(denied[-1], "message")))
            return


def _denial(scene: Scene, reason: Reason, words: str) -> str:
    """The server names the path that was asked, not the object."""
    step = "" if reason is Reason.RIGHT_MISSING else "change what it says, "
    return f"{scene.group_ref} was refused ({words}): {step}podgrouper tries again every minute"


def _missing(scene: Scene) -> Iterator[Cause]:
    if scene.live is None and scene.name:
        yield Cause(
            Reason.GROUP_MISSING,
            f"PodGroup {scene.pod.namespace}/{scene.name} does not exist yet: see whether podgrouper runs "
            "and is ready (podgrouper run)",
        )


def _backoff(scene: Scene) -> Iterator[Cause]:
    live = scene.live or {}
    value = dig(live, "spec.schedulingBackoff")
    if scene.group_ref and scene.group_ref.kind == KAI_GROUP and value not in (None, 1, -1):
        yield Cause(
            Reason.BAD_BACKOFF,
            f"spec.schedulingBackoff of {scene.group_ref} is {value}: set it to -1 (try again always) or 1",
        )


def _not_scheduled_yet(scene: Scene) -> Iterator[Cause]:
    """Nothing is in the way that we know of."""
    gang = scene.gang
    if gang is None or gang.has_room or not gang.complete:
        return
    words = [word for word in words_of(scene) if NOT_SCHEDULED_YET not in word.says]
    said = f"says {words[0].says!r} and no more" if words else "has said nothing about them yet"
    yield Cause(
        Reason.NOT_SCHEDULED_YET,
        f"all members are there and scheduler {scene.pod.scheduler!r} {said}: see whether it runs",
    )


def _advice(scene: Scene) -> Iterator[Cause]:
    yield from _remarks(scene)
    yield from members.priority_mix(scene)


def _remarks(scene: Scene) -> Iterator[Cause]:
    """What our rules could not use, and what the dialect has no words for."""
    if scene.decision is None:
        return
    for remark in scene.decision.grouping.remarks:
        yield Cause(remark.reason, remark.message, blocks=False)
    if scene.rendered and scene.rendered.lost:
        yield Cause(Reason.NOT_EXPRESSIBLE, "; ".join(scene.rendered.lost), blocks=False)


BEFORE_A_GROUP: tuple[Finder, ...] = (
    _not_ours,
    _skipped,
    _linked_elsewhere,
    _chain_cut_short,
    _kind_missing,
    _denied,
    _missing,
)
OF_A_GROUP: tuple[Finder, ...] = (
    queues.missing_or_closed,
    _backoff,
    members.one_after_another,
    members.retry_parked,
    members.out_of_reach,
    members.failed,
    members.too_few,
    members.gated,
    queues.over_limit,
    members.no_room,
)
