"""What has to be true whatever happened: one function for each promise, from a record to what broke it.

Nothing here asks the controller that ran. What lags behind the world is forgiven for as long as anything can
lag; a write that could have known better is not.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import msgspec

from podgrouper import planning
from podgrouper.core.fields import dig, labels, owner_refs, ref_of, text
from podgrouper.core.model import POD, Json
from podgrouper.memory.history import Change
from tests.golden.running import GROUP_KINDS
from tests.roads.worlds import THEIRS
from tests.soak.deeds import MARK
from tests.soak.floors import raises
from tests.soak.links import GROUPS, is_live, named_by, place_of, profile_of, without_link
from tests.soak.record import ELDER, SECOND_PASS, Record, Write

Finding = Iterator[str]
MOST_WRITES, MOST_READS = 200, 1000
"""Of one controller, and of all in one course: some five times of what the busiest of thousands needed."""


def placed(record: Record) -> Finding:
    """Every live pod names a group that exists, or there is a reason why not."""
    plan = planning.plan(record.objects, record.scenario.config)
    told = {entry.pod.uid for entry in plan.skipped}
    there = {place_of(obj) for obj in record.objects if ref_of(obj).kind in GROUPS}
    for pod in _pods(record):
        if is_live(pod) and ref_of(pod).uid not in told and named_by(pod) not in there:
            yield f"{ref_of(pod)} names {named_by(pod)[2] or 'nothing'}"


def quiet(record: Record) -> Finding:
    """A second pass writes nothing."""
    return (str(write) for write in record.writes if write.who == SECOND_PASS and not write.tells)


def needed(record: Record) -> Finding:
    """No group of ours exists that no pod, of all that ever were, has need of."""
    past = record.past
    ours = {ref_of(write.events[0].object).uid for write in _made(record) if write.who != ELDER}
    unnamed = [
        obj
        for obj in record.objects
        if ref_of(obj).uid in ours
        and place_of(obj) not in past.named
        and not any(past.lost_below(owner.uid) or past.other_mind(owner.uid) for owner in owner_refs(obj))
    ]
    ever = planning.plan(past.ever(), record.scenario.config).pod_groups if unnamed else ()
    wanted = {place_of(group) for group in ever}
    return (str(ref_of(obj)) for obj in unnamed if place_of(obj) not in wanted)


def gone_at_zero(record: Record) -> Finding:
    """Of a ReplicaSet or StatefulSet that wants no pods, the group is gone with its last live pod."""
    owners = {ref_of(obj).uid: obj for obj in record.objects}
    named = {named_by(pod) for pod in _pods(record) if is_live(pod)}
    for obj in record.objects:
        if ref_of(obj).kind != GROUP_KINDS["volcano"] or place_of(obj) in named:
            continue
        above = [owners[one.uid] for one in owner_refs(obj) if one.uid in owners]
        for owner in above:
            scaled = ref_of(owner).kind.kind in ("ReplicaSet", "StatefulSet")
            if scaled and dig(owner, "spec.replicas") == 0 and ref_of(obj).name.endswith(ref_of(owner).uid):
                yield f"{ref_of(obj)} of {ref_of(owner)}"


def within_bounds(record: Record) -> Finding:
    """Nothing but groups, links and events is written, and of pods nothing but their link."""
    for write in record.writes:
        for event in write.events:
            kind = event.resource.kind
            if kind in GROUPS or kind.kind == "Event":
                continue
            if kind != POD or event.change is not Change.MODIFIED:
                yield f"{write} changes {ref_of(event.object)}"
            elif without_link(event.object) != without_link(event.previous or {}):
                yield f"{write} changes more than the link"
            elif profile_of(event.object) not in dict(record.scenario.texts):
                yield f"{write} links a pod of another scheduler"


def foreign_untouched(record: Record) -> Finding:
    """Groups of others, their links and their notes on groups of ours stay as they are."""
    for write in record.writes:
        for event in write.events:
            before, after = event.previous or {}, event.object
            if event.resource.kind in GROUPS and ref_of(after).name == THEIRS:
                yield f"{write} touches a group of somebody else"
            elif labels(before).get(MARK) and event.change is Change.MODIFIED and not labels(after).get(MARK):
                yield f"{write} removes what somebody else noted"
            elif event.resource.kind == POD and _leaves_theirs(record, before, write.at):
                yield f"{write} replaces a link to a group of somebody else"


def _leaves_theirs(record: Record, pod: Json, at: float) -> bool:
    return named_by(pod)[2] == THEIRS and record.past.stood_when_named(pod, at)


def conditional(record: Record) -> Finding:
    """Every write says what it was based on."""
    return (str(write) for write in record.writes if not write.tells and not _says_its_base(write))


def _says_its_base(write: Write) -> bool:
    body = msgspec.json.decode(write.request.body)
    match write.request.method:
        case "POST":
            return True
        case "DELETE":
            return bool(dig(body, "preconditions.uid") and dig(body, "preconditions.resourceVersion"))
        case _ if isinstance(body, list):
            tested = {step["path"] for step in body if step["op"] == "test"}
            return {"/metadata/uid", *(step["path"] for step in body)} <= tested
        case _:
            return bool(text(body, "metadata.uid") and text(body, "metadata.resourceVersion"))


def linked_to_something(record: Record) -> Finding:
    """A link names a group that was there when it was written."""
    past = record.past
    for write in record.writes:
        for event in write.events:
            if event.resource.kind == POD and not past.stood_lately(named_by(event.object), write.at):
                yield f"{write} links to {named_by(event.object)[2]!r}, which does not exist"


def among_its_own(record: Record) -> Finding:
    """A pod is linked to a group of its own owners, in that life of theirs that it names."""
    past = record.past
    for write in record.writes:
        for event in write.events:
            owners = past.owners_of(named_by(event.object)) if event.resource.kind == POD else ()
            if owners and not any(past.kin(owner, ref_of(event.object).uid) for owner in owners):
                yield f"{write} links to a group of somebody else's owners"


def made_for_somebody(record: Record) -> Finding:
    """A group is made only while an owner of it lives."""
    past = record.past
    for write in _made(record):
        owners = owner_refs(write.events[0].object)
        if owners and not any(past.lived_lately(owner.uid, write.at) for owner in owners):
            yield f"{write} of {', '.join(owner.name for owner in owners)}, which is gone"


def one_group_each(record: Record) -> Finding:
    """Pods of one controller that Volcano's way linked in one life of the world name one group."""
    if any(rules not in ("nothing", "rubbish") for _, rules in record.scenario.texts):
        return
    found: dict[str, set[str]] = {}
    for pod in _pods(record):
        above = next((one.uid for one in owner_refs(pod) if one.controller), "")
        ours = named_by(pod)[2].startswith("podgroup-")
        if above and ours and profile_of(pod) == "volcano" and is_live(pod):
            found.setdefault(above, set()).add(named_by(pod)[2])
    yield from (f"{above}: {sorted(names)}" for above, names in found.items() if len(names) > 1)


