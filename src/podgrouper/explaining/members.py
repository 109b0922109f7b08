"""Causes that lie in the members: they cannot be, are not there, are gated, have no room, have failed."""

from collections import Counter
from collections.abc import Iterator

from podgrouper.core.fields import controller_ref, items, kind_of, mapping, owner_refs, ref_of, text
from podgrouper.core.model import Json
from podgrouper.core.quantity import ZERO, Quantity, parse
from podgrouper.core.reasons import Reason
from podgrouper.core.status import ROOT, Gang, Tally
from podgrouper.explaining import reach, verdicts
from podgrouper.explaining.model import Cause
from podgrouper.explaining.scene import Scene
from podgrouper.explaining.words import gates_of

SHOWN = 5


def one_after_another(scene: Scene) -> Iterator[Cause]:
    owner = _direct_owner(scene)
    floor = _floor(scene)
    if owner and floor > 1 and reach.one_after_another(owner) and not _complete(scene):
        yield Cause(
            Reason.ORDERED_START,
            f"{_called(owner)} creates each pod only when the one before is ready, and {floor} must start "
            "together: set spec.podManagementPolicy to Parallel, or the floor to 1",
        )


def out_of_reach(scene: Scene) -> Iterator[Cause]:
    """Only while members are missing, and only where all of them come from one owner."""
    owner = _direct_owner(scene)
    if owner is None or _complete(scene) or _several_owners(scene):
        return
    floor = _floor(scene) - _counted_as_done(scene)
    above = _above(owner, scene)
    rolling = reach.in_a_rollout(owner, above) if above and kind_of(above) == reach.DEPLOYMENT else None
    at_once = reach.reach_of(owner)
    if rolling and rolling.pods < floor:
        yield Cause(
            Reason.FLOOR_OUT_OF_REACH,
            f"{floor} members must start together, and {_called(owner)} gets {rolling.pods} before the old "
            f"ones go ({rolling.because}): raise maxSurge, use Recreate, or group by the Deployment",
        )
    elif at_once and at_once.pods < floor:
        yield Cause(
            Reason.FLOOR_OUT_OF_REACH,
            f"{floor} members must start together, and {_called(owner)} never has more than {at_once.pods} "
            f"({at_once.because}): lower the floor or raise these",
        )


def retry_parked(scene: Scene) -> Iterator[Cause]:
    gang = scene.gang
    if gang is None or gang.floors.succeeded_count or gang.complete or not gang.whole.succeeded:
        return
    if gang.met(lambda tally: tally.live + tally.succeeded):
        yield Cause(
            Reason.RETRY_PARKED,
            f"{gang.whole.succeeded} members have succeeded and count no more; {gang.whole.live} are left, "
            f"fewer than the floor of {_wanted(gang)}: lower minMember to the members that still have to run "
            "(podgrouper does so where it made the group)",
        )


def failed(scene: Scene) -> Iterator[Cause]:
    gang = scene.gang
    if gang and gang.whole.failed and not gang.complete:
        names = sorted(pod.name for pod in scene.members if pod.phase == "Failed")
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        yield Cause(
            Reason.MEMBERS_FAILED,
            f"{gang.whole.failed} members have failed ({', '.join(names[:SHOWN])}{more}) and were not "
            "replaced: see their logs (kubectl logs)",
        )


def too_few(scene: Scene) -> Iterator[Cause]:
    gang = scene.gang
    if gang is None or gang.complete:
        return
    owner = _direct_owner(scene)
    who = f"{_called(owner)} has to create the others" if owner else "nobody is known who creates the others"
    lacking = _lacking_part(gang)
    where = f" of part {lacking!r}" if lacking else ""
    tally, want = gang.tallies.get(lacking, Tally()), _wanted(gang, lacking)
    yield Cause(Reason.TOO_FEW_PODS, f"{tally.live} of {want} members{where} exist: {who}")


def gated(scene: Scene) -> Iterator[Cause]:
    gates = Counter(gate for pod in scene.members if pod.live for gate in gates_of(scene.whole_pod(pod)))
    if gates:
        named = ", ".join(f"{gate} on {count}" for gate, count in sorted(gates.items()))
        yield Cause(
            Reason.PODS_GATED,
            f"pods have spec.schedulingGates ({named}): whoever set them must remove them",
        )


def no_room(scene: Scene) -> Iterator[Cause]:
    """By the word of pods, else by that of their group: not every scheduler tells every pod."""
    gang = scene.gang
    if gang is None or gang.has_room or not gang.complete:
        return
    said = Counter(word for pod in scene.members if pod.live for word in _trouble(scene.whole_pod(pod)))
    words = said.most_common(1)[0][0] if said else verdicts.no_room(scene)
    if not gang.whole.unschedulable and not words:
        return
    short = gang.whole.unschedulable or gang.whole.waiting
    asked = f"those without a node ask for {_asked_together(scene)}{f': {words}' if words else ''}"
    yield Cause(
        Reason.NOT_ENOUGH_RESOURCES,
        f"no node has room for {short} of {gang.whole.live} members; {asked.removesuffix('.')}. Free or add "
        "what is missing, or ask for less",
    )


def priority_mix(scene: Scene) -> Iterator[Cause]:
    classes = Counter(pod.priority_class for pod in scene.members if pod.live)
    if len(classes) > 1:
        named = ", ".join(f"{name or 'none'} on {count}" for name, count in sorted(classes.items()))
        yield Cause(
            Reason.PRIORITY_MIX,
            f"members have different spec.priorityClassName ({named}), and the group has one: "
            f"{text(scene.shown, 'spec.priorityClassName') or 'none'}; give all of them the same",
            blocks=False,
        )


def _trouble(pod: Json) -> Iterator[str]:
    """The words of a scheduler that looked for a node; that others of the gang wait says nothing new."""
    for entry in items(pod, "status.conditions"):
        unplaced = text(entry, "type") == "PodScheduled" and text(entry, "status") == "False"
        if unplaced and text(entry, "reason") == "Unschedulable" and text(entry, "message"):
            yield " ".join(text(entry, "message").split())


def _asked_together(scene: Scene) -> str:
    """What the members that have no node ask for, summed over their containers."""
    total: dict[str, Quantity] = {}
    for pod in scene.members:
        if pod.live and not pod.node:
            for name, amount in _requests(scene.whole_pod(pod)):
                total[name] = total.get(name, ZERO) + amount
    return ", ".join(f"{name} {amount}" for name, amount in sorted(total.items())) or "nothing in particular"


def _requests(pod: Json) -> Iterator[tuple[str, Quantity]]:
    for container in items(pod, "spec.containers"):
        for name, value in mapping(container, "resources.requests").items():
            amount = parse(value)
            if amount is not None:
                yield name, amount


def _direct_owner(scene: Scene) -> Json | None:
    """The object that creates the pods."""
    owners = scene.pod.owners
    at = controller_ref(owners) or (owners[0] if owners else None)
    return scene.whole_owner(at) if at else None


def _above(owner: Json, scene: Scene) -> Json | None:
    at = controller_ref(owner_refs(owner))
    return scene.whole_owner(at) if at else None


def _several_owners(scene: Scene) -> bool:
    return len({pod.owners for pod in scene.members}) > 1


def _floor(scene: Scene) -> int:
    return _wanted(scene.gang) if scene.gang else 0


def _wanted(gang: Gang, part: str = ROOT) -> int:
    """The floor of a part; for the whole its own, or what all parts ask for where only those count."""
    if part != ROOT:
        return next((one.floor or 0 for one in gang.floors.parts if one.name == part), 0)
    if gang.floors.parts and not gang.floors.total_counts:
        return sum(one.floor or 0 for one in gang.floors.parts)
    return gang.floors.floor


def _lacking_part(gang: Gang) -> str:
    """The first part that lacks members; the whole where there are no parts or none lacks any."""
    for part in gang.floors.parts:
        tally = gang.tallies.get(part.name, Tally())
        done = tally.succeeded if gang.floors.succeeded_count else 0
        if part.floor is not None and tally.live + done < part.floor:
            return part.name
    return ROOT


def _counted_as_done(scene: Scene) -> int:
    gang = scene.gang
    return gang.whole.succeeded if gang and gang.floors.succeeded_count else 0


def _complete(scene: Scene) -> bool:
    return scene.gang is not None and scene.gang.complete


def _called(owner: Json) -> str:
    ref = ref_of(owner)
    return f"{ref.kind.kind} {ref.name}"