def never_above_what_runs(record: Record) -> Finding:
    """No floor of a running KAI gang is raised above its active members."""
    ours = (write for write in record.writes if write.who != ELDER)
    return raises(record.moments, {event.version for write in ours for event in write.events})


def bounded(record: Record) -> Finding:
    """So much is asked of the API server, and not more."""
    busy = Counter(write.who for write in record.writes)
    yield from (f"{who} writes {count} times" for who, count in busy.items() if count > MOST_WRITES)
    if record.reads > MOST_READS:
        yield f"{record.reads} reads"


def without_fault(record: Record) -> Finding:
    """Nothing was raised or logged that nobody expected, and the world came to rest."""
    return iter(record.faults)


def well_informed(record: Record) -> Finding:
    """In the end the controller knows the pods and groups that there are, in their last versions."""
    return iter(record.misbelieved)


INVARIANTS: Mapping[str, Callable[[Record], Finding]] = {
    "every live pod is linked or skipped with a reason": placed,
    "a second pass writes nothing": quiet,
    "no group without need": needed,
    "the group of a workload at zero goes": gone_at_zero,
    "nothing but groups, links and events is written": within_bounds,
    "nothing of others is changed": foreign_untouched,
    "every write is conditional": conditional,
    "a link names a group that exists": linked_to_something,
    "a pod joins a group of its own owners": among_its_own,
    "a group is made only while an owner of it lives": made_for_somebody,
    "one group for the pods of one controller": one_group_each,
    "no floor of a running gang is raised above what runs": never_above_what_runs,
    "requests are bounded": bounded,
    "no fault, and the world comes to rest": without_fault,
    "what is known in the end is so": well_informed,
}


def broken(record: Record) -> Mapping[str, tuple[str, ...]]:
    """The promises that were broken, each with what broke it."""
    found = {name: tuple(check(record)) for name, check in INVARIANTS.items()}
    return {name: findings for name, findings in found.items() if findings}


def _pods(record: Record) -> tuple[Json, ...]:
    return tuple(obj for obj in record.objects if ref_of(obj).kind == POD)


def _made(record: Record) -> Iterator[Write]:
    """The writes that made a group."""
    for write in record.writes:
        if write.events and write.request.method == "POST" and write.events[0].resource.kind in GROUPS:
            yield write
